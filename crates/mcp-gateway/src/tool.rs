//! The one tool of the gateway, `mcp`: a request is read, sent to its mode, and answered.

use mcp_types::SessionId;
use wharf::{ProgressSink, Runtime};

pub(crate) mod call;
pub(crate) mod connect;
pub(crate) mod definition;
pub(crate) mod describe;
pub(crate) mod dispatch;
pub(crate) mod instructions;
pub(crate) mod list;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod search;
pub(crate) mod status;

#[cfg(test)]
pub(crate) mod fixture;

/// The name of the tool.
pub(crate) const TOOL_NAME: &str = "mcp";

/// On whose behalf the tool runs, and where.
pub(crate) struct Caller {
    pub(crate) runtime: Runtime,
    pub(crate) session: SessionId,
    pub(crate) progress: Option<ProgressSink>,
}
