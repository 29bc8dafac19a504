//! The gateway: an MCP server with one tool in front of a [`wharf::Runtime`].
//!
//! **Job.** Speaks MCP to clients over standard streams and streamable HTTP, offers the `mcp` tool, and turns its
//! modes into calls of the runtime and their answers into short texts.
//!
//! **Not its job.** It decides nothing about servers, policy or limits, keeps no catalogue and starts no process:
//! all of that is the runtime behind it.
//!
//! **Invariants.** Same catalogue, same bytes: the definition and the answers of the reading modes do not vary from
//! run to run. What a server returned passes unchanged in meaning, unknown blocks and `_meta` included. A request
//! that the client cancelled is cancelled at the server. HTTP is loopback only unless asked otherwise, and refuses
//! foreign hosts and origins.
//!
//! **Start reading at** `tool/dispatch.rs`, then `server.rs`; transports are `stdio.rs` and `http.rs`.
#![deny(missing_docs)]

mod clients;
pub mod demo;
mod error;
pub mod http;
mod line_transport;
mod progress;
mod raw_transport;
mod server;
pub mod stdio;
#[cfg(test)]
mod testing;
mod text;
mod tool;
mod wire;

pub use error::GatewayError;
pub use http::{HttpOptions, serve_http};
pub use stdio::{serve_stdio, serve_stream};
