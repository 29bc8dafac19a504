//! Why the gateway could not serve.

use std::net::SocketAddr;

use mcp_types::ErrorCode;

/// Why the gateway could not be started or had to stop. A client that goes away is no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GatewayError {
    /// The listener can be reached from other machines and nobody asked for that.
    #[error("{address} can be reached from other machines")]
    NotLoopback {
        /// The address of the listener.
        address: SocketAddr,
    },
    /// An entry of the allowed hosts or origins is none.
    #[error("{entry:?} is no {kind}")]
    InvalidAllowance {
        /// What it should be.
        kind: &'static str,
        /// The entry as it was given.
        entry: String,
    },
    /// The listener has no address, or accepting failed for good.
    #[error("HTTP could not be served")]
    Listener(#[source] std::io::Error),
    /// The client broke the opening of a session.
    #[error("the session could not be opened: {reason}")]
    Opening {
        /// What the protocol library found.
        reason: String,
    },
    /// A task of the session ended by a panic.
    #[error("a session ended by itself")]
    SessionPanicked(#[source] tokio::task::JoinError),
}

impl GatewayError {
    /// Gives the stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotLoopback { .. } | Self::InvalidAllowance { .. } => ErrorCode::InvalidRequest,
            Self::Listener(_) => ErrorCode::ConnectFailed,
            Self::Opening { .. } => ErrorCode::ProtocolError,
            Self::SessionPanicked(_) => ErrorCode::Internal,
        }
    }

    /// Gives the next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotLoopback { .. } => Some(
                "listen on 127.0.0.1 or [::1], or allow remote clients explicitly and set a bearer token",
            ),
            Self::InvalidAllowance { .. } => {
                Some("hosts look like example.com or example.com:8080, origins like https://example.com:443")
            }
            Self::Listener(_) | Self::Opening { .. } | Self::SessionPanicked(_) => None,
        }
    }
}
