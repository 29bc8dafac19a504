//! Published servers from npm and PyPI, mounted as a user mounts them.

#[path = "../support/mod.rs"]
mod support;

mod everything_over_http;
mod stdio;
