//! The phases of a server. Each owns what only it needs.

use std::sync::Arc;
use std::time::Instant;

use mcp_catalog::ServerListing;
use mcp_transport::Failure;
use mcp_types::{Diagnostic, Epoch};

use super::listings::Listings;
use super::refusal::StopReason;

/// Where a server stands.
///
/// ```text
///   Dormant ──ask──▶ Connecting ──▶ Ready ──idle, loss, change──▶ Draining ──▶ Dormant │ Connecting │ Cooling │ …
///      ▲                 │                                            ▲
///      └── Cooling ◀─────┴─────▶ NeedsAuth             Stop ──────────┴──▶ Stopped
/// ```
#[derive(Debug, Clone)]
pub(crate) enum Phase {
    /// No session, and none is wanted.
    Dormant,
    /// One attempt is on its way. A session may end before the shell could report it as connected.
    Connecting {
        epoch: Epoch,
        ended: Option<Failure>,
    },
    Ready(Box<Ready>),
    Cooling(Cooling),
    /// No dial until somebody says that something changed.
    NeedsAuth {
        challenge: Option<String>,
    },
    Draining(Draining),
    Stopped(StopReason),
}

/// A live session.
#[derive(Debug, Clone)]
pub(crate) struct Ready {
    pub(crate) epoch: Epoch,
    pub(crate) since: Instant,
    /// Whether the first look at its lists is over; before, no lease is granted.
    pub(crate) stage: ReadyStage,
    pub(crate) leases: usize,
    pub(crate) last_used: Instant,
    pub(crate) used: bool,
    pub(crate) listings: Listings,
    /// What it offers as far as it was listed.
    pub(crate) draft: ServerListing,
    pub(crate) health: Health,
    pub(crate) process_id: Option<u32>,
    pub(crate) noise_lines: u64,
    pub(crate) diagnostics: PartDiagnostics,
    /// Those of the parts and the failed listings together.
    pub(crate) all_diagnostics: Arc<Vec<Diagnostic>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadyStage {
    FirstLook,
    Open,
}

/// What was wrong in the newest listing of each kind.
#[derive(Debug, Clone, Default)]
pub(crate) struct PartDiagnostics {
    pub(crate) tools: Vec<Diagnostic>,
    pub(crate) resources: Vec<Diagnostic>,
    pub(crate) prompts: Vec<Diagnostic>,
}

/// What pings say.
#[derive(Debug, Clone)]
pub(crate) struct Health {
    pub(crate) next_ping: Instant,
    pub(crate) ping: PingState,
    pub(crate) failures: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PingState {
    Idle,
    /// A lease raised a doubt: asked as soon as nobody uses the session, in every mode.
    Wanted,
    Running,
}

/// The time after a failure.
#[derive(Debug, Clone)]
pub(crate) struct Cooling {
    pub(crate) failed_at: Instant,
    pub(crate) failure: Arc<Failure>,
    /// When the lifecycle dials again; `None` when it never does.
    pub(crate) redial: Option<Instant>,
    /// Before this time a plain request is refused.
    pub(crate) blocked_until: Instant,
}

impl Cooling {
    /// When this phase ends by itself.
    pub(crate) fn until(&self) -> Instant {
        self.redial.unwrap_or(self.blocked_until)
    }
}

/// A session, or an attempt at one, on its way out.
#[derive(Debug, Clone)]
pub(crate) struct Draining {
    pub(crate) epoch: Epoch,
    pub(crate) stage: DrainStage,
    pub(crate) then: Then,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DrainStage {
    /// The attempt was given up; its end is awaited.
    Aborting,
    /// No new leases; those that are out may come back.
    Leases { leases: usize, until: Instant },
    /// The end of the session is awaited.
    Closing,
}

/// What follows when nothing of the session is left.
#[derive(Debug, Clone)]
pub(crate) enum Then {
    /// Connects only for those who wait.
    Rest,
    /// Connects for those who wait, or when the lifecycle asks for it at the start.
    Start,
    /// Connects in any case.
    Redial,
    /// It never became usable.
    Failed(Failure),
    NeedsAuth {
        challenge: Option<String>,
    },
    /// It was usable and got lost.
    Lost {
        failure: Failure,
        short_lived: bool,
    },
    Stop(StopReason),
}

impl PartDiagnostics {
    /// Joins them with the failed listings.
    pub(crate) fn join(&self, listings: &Listings) -> Vec<Diagnostic> {
        let failed = listings.problems().map(|(kind, failure)| super::listed::list_failed(kind, failure));
        let parts = [&self.tools, &self.resources, &self.prompts].into_iter().flatten().cloned();
        failed.chain(parts).collect()
    }
}
