//! What the machine wants done is begun here. Whatever takes time becomes a task that comes back as an event.

use std::sync::Arc;
use std::time::Duration;

use mcp_catalog::ServerListing;
use mcp_transport::{ConnectRequest, ConnectSpec, Connector, Failure, FailureClass, ListKind, Session};
use mcp_types::Epoch;
use ractor::ActorRef;
use tokio_util::sync::CancellationToken;

use super::actor::{ServerMessage, ServerState};
use super::effect::{CloseCause, DialCause, ServerEffect};
use super::event::{LeaseOutcome, ServerEvent, WaiterId};
use super::events_in;
use super::fetch;
use super::lease::Lease;
use super::refusal::Refusal;
use crate::registry::message::RegistryMessage;
use crate::tasks::contained;

/// How much longer than its own limit a start may take before it is cut off.
const START_MARGIN: Duration = Duration::from_secs(10);

impl ServerState {
    pub(super) fn run(&mut self, effect: ServerEffect, myself: &ActorRef<ServerMessage>) {
        match effect {
            ServerEffect::Connect { epoch, spec, cause } => self.connect(epoch, spec, cause, myself),
            ServerEffect::Abort { epoch } => {
                tracing::debug!(%epoch, "the attempt to connect is given up");
                self.attempt.cancel();
            }
            ServerEffect::Close { epoch, cause } => self.close(epoch, cause, myself),
            ServerEffect::List { epoch, kind, revision } => self.list(epoch, (kind, revision), myself),
            ServerEffect::Ping { epoch } => self.ping(epoch, myself),
            ServerEffect::Grant { waiter, epoch, listing } => self.grant(waiter, epoch, listing, myself),
            ServerEffect::Refuse { waiter, refusal } => {
                if let Some(reply) = self.replies.remove(&waiter) {
                    // Whoever left needs no refusal.
                    drop(reply.send(Err(refusal)));
                }
            }
            ServerEffect::Publish(report) => {
                let message = RegistryMessage::Reported {
                    name: self.name.clone(),
                    incarnation: self.incarnation,
                    report,
                };
                // A registry that has ended publishes nothing more.
                drop(self.registry.send_message(message));
            }
            ServerEffect::Exit => {
                // The registry sees to what is still at work.
                if let Some(guard) = self.tasks.take() {
                    guard.disarm();
                }
                myself.stop(None);
            }
        }
    }

    fn connect(
        &mut self,
        epoch: Epoch,
        spec: Arc<ConnectSpec>,
        cause: DialCause,
        myself: &ActorRef<ServerMessage>,
    ) {
        tracing::info!(server = %self.name, %epoch, ?cause, "connecting");
        self.cell.note_epoch(epoch);
        self.attempt = CancellationToken::new();
        self.notices = Arc::default();
        let limit = spec.timeouts.startup.saturating_add(START_MARGIN);
        let events = events_in::sink(
            self.name.clone(),
            epoch,
            Arc::clone(&self.notices),
            myself.clone(),
            self.surroundings.bus.clone(),
        );
        let host = Arc::clone(&self.surroundings.host);
        let request = ConnectRequest { spec, epoch, events, host };
        let connector = Arc::clone(&self.surroundings.connector);
        let (cell, abort) = (Arc::clone(&self.cell), self.attempt.clone());
        let server = self.name.clone();
        self.begin(myself, async move {
            match attempt(connector, request, limit, abort).await {
                Ok(session) => {
                    let opened = Box::new(fetch::opened(&session));
                    // Here before anybody hears of it, so that it is found by whoever has to close it.
                    cell.put(epoch, session);
                    ServerEvent::Connected { epoch, opened }
                }
                Err(failure) => {
                    tracing::warn!(%server, %epoch, %failure, "connect failed");
                    ServerEvent::ConnectFailed { epoch, failure }
                }
            }
        });
    }

    fn close(&mut self, epoch: Epoch, cause: CloseCause, myself: &ActorRef<ServerMessage>) {
        tracing::info!(server = %self.name, %epoch, ?cause, "closing");
        if cause == CloseCause::DrainTimedOut {
            self.cell.note_forced();
        }
        let (cell, grace) = (Arc::clone(&self.cell), self.surroundings.close_grace);
        self.begin(myself, async move {
            contained(cell.close(grace), || ()).await;
            ServerEvent::Closed { epoch }
        });
    }

    fn list(&mut self, epoch: Epoch, (kind, revision): (ListKind, u64), myself: &ActorRef<ServerMessage>) {
        let (session, limit) = (self.cell.session(epoch), self.machine.list_limit());
        self.begin(myself, async move {
            let result = match session {
                Some(session) => fetch::list(&session, kind, limit).await,
                None => Err(no_session()),
            };
            ServerEvent::Listed { epoch, kind, revision, result }
        });
    }

    fn ping(&mut self, epoch: Epoch, myself: &ActorRef<ServerMessage>) {
        let session = self.cell.session(epoch);
        self.begin(myself, async move {
            let result = match session {
                Some(session) => fetch::ping(&session).await,
                None => Err(no_session()),
            };
            ServerEvent::Pinged { epoch, result }
        });
    }

    fn grant(
        &mut self,
        waiter: WaiterId,
        epoch: Epoch,
        listing: Arc<ServerListing>,
        myself: &ActorRef<ServerMessage>,
    ) {
        let Some(reply) = self.replies.remove(&waiter) else { return Self::take_back(epoch, myself) };
        let Some(session) = self.cell.session(epoch) else {
            drop(reply.send(Err(Refusal::ConnectFailed(no_session()))));
            return Self::take_back(epoch, myself);
        };
        let cell = Arc::clone(&self.cell);
        let lease = Lease::new(self.name.clone(), (epoch, session), listing, cell, myself.clone());
        // When the asker has left, the lease comes back with the reply, and dropping it gives it back.
        drop(reply.send(Ok(lease)));
    }

    /// Gives a lease back that reached nobody.
    fn take_back(epoch: Epoch, myself: &ActorRef<ServerMessage>) {
        let outcome = LeaseOutcome::Ok;
        drop(myself.send_message(ServerMessage::Event(ServerEvent::LeaseDropped { epoch, outcome })));
    }

    fn begin(
        &self,
        myself: &ActorRef<ServerMessage>,
        work: impl Future<Output = ServerEvent> + Send + 'static,
    ) {
        let actor = myself.clone();
        self.cell.tasks.spawn(async move {
            let event = work.await;
            // An actor that has ended was cleaned up after.
            drop(actor.send_message(ServerMessage::Event(event)));
        });
    }
}

/// One attempt to connect: bounded, can be given up, and a panic in it is its failure.
async fn attempt(
    connector: Arc<dyn Connector>,
    request: ConnectRequest,
    limit: Duration,
    abort: CancellationToken,
) -> Result<Session, Failure> {
    let attempt =
        contained(async { connector.connect(request).await }, || Err(fetch::panicked("the attempt")));
    tokio::select! {
        biased;
        outcome = tokio::time::timeout(limit, attempt) => outcome.unwrap_or_else(|_| {
            Err(Failure::new(FailureClass::Timeout, "the server did not start in time"))
        }),
        () = abort.cancelled() => Err(Failure::new(FailureClass::Cancelled, "the attempt was given up")),
    }
}

fn no_session() -> Failure {
    Failure::new(FailureClass::Closed, "the session is closed")
}
