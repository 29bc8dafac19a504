//! Published servers from `npm` and `PyPI`, mounted as a user mounts them.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

mod everything_over_http;
mod stdio;
