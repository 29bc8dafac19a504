//! What a session tells without being asked.

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::classify::Failure;

/// Something that happened on a session. Events of one session come in the order of the wire.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum SessionEvent {
    /// The server says that one of its lists changed.
    ListChanged(ListKind),
    /// The server says that a resource changed.
    ResourceUpdated {
        /// The resource.
        uri: String,
    },
    /// A log message of the server: the parameters of `notifications/message` as they were written.
    Log {
        /// The parameters.
        raw: Box<RawValue>,
    },
    /// Any other notification.
    Other {
        /// Its method.
        method: String,
        /// Its parameters as they were written.
        params: Option<Box<RawValue>>,
    },
    /// The server wrote lines that are no messages. Sent when the count doubles, so that a flood stays small.
    NoiseSkipped {
        /// All such lines so far.
        lines: u64,
    },
    /// The session is over. Comes exactly once, as the last event, also after a close that was asked for.
    Ended(Failure),
}

/// The lists of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ListKind {
    /// Tools.
    Tools,
    /// Resources and resource templates.
    Resources,
    /// Prompts.
    Prompts,
}

/// Where a session sends its events.
#[derive(Clone)]
pub struct EventSink(Arc<dyn Fn(SessionEvent) + Send + Sync>);

impl EventSink {
    /// Makes a sink from a function. It runs on the path of every message, so it must not block.
    pub fn new(sink: impl Fn(SessionEvent) + Send + Sync + 'static) -> Self {
        Self(Arc::new(sink))
    }

    /// Makes a sink that forgets everything.
    pub fn ignore() -> Self {
        Self::new(|_| {})
    }

    /// Hands an event to the sink.
    pub fn send(&self, event: SessionEvent) {
        (self.0)(event);
    }
}

impl fmt::Debug for EventSink {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EventSink")
    }
}
