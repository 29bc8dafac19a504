//! A transport around a transport, for what the protocol library does not offer.
//!
//! The library's model of a tool result drops what it does not know. Its custom requests carry any JSON, so the two
//! tool methods travel through it as custom requests: nothing is lost and the session answers them itself. The
//! same place keeps a session alive when its client sends something else before `initialize`, and counts the
//! requests whose answers are not sent yet, so that a server can drain.

use std::collections::HashMap;

use futures::FutureExt as _;
use mcp_types::BoxFuture;
use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ClientRequest, CustomRequest, ErrorCode, ErrorData, Extensions, JsonRpcMessage,
    RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Map, Value};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

pub(crate) const CALL_METHOD: &str = "tools/call";
pub(crate) const LIST_METHOD: &str = "tools/list";

type Incoming = RxJsonRpcMessage<RoleServer>;
type Outgoing = TxJsonRpcMessage<RoleServer>;

/// Wraps a transport of a session. A request holds a token of `tracker` until its answer was handed to `inner`.
pub(crate) struct RawTransport<T> {
    inner: T,
    opened: bool,
    refusal: Option<BoxFuture<'static, ()>>,
    tracker: TaskTracker,
    unanswered: HashMap<RequestId, TaskTrackerToken>,
}

/// What becomes of an incoming message.
enum Admission {
    Pass(Incoming),
    Refuse(Outgoing),
    Ignore,
}

impl<T> RawTransport<T> {
    pub(crate) fn new(inner: T, tracker: TaskTracker) -> Self {
        Self { inner, opened: false, refusal: None, tracker, unanswered: HashMap::new() }
    }

    fn admit(&mut self, message: Incoming) -> Admission {
        if let JsonRpcMessage::Notification(notification) = &message {
            if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                && let Some(id) = &cancelled.params.request_id
            {
                self.unanswered.remove(id);
            }
            return if self.opened { Admission::Pass(message) } else { Admission::Ignore };
        }
        let JsonRpcMessage::Request(mut request) = message else {
            return if self.opened { Admission::Pass(message) } else { Admission::Ignore };
        };
        if let Some(error) = refusal(&request.request, self.opened) {
            return Admission::Refuse(Outgoing::error(error, Some(request.id)));
        }
        self.opened |= matches!(request.request, ClientRequest::InitializeRequest(_));
        request.request = untyped(request.request);
        self.unanswered.insert(request.id.clone(), self.tracker.token());
        Admission::Pass(JsonRpcMessage::Request(request))
    }

    /// Takes the token of the request that a message answers.
    fn answered(&mut self, message: &Outgoing) -> Option<TaskTrackerToken> {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        self.unanswered.remove(id?)
    }
}

/// Says why a request is refused before the session sees it.
fn refusal(request: &ClientRequest, opened: bool) -> Option<ErrorData> {
    // Only the handshake era is served: a client that asks for the other one learns it by the missing method.
    if matches!(request, ClientRequest::DiscoverRequest(_)) {
        return Some(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "server/discover", None));
    }
    if opened || matches!(request, ClientRequest::InitializeRequest(_) | ClientRequest::PingRequest(_)) {
        return None;
    }
    if request.method() == "initialize" {
        let message = "initialize needs protocolVersion, capabilities and clientInfo";
        return Some(ErrorData::invalid_params(message, None));
    }
    Some(ErrorData::invalid_request("the session is not open: send initialize first", None))
}

/// Turns the tool methods into custom requests; everything else stays.
fn untyped(request: ClientRequest) -> ClientRequest {
    if let ClientRequest::CallToolRequest(call) = request {
        let mut params = Map::new();
        params.insert("name".to_owned(), Value::String(call.params.name.into_owned()));
        if let Some(arguments) = call.params.arguments {
            params.insert("arguments".to_owned(), Value::Object(arguments));
        }
        return custom(CALL_METHOD, Some(Value::Object(params)), call.extensions);
    }
    if let ClientRequest::ListToolsRequest(list) = request {
        let params = list.params.and_then(|params| serde_json::to_value(params).ok());
        return custom(LIST_METHOD, params, list.extensions);
    }
    request
}

/// The extensions hold `_meta`, so it stays where the session looks for it.
fn custom(method: &str, params: Option<Value>, extensions: Extensions) -> ClientRequest {
    let mut request = CustomRequest::new(method, params);
    request.extensions = extensions;
    ClientRequest::CustomRequest(request)
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for RawTransport<T> {
    type Error = T::Error;

    fn send(&mut self, item: Outgoing) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let token = self.answered(&item);
        self.inner.send(item).map(move |sent| {
            drop(token);
            sent
        })
    }

    /// Cancel safe: a refusal that is being sent is kept and sent to its end by the next call.
    async fn receive(&mut self) -> Option<Incoming> {
        loop {
            if let Some(refusal) = &mut self.refusal {
                refusal.await;
                self.refusal = None;
            }
            let message = self.inner.receive().await?;
            match self.admit(message) {
                Admission::Pass(message) => return Some(message),
                Admission::Refuse(answer) => self.refusal = Some(self.inner.send(answer).map(drop).boxed()),
                Admission::Ignore => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.unanswered.clear();
        self.inner.close().await
    }
}
