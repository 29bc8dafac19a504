//! Why a lease was not granted.

use std::time::Duration;

use mcp_transport::Failure;
use mcp_types::ErrorCode;

/// Why no session could be had.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The server is switched off.
    #[error("the server is disabled")]
    Disabled,
    /// No such server is mounted.
    #[error("no such server is mounted")]
    Unknown,
    /// The last attempt to connect failed a short time ago.
    #[error("the last attempt to connect failed {}s ago", failed_ago.as_secs())]
    Backoff {
        /// How long ago the attempt failed.
        failed_ago: Duration,
        /// After which time a plain request may connect again, or it happens by itself.
        retry_in: Duration,
        /// How the attempt failed.
        last: Failure,
    },
    /// The attempt to connect that this request waited for failed.
    #[error("{0}")]
    ConnectFailed(Failure),
    /// The server wants a sign-in.
    #[error("the server wants a sign-in")]
    NeedsAuth {
        /// The challenge it sent.
        challenge: Option<String>,
    },
    /// The server was not ready at the deadline. The attempt goes on.
    #[error("the server is still starting")]
    StillStarting,
    /// The server had as many leases out as it may have, up to the deadline.
    #[error("the server has as many requests in flight as it may have")]
    Overloaded,
    /// The server was unmounted.
    #[error("the server was unmounted")]
    Unmounted,
    /// Everything is being shut down.
    #[error("the runtime is shutting down")]
    ShuttingDown,
}

impl Refusal {
    /// Gives the stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Disabled => ErrorCode::ServerDisabled,
            Self::Unknown => ErrorCode::ServerNotFound,
            Self::Backoff { .. } => ErrorCode::ServerBackoff,
            Self::ConnectFailed(failure) => failure.code(),
            Self::NeedsAuth { .. } => ErrorCode::AuthRequired,
            Self::StillStarting => ErrorCode::StillStarting,
            Self::Overloaded => ErrorCode::Overloaded,
            Self::Unmounted | Self::ShuttingDown => ErrorCode::ServerUnmounted,
        }
    }
}

/// Why a server is stopped for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopReason {
    Unmounted,
    ShuttingDown,
}

impl StopReason {
    pub(crate) fn refusal(self) -> Refusal {
        match self {
            Self::Unmounted => Refusal::Unmounted,
            Self::ShuttingDown => Refusal::ShuttingDown,
        }
    }
}
