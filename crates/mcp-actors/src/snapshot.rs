//! What is: the published state of every server. Immutable, versioned, read without a message.

use std::sync::Arc;
use std::time::Duration;

use mcp_transport::{Failure, FailureClass};
use mcp_types::{Diagnostic, Epoch, ErrorCode, Generation, ServerName, Version};
use tokio::time::Instant;

/// The state of all servers at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct StatusSnapshot {
    /// The configuration that is applied.
    pub generation: Generation,
    /// Rises with every snapshot.
    pub sequence: Version,
    /// The mounted servers in the order of the configuration.
    pub servers: Vec<ServerStatus>,
    /// Servers that were unmounted and are still on their way out.
    pub leaving: Vec<ServerName>,
    /// True in the last snapshot of all: everything was shut down.
    pub closed: bool,
}

impl StatusSnapshot {
    /// Gives the state of one server.
    pub fn server(&self, name: &str) -> Option<&ServerStatus> {
        self.servers.iter().find(|server| server.name.as_str() == name)
    }
}

/// The state of one server.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ServerStatus {
    /// Its name.
    pub name: ServerName,
    /// What it is now.
    pub status: ServerState,
    /// How far it has come.
    pub life: Life,
    /// The tools it listed.
    pub tool_count: usize,
    /// The resources it listed; `None` when it was never asked.
    pub resource_count: Option<usize>,
    /// The prompts it listed; `None` when it was never asked.
    pub prompt_count: Option<usize>,
    /// When the last attempt failed; only while the status is `failed`.
    pub failed_at: Option<Instant>,
    /// Why it was lost or could not be connected the last time. Gone after a success.
    pub last_error: Option<ErrorLine>,
    /// It is switched off.
    pub disabled: bool,
    /// A failed mount of it fails the mount of all.
    pub required: bool,
    /// Where it was defined.
    pub source: String,
    /// The newest connection that was begun.
    pub epoch: Epoch,
    /// The connection that gave the lists; `None` when they come from an earlier run or are not known.
    pub listed_epoch: Option<Epoch>,
    /// The process of a connected child.
    pub process_id: Option<u32>,
    /// Lines of the present session that were no messages.
    pub noise_lines: u64,
    /// What is wrong in its lists.
    pub diagnostics: Arc<Vec<Diagnostic>>,
}

impl ServerStatus {
    /// Gives the time since the last attempt failed; only while the status is `failed`.
    pub fn failed_ago(&self, now: Instant) -> Option<Duration> {
        self.failed_at.map(|at| now.saturating_duration_since(at))
    }
}

/// What a server is, as the status shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ServerState {
    /// A session is open and its lists are known.
    Connected,
    /// A session is being opened, or its lists are being read for the first time.
    Connecting,
    /// No session; what it offers is known from an earlier one.
    Cached,
    /// The last attempt failed a short time ago.
    Failed,
    /// It wants a sign-in.
    NeedsAuth,
    /// It may not run before a person approved its definition.
    NeedsTrust,
    /// No session, and nothing is known.
    NotConnected,
    /// Its actor failed and begins anew.
    Restarting,
    /// It is switched off.
    Disabled,
}

impl ServerState {
    /// Gives the stable word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Connected => "connected",
            Self::Connecting => "connecting",
            Self::Cached => "cached",
            Self::Failed => "failed",
            Self::NeedsAuth => "needs-auth",
            Self::NeedsTrust => "needs-trust",
            Self::NotConnected => "not-connected",
            Self::Restarting => "restarting",
            Self::Disabled => "disabled",
        }
    }
}

/// How far a server has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Life {
    /// It is configured, and nothing else is known.
    Configured,
    /// What it offers is known; it is not running.
    Known,
    /// A session of it is open.
    Started,
    /// The open session has been used.
    Used,
}

/// A failure in the words of the status.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ErrorLine {
    /// The stable code.
    pub code: ErrorCode,
    /// One sentence.
    pub message: String,
    /// The last lines of the standard error of a child.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stderr_tail: Vec<String>,
    /// How a child ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<String>,
}

impl ErrorLine {
    pub(crate) fn of(failure: &Failure) -> Self {
        let (exit, stderr_tail) = if let FailureClass::Exited { status, stderr_tail } = &failure.class {
            (status.clone(), stderr_tail.clone())
        } else {
            (None, Vec::new())
        };
        Self { code: failure.code(), message: failure.message.clone(), stderr_tail, exit }
    }
}
