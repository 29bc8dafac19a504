//! The gateway in front of clients that we did not write: the Python SDK and the MCP Inspector.

#[path = "../support/mod.rs"]
mod support;

mod http;
mod inspector;
mod python_sdk;
mod serving;
