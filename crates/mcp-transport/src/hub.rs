//! What the two halves of a session share: the message path on one side, the callers on the other.
//!
//! The message path ([`crate::tap`]) registers a request the moment it is handed to the wire, so no reply and no
//! progress can come before its owner is known. Callers wait on [`Hub::finished`] beside their reply, so none of them
//! outlives the session.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_types::{Epoch, ServerName};
use rmcp::model::RequestId;
use serde_json::value::RawValue;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use crate::classify::{Failure, FailureClass};
use crate::convert::numeric_id;
use crate::event::{EventSink, SessionEvent};
use crate::session::{CloseReport, Progress, ProgressFn};

/// How long a caller waits to learn why a lost session was lost.
const WAIT_FOR_REASON: Duration = Duration::from_secs(6);
/// Requests whose ids do not meet those of other connections. Some servers read ids as 32-bit numbers.
const IDS_PER_EPOCH: i64 = 1_000_000;
const EPOCHS_BEFORE_REUSE: u64 = 2_000;
/// Questions of one server that may be open at a time.
const MAX_QUESTIONS: usize = 16;

/// One request that waits for its reply.
pub(crate) struct CallSlot {
    progress: Option<ProgressFn>,
    /// Told on each progress; the caller's idle clock starts anew.
    pub(crate) activity: Notify,
    failure: Mutex<Option<Failure>>,
}

impl CallSlot {
    pub(crate) fn new(progress: Option<ProgressFn>) -> Self {
        Self { progress, activity: Notify::new(), failure: Mutex::new(None) }
    }

    /// Takes the failure that stands behind a made-up error reply.
    pub(crate) fn take_failure(&self) -> Option<Failure> {
        lock(&self.failure).take()
    }
}

/// Carries a slot with its request through rmcp to the message path.
#[derive(Clone)]
pub(crate) struct CallTicket(pub(crate) Arc<CallSlot>);

/// How a session ended.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) failure: Failure,
    pub(crate) report: CloseReport,
}

#[derive(Default)]
struct Pending {
    calls: HashMap<i64, Arc<CallSlot>>,
    tokens: HashMap<i64, i64>,
    owners: HashMap<i64, i64>,
}

/// The shared state of one session.
pub(crate) struct Hub {
    pub(crate) server: ServerName,
    events: EventSink,
    first_id: i64,
    pending: Mutex<Pending>,
    handshake: Mutex<Option<Box<RawValue>>>,
    dropped_replies: AtomicU64,
    noise_lines: AtomicU64,
    questions: watch::Sender<usize>,
    /// Somebody asked for the end.
    pub(crate) closing: CancellationToken,
    /// The server sends nothing more.
    pub(crate) over: CancellationToken,
    ended: watch::Sender<Option<Arc<End>>>,
}

impl Hub {
    pub(crate) fn new(server: ServerName, epoch: Epoch, events: EventSink) -> Arc<Self> {
        let block = i64::try_from(epoch.get() % EPOCHS_BEFORE_REUSE).unwrap_or(0);
        Arc::new(Self {
            server,
            events,
            first_id: block * IDS_PER_EPOCH,
            pending: Mutex::default(),
            handshake: Mutex::default(),
            dropped_replies: AtomicU64::new(0),
            noise_lines: AtomicU64::new(0),
            questions: watch::Sender::new(0),
            closing: CancellationToken::new(),
            over: CancellationToken::new(),
            ended: watch::Sender::new(None),
        })
    }

    pub(crate) fn send(&self, event: SessionEvent) {
        self.events.send(event);
    }

    /// Gives the id that a request of rmcp has on the wire.
    pub(crate) fn outward(&self, id: &RequestId) -> RequestId {
        match id {
            RequestId::Number(number) => RequestId::Number(number.saturating_add(self.first_id)),
            RequestId::String(_) => id.clone(),
        }
    }

    /// Gives rmcp's id back for an id from the wire.
    pub(crate) fn inward(&self, id: &RequestId) -> RequestId {
        numeric_id(id)
            .map_or_else(|| id.clone(), |number| RequestId::Number(number.saturating_sub(self.first_id)))
    }

    /// Remembers a request that goes out now. Ids here are those of the wire.
    pub(crate) fn register(&self, id: &RequestId, token: Option<i64>, slot: Arc<CallSlot>) {
        let Some(id) = numeric_id(id) else { return };
        let mut pending = lock(&self.pending);
        pending.calls.insert(id, slot);
        if let Some(token) = token {
            pending.tokens.insert(token, id);
            pending.owners.insert(id, token);
        }
    }

