//! The HTTP half of the streamable transport: it posts messages, opens streams and ends sessions for rmcp's worker,
//! which owns session ids, protocol headers and resumption.
//!
//! A message goes out, and its answer takes one of three ways back: no body (a notification was accepted), one JSON
//! body, or an event stream. Each body is read under a bound, each message is folded by [`crate::convert`] so that
//! rmcp drops nothing, and everything that is no message becomes a [`Failure`] here, where status and headers are
//! still known.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use futures::stream::BoxStream;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::Sse;
use tokio_util::sync::CancellationToken;

use super::body::read_prefix;
use super::endpoint::{Endpoint, SESSION_ID};
use super::refusal::{self, Asked};
use super::{fault, sse};
use crate::classify::{Failure, FailureClass};
use crate::hub::{Hub, lock};

pub(super) type HttpError = StreamableHttpError<Failure>;
pub(super) type EventStream = BoxStream<'static, Result<Sse, SseError>>;

/// How much of a body that is no message is looked at.
pub(super) const MAX_ERROR_BODY: usize = 64 * 1024;
/// Bounds how many interrupted requests are remembered.
const MAX_INTERRUPTED: usize = 1024;

/// Posts and streams for one session. Clones share everything.
#[derive(Clone)]
pub(super) struct HttpClient {
    pub(super) shared: Arc<Shared>,
}

pub(super) struct Shared {
    pub(super) agent: reqwest::Client,
    pub(super) endpoint: Endpoint,
    pub(super) headers: HeaderMap,
    pub(super) max_message_bytes: usize,
    pub(super) hub: Arc<Hub>,
    /// Ends requests and streams that outlive their session.
    pub(super) closing: CancellationToken,
    /// rmcp hides why its first requests failed, so it is kept here.
    pub(super) last_failure: Mutex<Option<Failure>>,
    pub(super) empty_streams: Arc<AtomicU32>,
    /// Requests whose streams ended early, by the event after which they go on.
    pub(super) interrupted: Mutex<HashMap<String, RequestId>>,
}

/// What a client needs to know of its session.
pub(super) struct ClientOptions {
    pub(super) endpoint: Endpoint,
    pub(super) headers: HeaderMap,
    pub(super) max_message_bytes: usize,
    pub(super) hub: Arc<Hub>,
    pub(super) closing: CancellationToken,
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("HttpClient").field(&self.shared.endpoint).finish()
    }
}

