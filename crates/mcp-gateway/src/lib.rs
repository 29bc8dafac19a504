//! # mcp-gateway
