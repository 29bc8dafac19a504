//! The ordered message path: every message passes here, one after the other, before rmcp sees it.
//!
//! rmcp runs each notification in a task of its own, so neither their order nor "progress before its reply" would
//! hold. Therefore notifications end here: progress goes to the call that owns the token, the rest to the event sink,
//! each before the next message is read. rmcp gets only what it must have: replies, questions, cancellations. Replies
//! that nobody waits for (late, doubled, unknown ids) end here too, and are counted.

use std::future::Future;
use std::sync::Arc;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, CustomRequest, GetMeta, InitializeRequest,
    JsonRpcMessage, JsonRpcRequest, NumberOrString, ProgressNotificationParam, RequestId,
    ServerJsonRpcMessage, ServerNotification, ServerRequest,
};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;
use serde_json::value::RawValue;

use crate::convert::{same_id, unfold};
use crate::event::{ListKind, SessionEvent};
use crate::hub::{CallTicket, Hub};
use crate::revision;
use crate::session::Progress;

/// The id of a second `initialize`. A text, so that it meets no other id.
const SECOND_HANDSHAKE: &str = "initialize-again";

/// Puts order on any transport.
pub(crate) struct OrderedTransport<T> {
    inner: T,
    hub: Arc<Hub>,
    handshake: Option<Handshake>,
}

/// The handshake that still waits for its answer.
struct Handshake {
    id: RequestId,
    request: InitializeRequest,
    repeated: bool,
}

impl<T: Transport<RoleClient>> OrderedTransport<T> {
    pub(crate) fn new(inner: T, hub: Arc<Hub>) -> Self {
        Self { inner, hub, handshake: None }
    }

