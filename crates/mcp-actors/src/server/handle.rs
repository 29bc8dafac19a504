//! Asking one server for a lease: a place in flight, one message, one answer.

use std::sync::Arc;

use ractor::ActorRef;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::actor::ServerMessage;
use super::cell::ServerCell;
use super::event::{Ask, AskKind, ServerEvent, WaiterId};
use super::in_flight::InFlight;
use super::lease::Lease;
use super::refusal::Refusal;

/// Talks to one incarnation of a server.
#[derive(Debug, Clone)]
pub(crate) struct ServerHandle {
    pub(crate) actor: ActorRef<ServerMessage>,
    pub(crate) cell: Arc<ServerCell>,
    pub(crate) in_flight: Arc<InFlight>,
}

/// The actor ended before it answered; its successor may.
pub(crate) struct ActorGone;

impl ServerHandle {
    pub(crate) async fn acquire(
        &self,
        ask: Ask,
        deadline: Instant,
    ) -> Result<Result<Lease, Refusal>, ActorGone> {
        // A fresh connection is no request to the server and needs no place.
        let permit = match ask.kind {
            AskKind::Renew => None,
            AskKind::Plain | AskKind::Bypass => match self.in_flight.enter(deadline).await {
                Some(permit) => Some(permit),
                None => return Ok(Err(Refusal::Overloaded)),
            },
        };
        let (reply, answer) = oneshot::channel();
        self.actor.send_message(ServerMessage::Acquire { ask, reply }).map_err(|_| ActorGone)?;
        let leaving = Leaving { handle: self, waiter: Some(ask.waiter) };
        let answer = answer.await;
        leaving.answered();
        match answer {
            Ok(Ok(lease)) => Ok(Ok(lease.hold(permit))),
            Ok(Err(refusal)) => Ok(Err(refusal)),
            Err(_) if self.cell.is_stopped() => Ok(Err(Refusal::Unmounted)),
            Err(_) => Err(ActorGone),
        }
    }
}

/// Tells the actor when the asker leaves before the answer, so that the queue holds only those who wait.
struct Leaving<'a> {
    handle: &'a ServerHandle,
    waiter: Option<WaiterId>,
}

impl Leaving<'_> {
    fn answered(mut self) {
        self.waiter = None;
    }
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if let Some(waiter) = self.waiter {
            drop(self.handle.actor.send_message(ServerMessage::Event(ServerEvent::Abandoned(waiter))));
        }
    }
}
