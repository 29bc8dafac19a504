//! The facade as an embedding program uses it, on real processes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod session_expiry;
mod two_runtimes;
