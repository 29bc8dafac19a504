//! What is known of one call when it is decided.

use std::sync::Arc;

use mcp_types::{Digest, SessionId, ToolRef};

use crate::pattern::Pattern;

/// The facts of one call.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The tool.
    pub tool: ToolRef,
    /// Every spelling of its name that a pattern may use: its own name and the outward names of all prefix modes.
    pub names: Vec<String>,
    /// True when the server hints that the tool changes nothing.
    pub read_only: bool,
    /// Digest of the arguments.
    pub arguments: Digest,
    /// Digest of the tool's definition.
    pub definition: Digest,
    /// On whose behalf the call runs.
    pub session: SessionId,
    /// The caller's own allow lists. Each of them must admit the tool.
    pub narrowed: Vec<Arc<[Pattern]>>,
}
