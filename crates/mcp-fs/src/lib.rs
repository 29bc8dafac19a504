//! # mcp-fs
