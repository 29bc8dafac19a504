//! Everything that can happen to one server.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_transport::{Failure, FailureClass, ListKind};
use mcp_types::{Diagnostic, Epoch, PromptSpec, ResourceSpec, ResourceTemplateSpec, ToolSpec};

use super::refusal::StopReason;
use super::spec::MountSpec;

/// Numbers the requests for a lease of one house.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct WaiterId(pub(crate) u64);

/// One request for a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ask {
    pub(crate) waiter: WaiterId,
    pub(crate) deadline: Instant,
    /// The asker proved that this epoch is of no use any more.
    pub(crate) newer_than: Option<Epoch>,
    pub(crate) kind: AskKind,
}

/// How much a request for a lease may cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskKind {
    /// Connects unless an attempt failed a short time ago.
    Plain,
    /// Connects in any case, because a person or program said so.
    Bypass,
    /// Wants a connection that is opened after this request.
    Renew,
}

impl AskKind {
    pub(crate) fn is_explicit(self) -> bool {
        match self {
            Self::Plain => false,
            Self::Bypass | Self::Renew => true,
        }
    }
}

/// How the use of a lease ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseOutcome {
    /// The session answered, or the caller left.
    Ok,
    /// A request failed. Classes that prove a dead session end it for everybody; a timeout does not.
    Failed(FailureClass),
}

/// What a fresh session says about itself, as far as the machine decides on it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Opened {
    pub(crate) tools: bool,
    pub(crate) resources: bool,
    pub(crate) prompts: bool,
    pub(crate) instructions: Option<String>,
    pub(crate) server_info: Option<(String, String)>,
    pub(crate) process_id: Option<u32>,
}

/// One list of a server, all pages.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ListedPart {
    pub(crate) items: ListedItems,
    /// What was wrong in it; the bad items were left out.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ListedItems {
    Tools(Vec<Arc<ToolSpec>>),
    Resources { resources: Vec<Arc<ResourceSpec>>, templates: Vec<Arc<ResourceTemplateSpec>> },
    Prompts(Vec<Arc<PromptSpec>>),
}

/// Everything that can happen to one server. What belongs to a connection says to which.
#[derive(Debug, Clone)]
pub(crate) enum ServerEvent {
    /// The machine begins to run.
    Mounted,
    SpecChanged(Arc<MountSpec>),
    Acquire(Ask),
    /// Whoever asked has left before the answer.
    Abandoned(WaiterId),
    LeaseDropped {
        epoch: Epoch,
        outcome: LeaseOutcome,
    },
    Connected {
        epoch: Epoch,
        opened: Box<Opened>,
    },
    /// The attempt is over and left nothing behind.
    ConnectFailed {
        epoch: Epoch,
        failure: Failure,
    },
    /// The session can answer no more. What lies beneath it may still be there.
    SessionEnded {
        epoch: Epoch,
        failure: Failure,
    },
    /// Nothing of the session is left.
    Closed {
        epoch: Epoch,
    },
    ListChanged {
        epoch: Epoch,
        kind: ListKind,
    },
    Listed {
        epoch: Epoch,
        kind: ListKind,
        revision: u64,
        result: Result<ListedPart, Failure>,
    },
    Pinged {
        epoch: Epoch,
        result: Result<(), Failure>,
    },
    /// The server wrote this many lines that are no messages.
    Noise {
        epoch: Epoch,
        lines: u64,
    },
    /// The time of [`super::machine::ServerMachine::next_wakeup`] has come.
    Wake,
    /// Ends for good. Leases get up to `grace` to come back.
    Stop {
        reason: StopReason,
        grace: Duration,
    },
}

/// Tells whether a failure proves that the session is dead.
pub(crate) fn is_fatal(class: &FailureClass) -> bool {
    matches!(class, FailureClass::SessionExpired | FailureClass::Exited { .. } | FailureClass::Closed)
}
