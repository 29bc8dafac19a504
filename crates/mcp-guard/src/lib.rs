//! # mcp-guard
