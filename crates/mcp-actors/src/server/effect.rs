//! Everything that the machine wants done. The shell does it and never decides.

use std::sync::Arc;

use mcp_catalog::ServerListing;
use mcp_transport::{ConnectSpec, ListKind};
use mcp_types::Epoch;

use super::event::WaiterId;
use super::refusal::Refusal;
use super::report::ServerReport;

/// One thing to do.
#[derive(Debug, Clone)]
pub(crate) enum ServerEffect {
    /// Opens a session. Answered by `Connected` or `ConnectFailed`.
    Connect {
        epoch: Epoch,
        spec: Arc<ConnectSpec>,
        cause: DialCause,
    },
    /// Gives the attempt up. It is still answered by `Connected` or `ConnectFailed`.
    Abort {
        epoch: Epoch,
    },
    /// Takes the session down. Answered by `Closed`.
    Close {
        epoch: Epoch,
        cause: CloseCause,
    },
    /// Fetches one list, all pages. Answered by `Listed`.
    List {
        epoch: Epoch,
        kind: ListKind,
        revision: u64,
    },
    /// Asks whether the server lives. Answered by `Pinged`.
    Ping {
        epoch: Epoch,
    },
    Grant {
        waiter: WaiterId,
        epoch: Epoch,
        listing: Arc<ServerListing>,
    },
    Refuse {
        waiter: WaiterId,
        refusal: Refusal,
    },
    Publish(Box<ServerReport>),
    /// The machine is stopped and nothing of the server is left.
    Exit,
}

/// Who brought an attempt to connect about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DialCause {
    /// The lifecycle of the server.
    Automatic,
    /// A request that waits for it.
    Caller,
    /// A changed definition or a wish for a fresh connection.
    Replaced,
}

/// Why a session is taken down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CloseCause {
    /// Nobody used it for long.
    Idle,
    /// It did not answer pings while nobody used it.
    Health,
    /// It can answer no more.
    Ended,
    /// It never became usable.
    Unusable,
    /// It is not wanted any more, and all leases came back.
    Drained,
    /// It is not wanted any more, and some lease did not come back in time.
    DrainTimedOut,
}
