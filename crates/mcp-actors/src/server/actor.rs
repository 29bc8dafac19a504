//! The shell of one server: feeds its machine and starts what the machine wants done. It never waits for anything.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_transport::Connector;
use mcp_types::{Host, ServerName};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::cell::ServerCell;
use super::effect::ServerEffect;
use super::event::{Ask, ServerEvent, WaiterId};
use super::events_in::PendingNotices;
use super::lease::Lease;
use super::machine::ServerMachine;
use super::refusal::Refusal;
use crate::bus::EventBus;
use crate::registry::event::Incarnation;
use crate::registry::message::RegistryMessage;
use crate::tasks::Alarm;

/// The answer to a request for a lease.
pub(crate) type LeaseReply = oneshot::Sender<Result<Lease, Refusal>>;

/// What a server's actor is told.
pub(crate) enum ServerMessage {
    Event(ServerEvent),
    Acquire {
        ask: Ask,
        reply: LeaseReply,
    },
    /// Fails in the middle of its work.
    #[cfg(test)]
    Crash,
}

impl fmt::Debug for ServerMessage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event(event) => event.fmt(formatter),
            Self::Acquire { ask, .. } => ask.fmt(formatter),
            #[cfg(test)]
            Self::Crash => formatter.write_str("Crash"),
        }
    }
}

/// What all servers of a house share.
pub(crate) struct Surroundings {
    pub(crate) connector: Arc<dyn Connector>,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) close_grace: Duration,
    pub(crate) bus: EventBus,
}

/// Everything one incarnation starts with.
pub(crate) struct ServerArguments {
    pub(crate) name: ServerName,
    pub(crate) incarnation: Incarnation,
    pub(crate) machine: ServerMachine,
    pub(crate) cell: Arc<ServerCell>,
    pub(crate) registry: ActorRef<RegistryMessage>,
    pub(crate) surroundings: Arc<Surroundings>,
}

pub(crate) struct ServerActor;

pub(crate) struct ServerState {
    pub(super) name: ServerName,
    pub(super) incarnation: Incarnation,
    pub(super) machine: ServerMachine,
    pub(super) effects: Vec<ServerEffect>,
    pub(super) replies: HashMap<WaiterId, LeaseReply>,
    pub(super) cell: Arc<ServerCell>,
    pub(super) registry: ActorRef<RegistryMessage>,
    pub(super) surroundings: Arc<Surroundings>,
    /// Gives the present attempt to connect up.
    pub(super) attempt: CancellationToken,
    /// The notices of the present session that are in the mailbox.
    pub(super) notices: Arc<PendingNotices>,
    alarm: Alarm,
    /// Ends the tasks when this state goes before its time.
    pub(super) tasks: Option<DropGuard>,
}

impl Actor for ServerActor {
    type Msg = ServerMessage;
    type State = ServerState;
    type Arguments = ServerArguments;

    async fn pre_start(
        &self,
        _myself: ActorRef<ServerMessage>,
        arguments: ServerArguments,
    ) -> Result<ServerState, ActorProcessingErr> {
        let ServerArguments { name, incarnation, machine, cell, registry, surroundings } = arguments;
        Ok(ServerState {
            tasks: Some(cell.tasks.guard()),
            name,
            incarnation,
            machine,
            effects: Vec::new(),
            replies: HashMap::new(),
            cell,
            registry,
            surroundings,
            attempt: CancellationToken::new(),
            notices: Arc::default(),
            alarm: Alarm::default(),
        })
    }

    async fn post_start(
        &self,
        myself: ActorRef<ServerMessage>,
        state: &mut ServerState,
    ) -> Result<(), ActorProcessingErr> {
        state.on(ServerEvent::Mounted, &myself);
        Ok(())
    }

    async fn handle(
        &self,
        myself: ActorRef<ServerMessage>,
        message: ServerMessage,
        state: &mut ServerState,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            ServerMessage::Event(event) => state.on(event, &myself),
            // Nobody is served who has left.
            ServerMessage::Acquire { reply, .. } if reply.is_closed() => {}
            ServerMessage::Acquire { ask, reply } => {
                state.replies.insert(ask.waiter, reply);
                state.on(ServerEvent::Acquire(ask), &myself);
            }
            #[cfg(test)]
            ServerMessage::Crash => panic!("a crash was asked for"),
        }
        Ok(())
    }
}

impl ServerState {
    /// Feeds the machine, does what it wants done, and sets the alarm.
    fn on(&mut self, event: ServerEvent, myself: &ActorRef<ServerMessage>) {
        self.prepare(&event);
        let mut effects = std::mem::take(&mut self.effects);
        self.machine.on(event, Instant::now().into_std(), &mut effects);
        for effect in effects.drain(..) {
            self.run(effect, myself);
        }
        self.effects = effects;
        let actor = myself.clone();
        self.alarm.set(self.machine.next_wakeup(), move || {
            drop(actor.send_message(ServerMessage::Event(ServerEvent::Wake)));
        });
    }

    fn prepare(&mut self, event: &ServerEvent) {
        match event {
            ServerEvent::ListChanged { kind, .. } => self.notices.lower(*kind),
            ServerEvent::Abandoned(waiter) => {
                self.replies.remove(waiter);
            }
            ServerEvent::Stop { .. } => self.cell.note_stopped(),
            ServerEvent::Wake => self.alarm.rang(),
            ServerEvent::Mounted
            | ServerEvent::SpecChanged(_)
            | ServerEvent::Acquire(_)
            | ServerEvent::LeaseDropped { .. }
            | ServerEvent::Connected { .. }
            | ServerEvent::ConnectFailed { .. }
            | ServerEvent::SessionEnded { .. }
            | ServerEvent::Closed { .. }
            | ServerEvent::Listed { .. }
            | ServerEvent::Pinged { .. }
            | ServerEvent::Noise { .. } => {}
        }
    }
}