    fn outgoing(&mut self, message: &mut ClientJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => {
                request.id = self.hub.outward(&request.id);
                self.note_request(request);
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &mut notification.notification
                    && let Some(id) = &mut cancelled.params.request_id
                {
                    *id = self.hub.outward(id);
                    self.hub.finish(id);
                }
            }
            // Answers carry the ids of the server.
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    fn note_request(&mut self, request: &JsonRpcRequest<ClientRequest>) {
        if let ClientRequest::InitializeRequest(initialize) = &request.request {
            self.handshake =
                Some(Handshake { id: request.id.clone(), request: initialize.clone(), repeated: false });
            return;
        }
        let ClientRequest::CustomRequest(custom) = &request.request else { return };
        let Some(CallTicket(slot)) = custom.extensions.get::<CallTicket>() else { return };
        let token = custom.get_meta().get_progress_token().and_then(|token| token_number(&token.0));
        self.hub.register(&request.id, token, Arc::clone(slot));
    }

    /// Decides what rmcp gets of a message.
    async fn incoming(&mut self, message: ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
        match message {
            JsonRpcMessage::Response(mut response) => {
                response.id = self.claim(&response.id)?;
                Some(JsonRpcMessage::Response(response))
            }
            JsonRpcMessage::Error(mut error) => {
                let Some(id) = error.id.take() else {
                    // Without an id it can only answer a handshake; later it belongs to nobody.
                    if self.handshake.is_some() {
                        return Some(JsonRpcMessage::Error(error));
                    }
                    tracing::debug!(server = %self.hub.server, error = %error.error.message, "error without an id");
                    self.hub.count_dropped_reply();
                    return None;
                };
                if self.repeat_handshake(&id, &error.error).await {
                    return None;
                }
                error.id = Some(self.claim(&id)?);
                Some(JsonRpcMessage::Error(error))
            }
            JsonRpcMessage::Notification(notification) => self.notify(notification.notification),
            JsonRpcMessage::Request(mut request) => {
                if !matches!(request.request, ServerRequest::PingRequest(_) | ServerRequest::CustomRequest(_))
                {
                    request.request = ServerRequest::CustomRequest(as_custom(&request.request)?);
                }
                Some(JsonRpcMessage::Request(request))
            }
        }
    }

    /// Gives rmcp's id for the reply to a request that waits; `None` drops the reply.
    fn claim(&mut self, id: &RequestId) -> Option<RequestId> {
        if let Some(handshake) = self.handshake.take_if(|handshake| handshake.is_answered_by(id)) {
            return Some(self.hub.inward(&handshake.id));
        }
        if self.hub.finish(id).is_some() {
            return Some(self.hub.inward(id));
        }
        tracing::debug!(server = %self.hub.server, %id, "reply that nobody waits for");
        self.hub.count_dropped_reply();
        None
    }

    /// Some servers refuse an unknown revision instead of offering another: then the best of theirs is tried, once.
    async fn repeat_handshake(&mut self, id: &RequestId, error: &rmcp::model::ErrorData) -> bool {
        let Some(handshake) = &mut self.handshake else { return false };
        if handshake.repeated || !same_id(&handshake.id, id) {
            return false;
        }
        let Some(best) = revision::best_offered(error) else { return false };
        let mut request = handshake.request.clone();
        request.params.protocol_version = best;
        handshake.repeated = true;
        let message =
            JsonRpcMessage::request(ClientRequest::InitializeRequest(request), second_handshake_id());
        self.inner.send(message).await.is_ok()
    }

    /// Hands a notification to its owner. Only a cancellation goes on to rmcp.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the enum is rmcp's; every other variant is read through its JSON"
    )]
    fn notify(&self, notification: ServerNotification) -> Option<ServerJsonRpcMessage> {
        if let ServerNotification::CancelledNotification(_) = notification {
            return Some(JsonRpcMessage::notification(notification));
        }
        if let ServerNotification::ProgressNotification(progress) = notification {
            self.progress(progress.params);
            return None;
        }
        let (method, params) = match notification {
            ServerNotification::CustomNotification(custom) => unfold(&custom.method, custom.params.as_ref()),
            typed => {
                let custom = as_custom(&typed)?;
                unfold(&custom.method, custom.params.as_ref())
            }
        };
        self.tell(method, params);
        None
    }

    fn progress(&self, params: ProgressNotificationParam) {
        let Some(token) = token_number(&params.progress_token.0) else { return };
        self.hub.progress(
            token,
            Progress { progress: params.progress, total: params.total, message: params.message },
        );
    }

    fn tell(&self, method: String, params: Option<Box<RawValue>>) {
        let event = match method.as_str() {
            "notifications/tools/list_changed" => SessionEvent::ListChanged(ListKind::Tools),
            "notifications/resources/list_changed" => SessionEvent::ListChanged(ListKind::Resources),
            "notifications/prompts/list_changed" => SessionEvent::ListChanged(ListKind::Prompts),
            "notifications/resources/updated" => match params.as_deref().and_then(updated_uri) {
                Some(uri) => SessionEvent::ResourceUpdated { uri },
                None => return,
            },
            "notifications/message" => match params {
                Some(raw) => SessionEvent::Log { raw },
                None => return,
            },
            _ => SessionEvent::Other { method, params },
        };
        self.hub.send(event);
    }
}

impl Handshake {
    fn is_answered_by(&self, id: &RequestId) -> bool {
        if self.repeated { *id == second_handshake_id() } else { same_id(&self.id, id) }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for OrderedTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        mut item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.outgoing(&mut item);
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let Some(message) = self.inner.receive().await else {
                self.hub.over.cancel();
                return None;
            };
            // During the handshake alone this waits for a send; afterwards it never waits, so nothing is lost when
            // rmcp drops this future.
            if let Some(message) = self.incoming(message).await {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// The id under which a repeated handshake is sent.
fn second_handshake_id() -> RequestId {
    RequestId::String(SECOND_HANDSHAKE.into())
}

fn token_number(token: &NumberOrString) -> Option<i64> {
    crate::convert::numeric_id(token)
}

fn updated_uri(params: &RawValue) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Updated {
        uri: String,
    }
    serde_json::from_str::<Updated>(params.get()).ok().map(|updated| updated.uri)
}

/// Turns a message that came typed into the plain form, through its JSON.
fn as_custom<M: serde::Serialize>(message: &M) -> Option<CustomRequest> {
    let serde_json::Value::Object(mut object) = serde_json::to_value(message).ok()? else { return None };
    let Some(serde_json::Value::String(method)) = object.remove("method") else { return None };
    Some(CustomRequest::new(method, object.remove("params")))
}

#[cfg(test)]
#[path = "tap_tests.rs"]
mod tests;
