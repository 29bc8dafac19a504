//! One message and its answer: no body, one JSON body, or an event stream.

use std::collections::HashMap;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::BoxStream;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method, StatusCode};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, InitializeRequest, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_client::StreamableHttpPostResponse;
use sse_stream::Sse;

use super::body::{MediaType, media_type, read_capped, read_prefix};
use super::client::{EventStream, HttpClient, MAX_ERROR_BODY, session_header};
use super::endpoint::SESSION_ID;
use super::refusal::{self, Asked};
use super::reply::{Answer, Expected, Reply, json_reply};
use super::sse;
use super::stream::{AnswerReader, handshake_answer};
use crate::classify::{Failure, FailureClass};
use crate::convert::encode;
use crate::request::refusal as refused_by_server;
use crate::revision::best_offered;

/// A body that nobody asked for is read this far and this long, so that its connection can be used again.
const MAX_IDLE_BODY: usize = 8 * 1024;
const IDLE_BODY_TIMEOUT: Duration = Duration::from_millis(250);

/// The ways an answer may come, with the session id that came beside it.
enum Outcome {
    NoBody,
    Stream(BoxStream<'static, sse::Incoming>, Option<String>),
    Reply(Reply, Option<String>),
}

impl HttpClient {
    /// Sends a message and gives its answer in the form that rmcp's worker takes.
    pub(super) async fn post(
        &self,
        message: ClientJsonRpcMessage,
        session: Option<&str>,
        extra: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let JsonRpcMessage::Request(request) = message else {
            let response = self.post_once(&message, session, extra).await?;
            return self.accepted(response, self.asked(session.is_some())).await;
        };
        let id = request.id.clone();
        if let ClientRequest::InitializeRequest(initialize) = request.request {
            return self.initialize(id, initialize, extra).await;
        }
        let response = self.post_once(&JsonRpcMessage::Request(request), session, extra).await?;
        let asked = self.asked(session.is_some());
        match self.outcome(response, &Expected::Reply(id.clone()), asked).await? {
            Outcome::NoBody => Ok(StreamableHttpPostResponse::Accepted),
            Outcome::Stream(events, _) => {
                let reader = AnswerReader::new(self.clone(), id, asked.in_session);
                Ok(StreamableHttpPostResponse::Sse(reader.read(events), None))
            }
            Outcome::Reply(Reply::Batch(messages), _) => {
                Ok(StreamableHttpPostResponse::Sse(ready_stream(&messages), None))
            }
            Outcome::Reply(Reply::One(answer), _) => {
                if asked.in_session
                    && let JsonRpcMessage::Error(error) = &answer.message
                    && refusal::error_names_lost_session(&error.error)
                {
                    return Err(refusal::session_expired(&self.shared.endpoint));
                }
                Ok(StreamableHttpPostResponse::Json(answer.message, None))
            }
        }
    }

    /// Opens the session. A server that names other revisions is asked once more with the best of them, here, because
    /// rmcp's worker takes the next message for the end of the handshake.
    async fn initialize(
        &self,
        id: RequestId,
        mut initialize: InitializeRequest,
        extra: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let (mut answer, mut session) = self.initialize_once(&id, &initialize, extra.clone()).await?;
        if let JsonRpcMessage::Error(error) = &answer.message
            && let Some(revision) = best_offered(&error.error)
        {
            initialize.params.protocol_version = revision;
            (answer, session) = self.initialize_once(&id, &initialize, extra).await?;
        }
        if let JsonRpcMessage::Error(error) = answer.message {
            return Err(refused_by_server(self.shared.hub.server.as_str(), &error.error));
        }
        if let Some(result) = answer.handshake {
            self.shared.hub.keep_handshake(result);
        }
        Ok(StreamableHttpPostResponse::Json(answer.message, session))
    }

    async fn initialize_once(
        &self,
        id: &RequestId,
        initialize: &InitializeRequest,
        extra: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(Answer, Option<String>), Failure> {
        let request = ClientRequest::InitializeRequest(initialize.clone());
        let message = JsonRpcMessage::request(request, id.clone());
        let response = self.post_once(&message, None, extra).await?;
        let refusal = refusal::not_mcp(response.status(), response.headers(), &self.shared.endpoint);
        match self.outcome(response, &Expected::Handshake(id.clone()), self.asked(false)).await? {
            Outcome::Stream(events, session) => Ok((handshake_answer(events, self, id).await?, session)),
            Outcome::Reply(Reply::One(answer), session) => Ok((*answer, session)),
            Outcome::Reply(Reply::Batch(_), _) | Outcome::NoBody => Err(refusal),
        }
    }

    async fn post_once(
        &self,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        extra: HashMap<HeaderName, HeaderValue>,
    ) -> Result<reqwest::Response, Failure> {
        let body = encode(message).map_err(|error| {
            Failure::new(FailureClass::Protocol, format!("the message could not be written: {error}"))
        })?;
        let mut own = vec![
            (ACCEPT, HeaderValue::from_static("application/json, text/event-stream")),
            (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        ];
        own.extend(session_header(session)?);
        let response = self.send(Method::POST, extra, own, Some(body)).await?;
        let asked = self.asked(session.is_some());
        match refusal::by_status(response.status(), response.headers(), &self.shared.endpoint, asked) {
            Some(failure) => Err(failure),
            None => Ok(response),
        }
    }

    /// Any success is fine for a message that needs no answer, whatever its body (field case 18).
    async fn accepted(
        &self,
        response: reqwest::Response,
        asked: Asked,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        if !response.status().is_success() {
            return Err(self.refused(response, asked).await.0);
        }
        if media_type(response.headers()) != MediaType::EventStream {
            // Whether it ends in time makes no difference: then the connection is not used again.
            drop(tokio::time::timeout(IDLE_BODY_TIMEOUT, read_prefix(response, MAX_IDLE_BODY)).await);
        }
        Ok(StreamableHttpPostResponse::Accepted)
    }

    /// Tells which of its ways an answer takes, and reads it unless it is a stream.
    async fn outcome(
        &self,
        response: reqwest::Response,
        expected: &Expected,
        asked: Asked,
    ) -> Result<Outcome, Failure> {
        let status = response.status();
        let session = response.headers().get(SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
        if !status.is_success() {
            let (failure, body) = self.refused(response, asked).await;
            return match json_reply(&body, expected) {
                Some(Ok(Reply::One(answer)))
                    if answer.handshake.is_none()
                        && matches!(answer.message, JsonRpcMessage::Error(_))
                        && failure.class != FailureClass::SessionExpired =>
                {
                    Ok(Outcome::Reply(Reply::One(answer), None))
                }
                _ => Err(failure),
            };
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(Outcome::NoBody);
        }
        let media = media_type(response.headers());
        if media == MediaType::EventStream {
            return Ok(Outcome::Stream(self.events(response), session));
        }
        let refusal = refusal::not_mcp(status, response.headers(), &self.shared.endpoint);
        let body = if media == MediaType::Other {
            read_prefix(response, MAX_ERROR_BODY).await
        } else {
            read_capped(response, self.shared.max_message_bytes, self.endpoint().label()).await?
        };
        json_reply(&body, expected).unwrap_or(Err(refusal)).map(|reply| Outcome::Reply(reply, session))
    }
}

fn ready_stream(messages: &[ServerJsonRpcMessage]) -> EventStream {
    let events: Vec<_> = messages
        .iter()
        .filter_map(|message| serde_json::to_string(message).ok())
        .map(|data| Ok(Sse::default().data(data)))
        .collect();
    futures::stream::iter(events).boxed()
}
