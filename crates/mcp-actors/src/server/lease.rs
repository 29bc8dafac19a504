//! A lease: permission to use one live session of one epoch, until it is dropped.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_catalog::ServerListing;
use mcp_transport::Session;
use mcp_types::{Epoch, ServerName};
use ractor::ActorRef;

use super::actor::ServerMessage;
use super::cell::ServerCell;
use super::event::{LeaseOutcome, ServerEvent};
use super::in_flight::Permit;

/// Permission to use one live session. Dropping it gives it back, at once and without waiting.
///
/// The session it holds is a clone; its owner may close it, and then every request on it fails.
pub struct Lease {
    server: ServerName,
    epoch: Epoch,
    session: Session,
    listing: Arc<ServerListing>,
    cell: Arc<ServerCell>,
    outcome: Mutex<LeaseOutcome>,
    actor: ActorRef<ServerMessage>,
    permit: Option<Permit>,
}

impl Lease {
    pub(super) fn new(
        server: ServerName,
        (epoch, session): (Epoch, Session),
        listing: Arc<ServerListing>,
        cell: Arc<ServerCell>,
        actor: ActorRef<ServerMessage>,
    ) -> Self {
        let outcome = Mutex::new(LeaseOutcome::Ok);
        Self { server, epoch, session, listing, cell, outcome, actor, permit: None }
    }

    pub(super) fn hold(mut self, permit: Option<Permit>) -> Self {
        self.permit = permit;
        self
    }

    /// Gives the server.
    pub fn server(&self) -> &ServerName {
        &self.server
    }

    /// Gives the session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Gives the connection it belongs to.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Gives what the server offered when the lease was granted.
    pub fn listing(&self) -> &Arc<ServerListing> {
        &self.listing
    }

    /// Tells whether the server was unmounted, or everything shut down, while the lease was out. A request that then
    /// failed failed for that reason.
    pub fn is_unmounted(&self) -> bool {
        self.cell.is_stopped()
    }

    /// Says how the use ended; it counts when the lease is dropped. Without it the use counts as harmless.
    pub fn settle(&self, outcome: LeaseOutcome) {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = outcome;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // An actor that has ended needs no leases back.
        let event = ServerEvent::LeaseDropped { epoch: self.epoch, outcome };
        drop(self.actor.send_message(ServerMessage::Event(event)));
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Lease")
            .field("server", &self.server)
            .field("epoch", &self.epoch)
            .finish_non_exhaustive()
    }
}
