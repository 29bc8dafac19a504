//! # mcp-policy
