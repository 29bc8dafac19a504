//! # mcp-catalog
