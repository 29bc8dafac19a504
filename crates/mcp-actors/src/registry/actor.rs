//! The shell of the registry: starts and supervises the servers' actors, cleans up after them, and publishes.
//!
//! One server never touches another: an actor that ends, in whatever way, is cleaned up after in a task of its own
//! and, when it is still wanted, begins anew as its machine decides.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{Epoch, ServerName};
use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef, SupervisionEvent};
use tokio::sync::watch;
use tokio::time::Instant;

use super::directory::Directory;
use super::effect::{Publication, RegistryEffect, ShutdownReport};
use super::event::{Incarnation, RegistryEvent, Remains};
use super::machine::RegistryMachine;
use super::message::RegistryMessage;
use crate::bus::Published;
use crate::server::actor::{ServerActor, ServerArguments, ServerMessage, Surroundings};
use crate::server::cell::ServerCell;
use crate::server::event::ServerEvent;
use crate::server::handle::ServerHandle;
use crate::server::in_flight::InFlight;
use crate::server::machine::ServerMachine;
use crate::server::refusal::StopReason;
use crate::server::spec::MountSpec;
use crate::tasks::{Alarm, TaskScope, contained};

/// How long the end of the registry waits for children, should any be left.
const CHILD_LIMIT: Duration = Duration::from_secs(5);

/// How long the tasks of an actor that ended in order may still be at work.
const TASK_PATIENCE: Duration = Duration::from_secs(1);

/// Everything the registry starts with.
pub(crate) struct RegistryArguments {
    pub(crate) surroundings: Arc<Surroundings>,
    pub(crate) finished: watch::Sender<Option<ShutdownReport>>,
    pub(crate) random: fastrand::Rng,
}

pub(crate) struct RegistryActor;

pub(crate) struct RegistryState {
    machine: RegistryMachine,
    effects: Vec<RegistryEffect>,
    surroundings: Arc<Surroundings>,
    directory: Arc<Directory>,
    /// The actors that run or are being cleaned up after; of each server at most one.
    children: HashMap<ServerName, Child>,
    tasks: TaskScope,
    alarm: Alarm,
    finished: watch::Sender<Option<ShutdownReport>>,
    outcome: Option<ShutdownReport>,
    random: fastrand::Rng,
}

struct Child {
    incarnation: Incarnation,
    cell: Arc<ServerCell>,
    /// `None` when it could not be started.
    actor: Option<ActorRef<ServerMessage>>,
}

impl Actor for RegistryActor {
    type Msg = RegistryMessage;
    type State = RegistryState;
    type Arguments = RegistryArguments;

    async fn pre_start(
        &self,
        _myself: ActorRef<RegistryMessage>,
        arguments: RegistryArguments,
    ) -> Result<RegistryState, ActorProcessingErr> {
        let RegistryArguments { surroundings, finished, mut random } = arguments;
        Ok(RegistryState {
            machine: RegistryMachine::new(random.fork()),
            effects: Vec::new(),
            surroundings,
            directory: Arc::default(),
            children: HashMap::new(),
            tasks: TaskScope::default(),
            alarm: Alarm::default(),
            finished,
            outcome: None,
            random,
        })
    }

    async fn handle(
        &self,
        myself: ActorRef<RegistryMessage>,
        message: RegistryMessage,
        state: &mut RegistryState,
    ) -> Result<(), ActorProcessingErr> {
        let event = match message {
            RegistryMessage::Desired(desired) => RegistryEvent::Desired(desired),
            RegistryMessage::Reported { name, incarnation, report } => {
                RegistryEvent::Reported { name, incarnation, report }
            }
            RegistryMessage::Gone { name, incarnation, remains } => {
                state.children.remove(&name);
                RegistryEvent::Gone { name, incarnation, remains }
            }
            RegistryMessage::NotStarted { name, incarnation } => RegistryEvent::Down { name, incarnation },
            RegistryMessage::Wake => {
                state.alarm.rang();
                RegistryEvent::Wake
            }
            RegistryMessage::Shutdown { grace } => {
                state.close_directory();
                RegistryEvent::Shutdown { grace }
            }
        };
        state.on(event, &myself).await;
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<RegistryMessage>,
        event: SupervisionEvent,
        state: &mut RegistryState,
    ) -> Result<(), ActorProcessingErr> {
        let error = match &event {
            SupervisionEvent::ActorFailed(_, error) => Some(error.to_string()),
            SupervisionEvent::ActorTerminated(..) => None,
            SupervisionEvent::ActorStarted(_) | SupervisionEvent::ProcessGroupChanged(_) => return Ok(()),
        };
        let ended = event.actor_id().and_then(|who| state.child(who));
        if let Some((name, incarnation)) = ended {
            if let Some(error) = error {
                tracing::error!(server = %name, error, "the actor of a server failed");
            }
            state.on(RegistryEvent::Down { name, incarnation }, &myself).await;
        }
        Ok(())
    }

    async fn post_stop(
        &self,
        myself: ActorRef<RegistryMessage>,
        state: &mut RegistryState,
    ) -> Result<(), ActorProcessingErr> {
        // None is left after a shutdown; a registry that is stopped otherwise takes its children with it.
        myself.get_cell().stop_children_and_wait(None, Some(CHILD_LIMIT)).await;
        for child in state.children.values() {
            child.cell.tasks.shutdown(Duration::ZERO).await;
            contained(child.cell.close(Duration::ZERO), || ()).await;
        }
        state.tasks.shutdown(Duration::ZERO).await;
        state.finished.send_replace(Some(state.outcome.take().unwrap_or_default()));
        Ok(())
    }
}

