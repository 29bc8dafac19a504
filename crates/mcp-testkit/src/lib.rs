//! # mcp-testkit