impl HttpClient {
    pub(super) fn new(options: ClientOptions) -> Result<Self, Failure> {
        let ClientOptions { endpoint, headers, max_message_bytes, hub, closing } = options;
        let shared = Shared {
            agent: endpoint.agent()?,
            endpoint,
            headers,
            max_message_bytes,
            hub,
            closing,
            last_failure: Mutex::default(),
            empty_streams: Arc::default(),
            interrupted: Mutex::default(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Gives the failure of the latest post that failed.
    pub(super) fn take_last_failure(&self) -> Option<Failure> {
        lock(&self.shared.last_failure).take()
    }

    pub(super) fn hub(&self) -> &Hub {
        &self.shared.hub
    }

    /// Remembers which request goes on when rmcp takes up the stream after this event.
    pub(super) fn expect_resumption(&self, event_id: String, request: RequestId) {
        let mut interrupted = lock(&self.shared.interrupted);
        if interrupted.len() < MAX_INTERRUPTED {
            interrupted.insert(event_id, request);
        }
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.shared.endpoint
    }

    pub(super) fn max_message_bytes(&self) -> usize {
        self.shared.max_message_bytes
    }

    pub(super) async fn send(
        &self,
        method: Method,
        extra: HashMap<HeaderName, HeaderValue>,
        own: Vec<(HeaderName, HeaderValue)>,
        body: Option<String>,
    ) -> Result<reqwest::Response, Failure> {
        let mut headers = self.shared.headers.clone();
        headers.extend(extra);
        for (name, value) in own {
            headers.insert(name, value);
        }
        let mut request =
            self.shared.agent.request(method, self.shared.endpoint.url().clone()).headers(headers);
        if let Some(body) = body {
            request = request.body(body);
        }
        request.send().await.map_err(|error| fault::of_send(&error, self.shared.endpoint.label()))
    }

    /// Reads the beginning of an error body and judges it.
    pub(super) async fn refused(&self, response: reqwest::Response, asked: Asked) -> (Failure, String) {
        let status = response.status();
        let headers = response.headers().clone();
        let body = read_prefix(response, MAX_ERROR_BODY).await;
        (refusal::by_body(status, &headers, &self.shared.endpoint, asked, &body), body)
    }

    pub(super) fn events(&self, response: reqwest::Response) -> BoxStream<'static, sse::Incoming> {
        let closing = self.shared.closing.clone();
        sse::events(response.bytes_stream(), self.shared.max_message_bytes)
            .take_until(async move { closing.cancelled().await })
            .boxed()
    }

    pub(super) fn asked(&self, in_session: bool) -> Asked {
        let url = self.shared.endpoint.url();
        let with_credentials = self.shared.headers.contains_key(AUTHORIZATION) || !url.username().is_empty();
        Asked { in_session, with_credentials }
    }
}

/// The bound on messages is part of the client, so the limits that rmcp passes along add nothing. The same holds for
/// its URL and its bearer token, which are never set.
impl StreamableHttpClient for HttpClient {
    type Error = Failure;

    async fn post_message(
        &self,
        _uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let request = match &message {
            JsonRpcMessage::Request(request) => Some(request.id.clone()),
            JsonRpcMessage::Response(_) | JsonRpcMessage::Notification(_) | JsonRpcMessage::Error(_) => None,
        };
        let outcome = tokio::select! {
            biased;
            () = self.shared.closing.cancelled() => Err(Failure::closed()),
            outcome = self.post(message, session_id.as_deref(), custom_headers) => outcome,
        };
        outcome.map_err(|failure| {
            if let Some(request) = request {
                // No reply will come for it.
                self.shared.hub.finish(&request);
            }
            *lock(&self.shared.last_failure) = Some(failure.clone());
            StreamableHttpError::Client(failure)
        })
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        _max_sse_event_size: usize,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        self.post_message(uri, message, session_id, auth_header, custom_headers).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        _limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        self.post_message(uri, message, session_id, auth_header, custom_headers).await
    }

    async fn delete_session(
        &self,
        _uri: Arc<str>,
        session_id: Arc<str>,
        _auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), HttpError> {
        let mut headers = self.shared.headers.clone();
        headers.extend(custom_headers);
        headers.extend(session_header(Some(&session_id)).map_err(StreamableHttpError::Client)?);
        let url = self.shared.endpoint.url().clone();
        // Not under `closing`: this is the last request of a session that closes.
        match self.shared.agent.delete(url).headers(headers).send().await {
            Ok(_) => Ok(()),
            Err(error) => {
                Err(StreamableHttpError::Client(fault::of_send(&error, self.shared.endpoint.label())))
            }
        }
    }

    async fn get_stream(
        &self,
        _uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<EventStream, HttpError> {
        tokio::select! {
            biased;
            () = self.shared.closing.cancelled() => Err(StreamableHttpError::ServerDoesNotSupportSse),
            opened = self.open_stream(session_id.as_deref(), last_event_id, custom_headers) => opened,
        }
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        _max_sse_event_size: usize,
    ) -> Result<EventStream, HttpError> {
        self.get_stream(uri, session_id, last_event_id, auth_header, custom_headers).await
    }
}

pub(super) fn session_header(session: Option<&str>) -> Result<Option<(HeaderName, HeaderValue)>, Failure> {
    let Some(session) = session else { return Ok(None) };
    match HeaderValue::from_str(session) {
        Ok(mut value) => {
            value.set_sensitive(true);
            Ok(Some((SESSION_ID, value)))
        }
        Err(_) => {
            Err(Failure::new(FailureClass::Protocol, "the server gave a session id that HTTP cannot carry"))
        }
    }
}
