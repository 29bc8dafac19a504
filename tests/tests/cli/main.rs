//! The command line on small servers: answers, exit codes, JSON shapes, clean endings.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod bad_input;
mod commands;
mod demo;
mod endings;
