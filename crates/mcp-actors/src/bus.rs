//! The bus: what is, as a `watch`; what happens, as a bounded broadcast. Events may be lost by a slow reader, the
//! state cannot: such a reader gets the present state instead.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_catalog::{Roster, RosterDiff};
use mcp_types::{CallId, ErrorCode, Origin, ServerName, SessionId, ToolRef, Version};
use serde_json::value::RawValue;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

use crate::registry::directory::Directory;
use crate::snapshot::StatusSnapshot;

/// Events a reader may be behind before it gets the present state instead.
const BACKLOG: usize = 256;

/// Something that a subscriber hears of.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// The state of the servers. Comes first, and after every change.
    Snapshot(Arc<StatusSnapshot>),
    /// The tools changed.
    Roster(Arc<RosterDiff>),
    /// A call began or ended.
    Call(CallEvent),
    /// A server logged something.
    Log {
        /// The server.
        server: ServerName,
        /// The parameters of its `notifications/message`, as they were written.
        params: Arc<RawValue>,
    },
    /// A server says that a resource changed.
    ResourceUpdated {
        /// The server.
        server: ServerName,
        /// The resource.
        uri: Arc<str>,
    },
    /// A server sent another notification.
    Notification {
        /// The server.
        server: ServerName,
        /// Its method.
        method: Arc<str>,
        /// Its parameters as they were written.
        params: Option<Arc<RawValue>>,
    },
}

/// The beginning or the end of a call. Every call has exactly one of each.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CallEvent {
    /// A call came in.
    Started {
        /// The call.
        call: CallId,
        /// On whose behalf it runs.
        session: SessionId,
        /// The face it came through.
        origin: Origin,
        /// The tool as the caller wrote it.
        tool: String,
    },
    /// A call ended.
    Finished {
        /// The call.
        call: CallId,
        /// The tool it went to; `None` when it never found one.
        tool: Option<ToolRef>,
        /// How it ended.
        end: CallEnd,
        /// From its start to its end.
        duration: Duration,
    },
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEnd {
    /// The tool answered.
    Done,
    /// The tool ran and reports a failure of its own.
    ToolError,
    /// No answer could be brought; a cancelled call is one of these.
    Failed(ErrorCode),
}

/// What is, in one piece, so that its parts always fit together.
#[derive(Debug, Default)]
pub(crate) struct Published {
    pub(crate) snapshot: Arc<StatusSnapshot>,
    pub(crate) roster: Arc<Roster>,
    pub(crate) directory: Arc<Directory>,
}

#[derive(Debug, Clone)]
enum BusItem {
    Published { published: Arc<Published>, diff: Option<Arc<RosterDiff>> },
    Event(Event),
    End,
}

/// The sending side. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct EventBus {
    published: watch::Sender<Arc<Published>>,
    events: broadcast::Sender<BusItem>,
}

impl EventBus {
    pub(crate) fn new() -> Self {
        Self { published: watch::Sender::default(), events: broadcast::Sender::new(BACKLOG) }
    }

    pub(crate) fn publish(&self, published: Published, diff: Option<Arc<RosterDiff>>) {
        let published = Arc::new(published);
        let is_last = published.snapshot.closed;
        self.published.send_replace(Arc::clone(&published));
        self.send(|| BusItem::Published { published, diff });
        if is_last {
            self.send(|| BusItem::End);
        }
    }

    /// Replaces where requests find their servers; nothing that is shown changes.
    pub(crate) fn set_directory(&self, directory: Arc<Directory>) {
        self.published.send_modify(|published| {
            let (snapshot, roster) = (Arc::clone(&published.snapshot), Arc::clone(&published.roster));
            *published = Arc::new(Published { snapshot, roster, directory });
        });
    }

