//! What a server's actor shares with its supervisor and its leases: the session itself and a few facts. It outlives a
//! panic of the actor, so that whoever cleans up finds everything.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_transport::Session;
use mcp_types::Epoch;

use crate::tasks::TaskScope;

/// How much longer than its grace the end of a session may take before it is no longer waited for.
const CLOSE_MARGIN: Duration = Duration::from_secs(30);

/// The shared part of one incarnation of a server.
#[derive(Debug)]
pub(crate) struct ServerCell {
    /// The one session that is open or closing.
    session: Mutex<Option<(Epoch, Session)>>,
    newest_epoch: AtomicU64,
    /// Something did not end by itself.
    forced: AtomicBool,
    /// The server was unmounted or everything is shut down.
    stopped: AtomicBool,
    pub(crate) tasks: TaskScope,
}

impl ServerCell {
    pub(crate) fn new(epoch: Epoch) -> Self {
        Self {
            session: Mutex::new(None),
            newest_epoch: AtomicU64::new(epoch.get()),
            forced: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            tasks: TaskScope::default(),
        }
    }

    pub(crate) fn put(&self, epoch: Epoch, session: Session) {
        *self.lock() = Some((epoch, session));
    }

    pub(crate) fn session(&self, epoch: Epoch) -> Option<Session> {
        self.lock().as_ref().filter(|(current, _)| *current == epoch).map(|(_, session)| session.clone())
    }

    pub(crate) fn note_epoch(&self, epoch: Epoch) {
        self.newest_epoch.fetch_max(epoch.get(), Ordering::Relaxed);
    }

    pub(crate) fn newest_epoch(&self) -> Epoch {
        Epoch::new(self.newest_epoch.load(Ordering::Relaxed))
    }

    pub(crate) fn note_forced(&self) {
        self.forced.store(true, Ordering::Relaxed);
    }

    pub(crate) fn was_forced(&self) -> bool {
        self.forced.load(Ordering::Relaxed)
    }

    pub(crate) fn note_stopped(&self) {
        self.stopped.store(true, Ordering::Release);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Takes down the session that is there, whichever it is, and forgets it.
    pub(crate) async fn close(&self, grace: Duration) {
        let Some((epoch, session)) = self.lock().clone() else { return };
        match tokio::time::timeout(grace.saturating_add(CLOSE_MARGIN), session.close(grace)).await {
            Ok(report) if !report.forced => {}
            Ok(_) | Err(_) => self.note_forced(),
        }
        let mut current = self.lock();
        if current.as_ref().is_some_and(|(open, _)| *open == epoch) {
            *current = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Epoch, Session)>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