    /// Forgets a request; what still comes for it is dropped. Gives its slot when it was waiting.
    pub(crate) fn finish(&self, id: &RequestId) -> Option<Arc<CallSlot>> {
        let id = numeric_id(id)?;
        let mut pending = lock(&self.pending);
        if let Some(token) = pending.owners.remove(&id) {
            pending.tokens.remove(&token);
        }
        pending.calls.remove(&id)
    }

    /// Says that a request failed in a way that no reply of the protocol expresses. False when nobody waits for it.
    pub(crate) fn fail(&self, id: &RequestId, failure: Failure) -> bool {
        let slot = numeric_id(id).and_then(|id| lock(&self.pending).calls.get(&id).cloned());
        let Some(slot) = slot else { return false };
        *lock(&slot.failure) = Some(failure);
        true
    }

    /// Hands progress to the call that owns the token.
    pub(crate) fn progress(&self, token: i64, progress: Progress) {
        let slot = {
            let pending = lock(&self.pending);
            pending.tokens.get(&token).and_then(|id| pending.calls.get(id)).cloned()
        };
        let Some(slot) = slot else { return };
        slot.activity.notify_one();
        if let Some(sink) = &slot.progress {
            sink(progress);
        }
    }

    pub(crate) fn count_dropped_reply(&self) {
        self.dropped_replies.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn dropped_replies(&self) -> u64 {
        self.dropped_replies.load(Ordering::Relaxed)
    }

    /// Counts a line that is no message.
    pub(crate) fn count_noise(&self) {
        let lines = self.noise_lines.fetch_add(1, Ordering::Relaxed) + 1;
        if lines.is_power_of_two() {
            self.send(SessionEvent::NoiseSkipped { lines });
        }
    }

    pub(crate) fn noise_lines(&self) -> u64 {
        self.noise_lines.load(Ordering::Relaxed)
    }

    pub(crate) fn pending_calls(&self) -> usize {
        lock(&self.pending).calls.len()
    }

    pub(crate) fn keep_handshake(&self, result: Box<RawValue>) {
        *lock(&self.handshake) = Some(result);
    }

    pub(crate) fn take_handshake(&self) -> Option<Box<RawValue>> {
        lock(&self.handshake).take()
    }

    /// Opens a question of the server; `None` when too many are open. Clocks of calls stand still until it is dropped.
    pub(crate) fn open_question(self: &Arc<Self>) -> Option<OpenQuestion> {
        let opened = self.questions.send_if_modified(|open| {
            let admitted = *open < MAX_QUESTIONS;
            if admitted {
                *open += 1;
            }
            admitted
        });
        opened.then(|| OpenQuestion(Arc::clone(self)))
    }

    /// Watches the number of open questions.
    pub(crate) fn questions(&self) -> watch::Receiver<usize> {
        self.questions.subscribe()
    }

    /// Records the end, once, and tells it.
    pub(crate) fn end(&self, failure: Failure, report: CloseReport) {
        self.over.cancel();
        let end = Arc::new(End { failure: failure.clone(), report });
        let first = self.ended.send_if_modified(|slot| {
            let first = slot.is_none();
            if first {
                *slot = Some(end);
            }
            first
        });
        if first {
            self.send(SessionEvent::Ended(failure));
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.closing.is_cancelled() || self.over.is_cancelled()
    }

    /// Waits until the session can answer no more, and says why.
    pub(crate) async fn finished(&self) -> Failure {
        tokio::select! {
            biased;
            () = self.closing.cancelled() => Failure::closed(),
            () = self.over.cancelled() => {
                let end = tokio::time::timeout(WAIT_FOR_REASON, self.ended()).await;
                end.map_or_else(|_| Failure::lost(), |end| end.failure.clone())
            }
        }
    }

    /// Waits for the end.
    pub(crate) async fn ended(&self) -> Arc<End> {
        let mut receiver = self.ended.subscribe();
        let end = receiver.wait_for(Option::is_some).await.ok().and_then(|end| end.clone());
        // The sender lives as long as this hub, so the wait cannot fail.
        end.unwrap_or_else(|| Arc::new(End { failure: Failure::lost(), report: CloseReport::default() }))
    }

    /// The failure of a message beyond the limit.
    pub(crate) fn too_large(&self, bytes: usize, limit: usize) -> Failure {
        Failure::new(
            FailureClass::TooLarge { limit },
            format!(
                "server `{}` sent a message of {bytes} bytes, more than the limit of {limit}",
                self.server
            ),
        )
    }
}

/// A question of the server that the host is answering.
pub(crate) struct OpenQuestion(Arc<Hub>);

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.0.questions.send_modify(|open| *open = open.saturating_sub(1));
    }
}

/// Takes a lock; a panic of another holder leaves plain data behind, which stays usable.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
