//! The command line on small servers: answers, exit codes, JSON shapes, clean endings.

#[path = "../support/mod.rs"]
mod support;

mod bad_input;
mod commands;
mod demo;
mod endings;
