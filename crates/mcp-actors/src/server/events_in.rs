//! From the events of a session to the mailbox of its actor. Notices of changed lists are joined at the source, so
//! that a storm of them cannot starve the mailbox; what the machine does not decide on goes straight to the bus.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_transport::{EventSink, ListKind, SessionEvent};
use mcp_types::{Epoch, ServerName};
use ractor::ActorRef;

use super::actor::ServerMessage;
use super::event::ServerEvent;
use crate::bus::{Event, EventBus};

/// Which notices are in the mailbox already.
#[derive(Debug, Default)]
pub(crate) struct PendingNotices {
    tools: AtomicBool,
    resources: AtomicBool,
    prompts: AtomicBool,
}

impl PendingNotices {
    fn flag(&self, kind: ListKind) -> &AtomicBool {
        match kind {
            ListKind::Tools => &self.tools,
            ListKind::Resources => &self.resources,
            ListKind::Prompts => &self.prompts,
        }
    }

    /// Notes a notice. True when none of its kind was pending.
    fn raise(&self, kind: ListKind) -> bool {
        !self.flag(kind).swap(true, Ordering::AcqRel)
    }

    /// Takes the notice out, before it is acted on: one that comes now counts anew.
    pub(crate) fn lower(&self, kind: ListKind) {
        self.flag(kind).store(false, Ordering::Release);
    }
}

/// Makes the sink of one session.
pub(crate) fn sink(
    server: ServerName,
    epoch: Epoch,
    pending: Arc<PendingNotices>,
    actor: ActorRef<ServerMessage>,
    bus: EventBus,
) -> EventSink {
    // An actor that has ended needs no events.
    let tell = move |event| drop(actor.send_message(ServerMessage::Event(event)));
    EventSink::new(move |event| match event {
        SessionEvent::ListChanged(kind) => {
            if pending.raise(kind) {
                tell(ServerEvent::ListChanged { epoch, kind });
            }
        }
        SessionEvent::Ended(failure) => tell(ServerEvent::SessionEnded { epoch, failure }),
        SessionEvent::NoiseSkipped { lines } => tell(ServerEvent::Noise { epoch, lines }),
        SessionEvent::ResourceUpdated { uri } => {
            bus.tell(|| Event::ResourceUpdated { server: server.clone(), uri: uri.into() });
        }
        SessionEvent::Log { raw } => {
            bus.tell(|| Event::Log { server: server.clone(), params: raw.into() });
        }
        SessionEvent::Other { method, params } => {
            bus.tell(|| Event::Notification {
                server: server.clone(),
                method: method.into(),
                params: params.map(Arc::from),
            });
        }
        other => tracing::debug!(%server, %epoch, ?other, "an unknown session event"),
    })
}
