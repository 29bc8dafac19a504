//! # mcp-actors