    /// Sends an event. It is not even made when nobody listens.
    pub(crate) fn tell(&self, event: impl FnOnce() -> Event) {
        self.send(|| BusItem::Event(event()));
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Arc<Published>> {
        self.published.subscribe()
    }

    pub(crate) fn subscribe(&self) -> Subscription {
        // The events are joined before the state is read, so that no change falls between.
        let events = self.events.subscribe();
        let published = self.published.subscribe();
        let first = published.borrow().clone();
        Subscription {
            events,
            published,
            seen: first.snapshot.sequence,
            roster: Arc::clone(&first.roster),
            is_over: first.snapshot.closed,
            ready: VecDeque::from([Event::Snapshot(Arc::clone(&first.snapshot))]),
        }
    }

    fn send(&self, item: impl FnOnce() -> BusItem) {
        if self.events.receiver_count() > 0 {
            // An error only says that the last reader has just left.
            drop(self.events.send(item()));
        }
    }
}

/// Follows what is and what happens: first the present state, then every event in rising version order. A reader
/// that is too slow loses events but never the state: it gets the newest snapshot, and one diff that spans the gap.
pub struct Subscription {
    events: broadcast::Receiver<BusItem>,
    published: watch::Receiver<Arc<Published>>,
    seen: Version,
    roster: Arc<Roster>,
    is_over: bool,
    ready: VecDeque<Event>,
}

impl Subscription {
    /// Waits for the next event; `None` when everything was shut down. Nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.is_over {
                return None;
            }
            match self.events.recv().await {
                Ok(BusItem::Published { published, diff }) => self.follow(&published, diff),
                Ok(BusItem::Event(event)) => return Some(event),
                Ok(BusItem::End) | Err(RecvError::Closed) => self.is_over = true,
                Err(RecvError::Lagged(_)) => self.catch_up(),
            }
        }
    }

    fn follow(&mut self, published: &Published, diff: Option<Arc<RosterDiff>>) {
        if published.snapshot.sequence <= self.seen {
            return;
        }
        self.seen = published.snapshot.sequence;
        self.roster = Arc::clone(&published.roster);
        self.ready.push_back(Event::Snapshot(Arc::clone(&published.snapshot)));
        self.ready.extend(diff.map(Event::Roster));
    }

    fn catch_up(&mut self) {
        let newest = Arc::clone(&self.published.borrow());
        self.is_over = newest.snapshot.closed;
        let is_other_roster = newest.roster.version() != self.roster.version();
        let diff = is_other_roster.then(|| Arc::new(mcp_catalog::diff(&self.roster, &newest.roster)));
        self.follow(&newest, diff);
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Subscription").field("seen", &self.seen).finish_non_exhaustive()
    }
}

/// Reads and follows the roster alone, without keeping the actors alive. Unlike a [`Subscription`] it hears nothing of
/// calls, so that it costs them nothing.
#[derive(Clone)]
pub struct RosterReader {
    published: watch::Receiver<Arc<Published>>,
    seen: Arc<Roster>,
}

impl RosterReader {
    pub(crate) fn new(published: watch::Receiver<Arc<Published>>) -> Self {
        let seen = Arc::clone(&published.borrow().roster);
        Self { published, seen }
    }

    /// Gives the newest roster.
    pub fn current(&self) -> Arc<Roster> {
        Arc::clone(&self.published.borrow().roster)
    }

    /// Waits for another roster than the one that stood when this reader was made or last gave one. `None` once
    /// everything was shut down.
    pub async fn changed(&mut self) -> Option<Arc<Roster>> {
        loop {
            {
                let published = self.published.borrow_and_update();
                if published.snapshot.closed {
                    return None;
                }
                if !Arc::ptr_eq(&published.roster, &self.seen) {
                    self.seen = Arc::clone(&published.roster);
                    return Some(Arc::clone(&self.seen));
                }
            }
            self.published.changed().await.ok()?;
        }
    }
}

impl fmt::Debug for RosterReader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RosterReader").finish_non_exhaustive()
    }
}
