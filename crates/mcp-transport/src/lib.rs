//! # mcp-transport
