//! # mcp-config
