//! The gateway in front of clients that we did not write: the Python SDK and the MCP Inspector.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod http;
mod inspector;
mod python_sdk;
mod serving;
