//! The handle of the whole: what should be goes in, leases and the published state come out.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mcp_catalog::Roster;
use mcp_transport::Connector;
use mcp_types::{Epoch, Generation, Host, ServerName};
use ractor::{Actor, ActorRef};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::bus::{CallEvent, Event, EventBus, Published, RosterReader, Subscription};
use crate::registry::actor::{RegistryActor, RegistryArguments};
use crate::registry::effect::ShutdownReport;
use crate::registry::event::Desired;
use crate::registry::message::RegistryMessage;
use crate::server::actor::Surroundings;
use crate::server::event::{Ask, AskKind, WaiterId};
use crate::server::handle::ServerHandle;
use crate::server::lease::Lease;
use crate::server::refusal::Refusal;
use crate::snapshot::StatusSnapshot;

/// What a house takes from the world.
#[derive(Clone)]
pub struct HouseOptions {
    /// Opens sessions.
    pub connector: Arc<dyn Connector>,
    /// Answers the questions of servers.
    pub host: Arc<dyn Host>,
    /// How long a session gets to end by itself.
    pub close_grace: Duration,
}

impl fmt::Debug for HouseOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HouseOptions").field("close_grace", &self.close_grace).finish_non_exhaustive()
    }
}

/// Says why a house could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The actor that keeps the servers did not start.
    #[error("the actor that keeps the servers did not start")]
    Registry(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// How a lease is asked for.
#[derive(Debug, Clone, Copy)]
pub struct AcquireOptions {
    /// When the asker gives up; everything counts toward it: the place in flight, the start and the first listing.
    pub deadline: Instant,
    /// Wants a connection newer than this one, which was proven to be of no use.
    pub newer_than: Option<Epoch>,
    /// Connects even when an attempt failed a short time ago, or a sign-in was asked for.
    pub bypass_backoff: bool,
}

impl AcquireOptions {
    /// Asks for any live session up to a deadline.
    pub fn until(deadline: Instant) -> Self {
        Self { deadline, newer_than: None, bypass_backoff: false }
    }
}

/// The handle of one actor system. Cheap to clone. When the last clone is dropped, everything is ended without
/// waiting; [`HouseHandle::shutdown`] waits.
#[derive(Clone)]
pub struct HouseHandle {
    inner: Arc<Inner>,
}

struct Inner {
    registry: ActorRef<RegistryMessage>,
    bus: EventBus,
    published: watch::Receiver<Arc<Published>>,
    finished: watch::Receiver<Option<ShutdownReport>>,
    next_waiter: AtomicU64,
}

impl HouseHandle {
    /// Starts an empty house on the current tokio runtime.
    ///
    /// # Errors
    /// When the actor that keeps the servers does not start, which happens only while the runtime is ending.
    pub async fn start(options: HouseOptions) -> Result<Self, StartError> {
        Self::start_seeded(options, fastrand::Rng::new()).await
    }

    pub(crate) async fn start_seeded(
        options: HouseOptions,
        random: fastrand::Rng,
    ) -> Result<Self, StartError> {
        let HouseOptions { connector, host, close_grace } = options;
        let bus = EventBus::new();
        let published = bus.watch();
        let (finished, outcome) = watch::channel(None);
        let surroundings = Arc::new(Surroundings { connector, host, close_grace, bus: bus.clone() });
        let arguments = RegistryArguments { surroundings, finished, random };
        let (registry, _) = Actor::spawn(None, RegistryActor, arguments)
            .await
            .map_err(|error| StartError::Registry(Box::new(error)))?;
        let next_waiter = AtomicU64::new(1);
        Ok(Self { inner: Arc::new(Inner { registry, bus, published, finished: outcome, next_waiter }) })
    }

    /// Sets what should be mounted. Returns at once; see [`HouseHandle::applied`].
    pub fn apply(&self, desired: Desired) {
        // After a shutdown nothing is mounted any more.
        drop(self.inner.registry.send_message(RegistryMessage::Desired(desired)));
    }

    /// Waits until the published state carries this generation, or everything was shut down. What is gone from it
    /// may still be on its way out.
    pub async fn applied(&self, generation: Generation) {
        self.wait(|published| {
            published.snapshot.generation >= generation && published.snapshot.sequence.get() > 0
        })
        .await;
    }

    /// Waits until the published state holds what a server listed in this epoch or a later one, the server is gone,
    /// or everything was shut down.
    pub async fn published(&self, server: &ServerName, epoch: Epoch) {
        self.wait(|published| {
            published.snapshot.server(server.as_str()).is_none_or(|status| {
                status.epoch > epoch || status.listed_epoch.is_some_and(|listed| listed >= epoch)
            })
        })
        .await;
    }

    /// Waits until nothing of an unmounted server is left: its session is closed and its process has ended. Returns at
    /// once when the server is mounted or was never there.
    pub async fn gone(&self, server: &ServerName) {
        self.wait(|published| !published.snapshot.leaving.contains(server)).await;
    }

    async fn wait(&self, reached: impl Fn(&Published) -> bool) {
        let mut published = self.inner.published.clone();
        // The sending side lives as long as this handle.
        drop(published.wait_for(|published| published.snapshot.closed || reached(published)).await);
    }

    /// Leases a session of a server, connecting it first where that is allowed.
    ///
    /// # Errors
    /// Why no session could be had; not later than the deadline.
    pub async fn acquire(&self, server: &ServerName, options: AcquireOptions) -> Result<Lease, Refusal> {
        let AcquireOptions { deadline, newer_than, bypass_backoff } = options;
        let kind = if bypass_backoff { AskKind::Bypass } else { AskKind::Plain };
        self.ask(server, deadline, newer_than, kind).await
    }

    /// Closes the connection of a server and opens a new one, whatever failed before.
    ///
    /// # Errors
    /// As [`HouseHandle::acquire`].
    pub async fn refresh(&self, server: &ServerName, deadline: Instant) -> Result<(), Refusal> {
        self.ask(server, deadline, None, AskKind::Renew).await.map(drop)
    }

    async fn ask(
        &self,
        server: &ServerName,
        deadline: Instant,
        newer_than: Option<Epoch>,
        kind: AskKind,
    ) -> Result<Lease, Refusal> {
        let mut published = self.inner.published.clone();
        loop {
            let handle = find(&published.borrow_and_update(), server)?;
            if let Some(handle) = handle {
                let waiter = WaiterId(self.inner.next_waiter.fetch_add(1, Ordering::Relaxed));
                let ask = Ask { waiter, deadline: deadline.into_std(), newer_than, kind };
                if let Ok(answer) = handle.acquire(ask, deadline).await {
                    return answer;
                }
            }
            // Its actor is not there yet, or failed before it answered. The next one is announced.
            match tokio::time::timeout_at(deadline, published.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return Err(Refusal::ShuttingDown),
                Err(_) => return Err(Refusal::StillStarting),
            }
        }
    }

    /// Gives the tools as they stand.
    pub fn roster(&self) -> Arc<Roster> {
        Arc::clone(&self.inner.published.borrow().roster)
    }

    /// Gives a reader of the tools that does not keep the house alive.
    pub fn roster_reader(&self) -> RosterReader {
        RosterReader::new(self.inner.published.clone())
    }

    /// Gives the state of every server.
    pub fn snapshot(&self) -> Arc<StatusSnapshot> {
        Arc::clone(&self.inner.published.borrow().snapshot)
    }

    /// Follows the state and the events; does not keep the house alive.
    pub fn subscribe(&self) -> Subscription {
        self.inner.bus.subscribe()
    }

    /// Puts the beginning or the end of a call on the bus.
    pub fn publish_call(&self, event: CallEvent) {
        self.inner.bus.tell(|| Event::Call(event));
    }

    /// Ends everything: no lease is granted any more, those that are out get up to `grace` to come back, sessions are
    /// closed, and every task is waited for. Later calls give the same report.
    pub async fn shutdown(&self, grace: Duration) -> ShutdownReport {
        // A registry that has ended needs no second order.
        drop(self.inner.registry.send_message(RegistryMessage::Shutdown { grace }));
        let mut finished = self.inner.finished.clone();
        match finished.wait_for(Option::is_some).await {
            Ok(report) => report.clone().unwrap_or_default(),
            // It failed, and its children were ended with it.
            Err(_) => ShutdownReport::default(),
        }
    }

    #[cfg(test)]
    pub(crate) fn crash(&self, server: &ServerName) {
        use crate::server::actor::ServerMessage;
        let handle = find(&self.inner.published.borrow(), server).unwrap().unwrap();
        handle.actor.send_message(ServerMessage::Crash).unwrap();
    }
}

/// Gives where a server is asked; `None` when it is mounted but its predecessor is not gone yet.
fn find(published: &Published, server: &ServerName) -> Result<Option<ServerHandle>, Refusal> {
    if published.directory.closed {
        return Err(Refusal::ShuttingDown);
    }
    let handle = published.directory.servers.get(server).cloned();
    if handle.is_none() && published.snapshot.server(server.as_str()).is_none() {
        return Err(Refusal::Unknown);
    }
    Ok(handle)
}

impl Drop for Inner {
    fn drop(&mut self) {
        drop(self.registry.send_message(RegistryMessage::Shutdown { grace: Duration::ZERO }));
    }
}

impl fmt::Debug for HouseHandle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HouseHandle")
            .field("snapshot", &self.snapshot().sequence)
            .finish_non_exhaustive()
    }
}
