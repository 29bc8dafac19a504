//! Everything the registry's machine wants done.

use std::sync::Arc;
use std::time::Duration;

use mcp_catalog::{Roster, RosterDiff};
use mcp_types::{Epoch, ServerName};

use super::event::Incarnation;
use crate::server::refusal::StopReason;
use crate::server::spec::MountSpec;
use crate::snapshot::StatusSnapshot;

/// One thing to do.
#[derive(Debug, Clone)]
pub(crate) enum RegistryEffect {
    /// Starts an actor whose connections count from `epoch` on.
    Mount {
        name: ServerName,
        incarnation: Incarnation,
        spec: Arc<MountSpec>,
        epoch: Epoch,
    },
    Respec {
        name: ServerName,
        spec: Arc<MountSpec>,
    },
    /// Lets an actor end. Answered by `Down`.
    Retire {
        name: ServerName,
        reason: StopReason,
        grace: Duration,
    },
    /// Ends the tasks and the session that an actor left. Answered by `Gone`.
    CleanUp {
        name: ServerName,
        incarnation: Incarnation,
    },
    Publish(Publication),
    /// Everything is gone; the last publication is out.
    Finished(ShutdownReport),
}

/// What goes to the bus.
#[derive(Debug, Clone)]
pub(crate) struct Publication {
    pub(crate) snapshot: Arc<StatusSnapshot>,
    pub(crate) roster: Arc<Roster>,
    pub(crate) diff: Option<Arc<RosterDiff>>,
}

/// What a shutdown had to force.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ShutdownReport {
    /// The servers whose leases were cut off or whose processes did not end by themselves.
    pub forced: Vec<ServerName>,
    /// The tasks that were still at work at the end.
    pub tasks_aborted: usize,
}
