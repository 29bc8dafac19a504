//! One request from its sending to its reply, its bound or the end of the session.

use std::time::Duration;

use mcp_types::RawObject;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientNotification, ClientRequest, ErrorData,
    RequestId,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use std::sync::Arc;
use tokio::time::{Instant, sleep_until, timeout};

use crate::classify::{Failure, FailureClass};
use crate::clock::{Bound, CallClock};
use crate::convert::{folded_request, result_text};
use crate::hub::{CallSlot, CallTicket};
use crate::session::{ProgressFn, Session};

/// How long a cancellation may take to be said.
const CANCEL_BOUND: Duration = Duration::from_secs(5);

/// The bounds of one request, all given.
pub(crate) struct Bounds {
    pub(crate) idle: Duration,
    pub(crate) total: Duration,
    pub(crate) progress: Option<ProgressFn>,
}

impl Session {
    /// Sends a request and waits for its reply: the text of the result as the server wrote it.
    pub(crate) async fn request(
        &self,
        method: &str,
        params: &RawObject,
        bounds: Bounds,
    ) -> Result<String, Failure> {
        let inner = &*self.0;
        if self.is_closed() {
            return Err(inner.hub.finished().await);
        }
        let mut clock = CallClock::new(bounds.idle, bounds.total, Instant::now());
        let mut questions = inner.hub.questions();
        let slot = Arc::new(CallSlot::new(bounds.progress));
        let mut request = folded_request(method, params);
        request.extensions.insert(CallTicket(Arc::clone(&slot)));

        let sending = inner.peer.send_request_with_option(
            ClientRequest::CustomRequest(request),
            PeerRequestOptions::no_options(),
        );
        let sent = tokio::select! {
            biased;
            sent = sending => sent,
            failure = inner.hub.finished() => return Err(failure),
            () = at(clock.deadline()) => return Err(self.too_late(&clock)),
        };
        let handle = match sent {
            Ok(handle) => handle,
            Err(error) => return Err(self.failure_of(error, &slot).await),
        };
        let mut reply = handle.rx;
        let mut cancel = CancelOnDrop { session: self, id: Some(handle.id), reason: "the caller has left" };

        clock.set_standing(*questions.borrow_and_update() > 0, Instant::now());
        let outcome = loop {
            tokio::select! {
                biased;
                reply = &mut reply => break Ok(reply),
                failure = inner.hub.finished() => break Err(failure),
                () = slot.activity.notified() => clock.heard(Instant::now()),
                Ok(()) = questions.changed() => {
                    clock.set_standing(*questions.borrow_and_update() > 0, Instant::now());
                }
                () = at(clock.deadline()) => {
                    cancel.reason = "no answer in time";
                    return Err(self.too_late(&clock));
                }
            }
        };
        cancel.disarm();
        match outcome {
            Ok(Ok(Ok(result))) => Ok(result_text(result)),
            Ok(Ok(Err(error))) => Err(self.failure_of(error, &slot).await),
            Ok(Err(_)) => Err(self.failure_of(ServiceError::TransportClosed, &slot).await),
            Err(failure) => Err(failure),
        }
    }

    fn too_late(&self, clock: &CallClock) -> Failure {
        let server = &self.0.spec.server;
        let message = match clock.bound() {
            Bound::Silence(span) => format!("server `{server}` gave no answer within {}", seconds(span)),
            Bound::Total(span) => format!("server `{server}` did not finish within {}", seconds(span)),
        };
        Failure::new(FailureClass::Timeout, message)
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the enum is rmcp's and grows; the rest is never sent to us"
    )]
    async fn failure_of(&self, error: ServiceError, slot: &CallSlot) -> Failure {
        if let Some(failure) = slot.take_failure() {
            return failure;
        }
        let server = &self.0.spec.server;
        match error {
            ServiceError::McpError(error) => refusal(server.as_str(), &error),
            ServiceError::TransportSend(error) => {
                let known = (self.0.classify)(&*error.error);
                known.unwrap_or_else(|| {
                    let message =
                        format!("the request could not be sent to server `{server}`: {}", error.error);
                    Failure::new(FailureClass::Closed, message)
                })
            }
            ServiceError::TransportClosed if self.0.peer.is_transport_closed() || self.is_closed() => {
                let known = timeout(CANCEL_BOUND, self.0.hub.finished()).await;
                known.unwrap_or_else(|_| Failure::lost())
            }
            // The session lives on, only the stream of this request ended.
            ServiceError::TransportClosed => Failure::new(
                FailureClass::Closed,
                format!("server `{server}` ended the connection before it answered"),
            ),
            ServiceError::Cancelled { reason } => Failure::new(
                FailureClass::Cancelled,
                reason.unwrap_or_else(|| format!("the request to server `{server}` was cancelled")),
            ),
            error => Failure::new(FailureClass::Protocol, format!("server `{server}`: {error}")),
        }
    }
}

/// Reads a JSON-RPC error.
pub(crate) fn refusal(server: &str, error: &ErrorData) -> Failure {
    let class = FailureClass::Refused {
        code: i64::from(error.code.0),
        data: error.data.as_ref().map(ToString::to_string),
    };
    Failure::new(
        class,
        format!("server `{server}` answered with error {}: {}", error.code.0, error.message.trim()),
    )
}

/// Waits for an instant; for ever when there is none.
async fn at(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

fn seconds(span: Duration) -> String {
    if span.subsec_millis() == 0 {
        return format!("{} s", span.as_secs());
    }
    format!("{} ms", span.as_millis())
}

/// Tells the server that nobody waits any more, should the caller leave before the reply.
struct CancelOnDrop<'a> {
    session: &'a Session,
    id: Option<RequestId>,
    reason: &'static str,
}

impl CancelOnDrop<'_> {
    fn disarm(&mut self) {
        self.id = None;
    }
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let inner = &self.session.0;
        inner.hub.finish(&inner.hub.outward(&id));
        if self.session.is_closed() {
            return;
        }
        let peer = inner.peer.clone();
        let params = CancelledNotificationParam::new(Some(id), Some(self.reason.to_owned()));
        let notification = ClientNotification::CancelledNotification(CancelledNotification::new(params));
        inner.tasks.spawn_on(
            async move {
                let said = timeout(CANCEL_BOUND, peer.send_notification(notification)).await;
                if !matches!(said, Ok(Ok(()))) {
                    tracing::debug!("a cancellation could not be said");
                }
            },
            &inner.runtime,
        );
    }
}
