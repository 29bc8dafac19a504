//! Everything that can happen to the set of servers.

use std::sync::Arc;
use std::time::Duration;

use mcp_types::{Epoch, Generation, ServerName};

use crate::server::report::ServerReport;
use crate::server::spec::MountSpec;

/// What should be mounted: always the whole of it, never a change.
#[derive(Debug, Clone, PartialEq)]
pub struct Desired {
    /// Rises with every desired state. An older one than the newest is ignored.
    pub generation: Generation,
    /// The servers in the order of the configuration. Of two with one name the first counts.
    pub mounts: Vec<(ServerName, Arc<MountSpec>)>,
}

/// Numbers the actors of one house, so that a message of one that has ended is told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Incarnation(pub(crate) u64);

/// Everything that can happen to the set of servers.
#[derive(Debug, Clone)]
pub(crate) enum RegistryEvent {
    Desired(Desired),
    Reported {
        name: ServerName,
        incarnation: Incarnation,
        report: Box<ServerReport>,
    },
    /// The actor has ended; what it left is being cleaned up.
    Down {
        name: ServerName,
        incarnation: Incarnation,
    },
    /// Nothing of the incarnation is left.
    Gone {
        name: ServerName,
        incarnation: Incarnation,
        remains: Remains,
    },
    Wake,
    Shutdown {
        grace: Duration,
    },
}

/// What was found when an incarnation was cleaned up after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Remains {
    pub(crate) newest_epoch: Epoch,
    /// Something of it did not end by itself.
    pub(crate) forced: bool,
    pub(crate) tasks_aborted: usize,
}