impl RegistryState {
    async fn on(&mut self, event: RegistryEvent, myself: &ActorRef<RegistryMessage>) {
        let mut effects = std::mem::take(&mut self.effects);
        self.machine.on(event, Instant::now().into_std(), &mut effects);
        for effect in effects.drain(..) {
            match effect {
                RegistryEffect::Mount { name, incarnation, spec, epoch } => {
                    self.mount((name, incarnation), spec, epoch, myself).await;
                }
                RegistryEffect::Respec { name, spec } => self.respec(&name, spec),
                RegistryEffect::Retire { name, reason, grace } => self.retire(&name, reason, grace),
                RegistryEffect::CleanUp { name, incarnation } => self.clean_up(name, incarnation, myself),
                RegistryEffect::Publish(publication) => self.publish(publication),
                RegistryEffect::Finished(report) => {
                    self.outcome = Some(report);
                    myself.stop(None);
                }
            }
        }
        self.effects = effects;
        let registry = myself.clone();
        self.alarm.set(self.machine.next_wakeup(), move || {
            drop(registry.send_message(RegistryMessage::Wake));
        });
    }

    /// Starts an actor. It only waits for the actor to take its arguments; no I/O is part of that.
    async fn mount(
        &mut self,
        (name, incarnation): (ServerName, Incarnation),
        spec: Arc<MountSpec>,
        epoch: Epoch,
        myself: &ActorRef<RegistryMessage>,
    ) {
        let cell = Arc::new(ServerCell::new(epoch));
        let in_flight = Arc::new(InFlight::new(spec.max_in_flight));
        let arguments = ServerArguments {
            name: name.clone(),
            incarnation,
            machine: ServerMachine::new(spec, epoch, self.random.fork()),
            cell: Arc::clone(&cell),
            registry: myself.clone(),
            surroundings: Arc::clone(&self.surroundings),
        };
        let started = Actor::spawn_linked(None, ServerActor, arguments, myself.get_cell()).await;
        let actor = match started {
            Ok((actor, _)) => Some(actor),
            Err(error) => {
                tracing::error!(server = %name, %error, "the actor of a server did not start");
                None
            }
        };
        match &actor {
            Some(actor) => {
                let handle = ServerHandle { actor: actor.clone(), cell: Arc::clone(&cell), in_flight };
                Arc::make_mut(&mut self.directory).servers.insert(name.clone(), handle);
            }
            // Comes back as a message, so that the machine sees it after the mount.
            None => {
                drop(myself.send_message(RegistryMessage::NotStarted { name: name.clone(), incarnation }));
            }
        }
        self.children.insert(name, Child { incarnation, cell, actor });
    }

    fn child(&self, who: ActorId) -> Option<(ServerName, Incarnation)> {
        let is_it = |child: &Child| child.actor.as_ref().is_some_and(|actor| actor.get_id() == who);
        let found = self.children.iter().find(|(_, child)| is_it(child));
        found.map(|(name, child)| (name.clone(), child.incarnation))
    }

    fn respec(&mut self, name: &ServerName, spec: Arc<MountSpec>) {
        let Some(handle) = self.directory.servers.get(name) else { return };
        handle.in_flight.resize(spec.max_in_flight);
        // An actor that has just ended takes the new spec when it begins anew.
        drop(handle.actor.send_message(ServerMessage::Event(ServerEvent::SpecChanged(spec))));
    }

    fn retire(&mut self, name: &ServerName, reason: StopReason, grace: Duration) {
        Arc::make_mut(&mut self.directory).servers.remove(name);
        let Some(child) = self.children.get(name) else { return };
        // From here on a request that fails on a lease fails because the server was unmounted.
        child.cell.note_stopped();
        if let Some(actor) = &child.actor {
            // An actor that has ended is being cleaned up after.
            drop(actor.send_message(ServerMessage::Event(ServerEvent::Stop { reason, grace })));
        }
    }

    fn clean_up(&mut self, name: ServerName, incarnation: Incarnation, myself: &ActorRef<RegistryMessage>) {
        let Some(child) = self.children.get(&name).filter(|child| child.incarnation == incarnation) else {
            return;
        };
        let (cell, registry) = (Arc::clone(&child.cell), myself.clone());
        let grace = self.surroundings.close_grace;
        self.tasks.spawn(async move {
            let tasks_aborted = cell.tasks.shutdown(TASK_PATIENCE).await;
            contained(cell.close(grace), || ()).await;
            let remains =
                Remains { newest_epoch: cell.newest_epoch(), forced: cell.was_forced(), tasks_aborted };
            drop(registry.send_message(RegistryMessage::Gone { name, incarnation, remains }));
        });
    }

    fn publish(&self, publication: Publication) {
        let Publication { snapshot, roster, diff } = publication;
        let directory = Arc::clone(&self.directory);
        self.surroundings.bus.publish(Published { snapshot, roster, directory }, diff);
    }

    /// Lets nobody in any more.
    fn close_directory(&mut self) {
        let directory = Arc::new(Directory { servers: HashMap::new(), closed: true });
        self.directory = Arc::clone(&directory);
        self.surroundings.bus.set_directory(directory);
    }
}
