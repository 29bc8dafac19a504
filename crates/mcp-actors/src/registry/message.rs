//! What the registry's actor is told.

use std::time::Duration;

use mcp_types::ServerName;

use super::event::{Desired, Incarnation, Remains};
use crate::server::report::ServerReport;

#[derive(Debug)]
pub(crate) enum RegistryMessage {
    Desired(Desired),
    Reported {
        name: ServerName,
        incarnation: Incarnation,
        report: Box<ServerReport>,
    },
    Gone {
        name: ServerName,
        incarnation: Incarnation,
        remains: Remains,
    },
    /// The actor could not be started.
    NotStarted {
        name: ServerName,
        incarnation: Incarnation,
    },
    Wake,
    Shutdown {
        grace: Duration,
    },
}
