//! The facade as an embedding program uses it, on real processes.

#[path = "../support/mod.rs"]
mod support;

mod two_runtimes;
