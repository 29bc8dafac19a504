//! Event streams made ready for rmcp: each message folded, and each way a stream can fail turned into an answer.
//!
//! rmcp drops an event it cannot read and waits on, so a request could hang on a stream that will never answer it.
//! Here every end of a stream that still owes an answer gives one: a failure in the place of the response.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use rmcp::model::{ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::SseError;
use serde_json::value::RawValue;
use sse_stream::Sse;
use tokio::time::Instant;

use super::body::too_large;
use super::client::HttpClient;
use super::reply::{Answer, Expected, answer};
use super::sse::{Event, Incoming};
use super::{fault, refusal};
use crate::classify::{Failure, FailureClass};
use crate::convert::{message_from_text, same_id, wrap_result};
use crate::wire::Shape;

type EventStream = BoxStream<'static, Result<Sse, SseError>>;

/// A server may ask to be left alone this long, not longer (milliseconds).
const MAX_RETRY: u64 = 5 * 60 * 1000;
/// A server that asks for no pause at all would be asked again without end (milliseconds).
const MIN_RETRY: u64 = 100;
/// A standing stream that ends sooner was not meant to stand.
const SHORT_STREAM: Duration = Duration::from_secs(5);

/// Reads the stream that answers one request.
#[derive(Debug)]
pub(super) struct AnswerReader {
    client: HttpClient,
    /// The request that is still owed its answer.
    pending: Option<RequestId>,
    in_session: bool,
    /// A stream with event ids can be taken up again, so its end is not the end of the request.
    last_event_id: Option<String>,
}

impl AnswerReader {
    pub(super) const fn new(client: HttpClient, request: RequestId, in_session: bool) -> Self {
        Self { client, pending: Some(request), in_session, last_event_id: None }
    }

    /// Goes on with a stream that was taken up again.
    pub(super) const fn resumed(client: HttpClient, request: RequestId, last_event_id: String) -> Self {
        Self { client, pending: Some(request), in_session: true, last_event_id: Some(last_event_id) }
    }

    pub(super) fn read(self, events: BoxStream<'static, Incoming>) -> EventStream {
        events
            .map(Some)
            .chain(stream::once(std::future::ready(None)))
            .scan(self, |reader, incoming| std::future::ready(Some(reader.take_in(incoming))))
            .flat_map(|ready| stream::iter(ready.into_iter().map(Ok)))
            .boxed()
    }

    fn take_in(&mut self, incoming: Option<Incoming>) -> Vec<Sse> {
        let endpoint = self.client.endpoint();
        let failure = match incoming {
            Some(Incoming::Event(event)) => return self.take_event(&event),
            Some(Incoming::TooLarge) => too_large(endpoint.label(), self.client.max_message_bytes()),
            Some(Incoming::Broken(error)) => fault::of_body(&error, endpoint.label()),
            None => ended_early(endpoint.label()),
        };
        let ends = !matches!(failure.class, FailureClass::TooLarge { .. });
        if ends && let Some(event_id) = self.last_event_id.take() {
            if let Some(request) = self.pending.take() {
                self.client.expect_resumption(event_id, request);
            }
            return Vec::new();
        }
        self.fail(failure).into_iter().collect()
    }

    fn take_event(&mut self, event: &Event) -> Vec<Sse> {
        if event.id.is_some() {
            self.last_event_id.clone_from(&event.id);
        }
        let mut ready = Vec::new();
        for text in messages(event) {
            match self.take_message(text) {
                Ok(data) => ready.push(Sse::default().data(data)),
                Err(failure) => ready.extend(self.fail(failure)),
            }
        }
        with_position(ready, event)
    }

    fn take_message(&mut self, text: &str) -> Result<String, Failure> {
        let endpoint = self.client.endpoint();
        let Some(shape) = Shape::parse(text) else {
            return Err(not_a_message(endpoint.label()));
        };
        let Some(request) = self.pending.clone().filter(|request| answers(&shape, request)) else {
            return Ok(fold(text));
        };
        let Some(JsonRpcMessage::Error(reply)) = message_from_text(text, None) else {
            self.pending = None;
            return Ok(fold(text));
        };
        if self.in_session && refusal::error_names_lost_session(&reply.error) {
            return Err(refusal::session_expired(endpoint));
        }
        self.pending = None;
        Ok(to_text(&JsonRpcMessage::error(reply.error, Some(request))))
    }

    /// Answers the pending request with a failure.
    fn fail(&mut self, failure: Failure) -> Option<Sse> {
        let request = self.pending.take()?;
        let reply = ErrorData::internal_error(failure.message.clone(), None);
        self.client.hub().fail(&request, failure);
        Some(Sse::default().data(to_text(&JsonRpcMessage::error(reply, Some(request)))))
    }
}

/// Waits for the answer to `initialize` on a stream. What comes before it is dropped: the session does not exist yet.
pub(super) async fn handshake_answer(
    mut events: BoxStream<'static, Incoming>,
    client: &HttpClient,
    request: &RequestId,
) -> Result<Answer, Failure> {
    let label = client.endpoint().label();
    while let Some(incoming) = events.next().await {
        let event = match incoming {
            Incoming::Event(event) => event,
            Incoming::TooLarge => return Err(too_large(label, client.max_message_bytes())),
            Incoming::Broken(error) => return Err(fault::of_body(&error, label)),
        };
        for text in messages(&event) {
            let shape = Shape::parse(text).ok_or_else(|| not_a_message(label))?;
            if answers(&shape, request) {
                return answer(text, &Expected::Handshake(request.clone()))
                    .unwrap_or_else(|| Err(not_a_message(label)));
            }
        }
    }
    Err(ended_early(label))
}

/// Makes the standing stream of a session, or a stream that was taken up again. A broken connection ends it like a
/// finished one, so that rmcp pauses before it opens the next.
///
/// `empty_streams` counts the streams in a row that ended at once and brought nothing.
pub(super) fn standing(events: BoxStream<'static, Incoming>, empty_streams: Arc<AtomicU32>) -> EventStream {
    let opened = Instant::now();
    let mut brought_something = false;
    events
        .map(Some)
        .chain(stream::once(std::future::ready(None)))
        .flat_map(move |incoming| {
            let ready = match incoming {
                Some(Incoming::Event(event)) => {
                    brought_something = true;
                    let ready = messages(&event).into_iter().map(|text| Sse::default().data(fold(text)));
                    with_position(ready.collect(), &event)
                }
                Some(Incoming::TooLarge) => {
                    tracing::warn!("an event over the size limit was skipped");
                    Vec::new()
                }
                Some(Incoming::Broken(error)) => {
                    tracing::debug!(error = %error.without_url(), "the standing stream broke");
                    Vec::new()
                }
                None if brought_something || opened.elapsed() >= SHORT_STREAM => {
                    empty_streams.store(0, Ordering::Relaxed);
                    Vec::new()
                }
                None => {
                    empty_streams.fetch_add(1, Ordering::Relaxed);
                    Vec::new()
                }
            };
            stream::iter(ready.into_iter().map(Ok))
        })
        .boxed()
}

/// Gives the texts of an event; other events than messages carry none.
fn messages(event: &Event) -> Vec<&str> {
    if !matches!(event.name.as_deref(), None | Some("" | "message")) {
        return Vec::new();
    }
    let Some(data) = event.data.as_deref().map(str::trim).filter(|data| !data.is_empty()) else {
        return Vec::new();
    };
    if data.starts_with('[')
        && let Ok(parts) = serde_json::from_str::<Vec<&RawValue>>(data)
    {
        return parts.into_iter().map(RawValue::get).collect();
    }
    vec![data]
}

/// Puts id and pause of an event on the last thing that came of it, so that both count even without a message.
fn with_position(mut ready: Vec<Sse>, event: &Event) -> Vec<Sse> {
    if event.id.is_none() && event.retry.is_none() {
        return ready;
    }
    let mut last = ready.pop().unwrap_or_default();
    last.id.clone_from(&event.id);
    last.retry = event.retry.map(|pause| pause.clamp(MIN_RETRY, MAX_RETRY));
    ready.push(last);
    ready
}

fn answers(shape: &Shape<'_>, request: &RequestId) -> bool {
    match shape {
        Shape::Response { id, .. } => same_id(request, id),
        Shape::Error { id, .. } => id.as_ref().is_none_or(|id| same_id(request, id)),
        Shape::Request { .. } | Shape::Notification { .. } => false,
    }
}

fn ended_early(label: &str) -> Failure {
    Failure::new(FailureClass::Closed, format!("{label} ended its answer before the result came"))
}

fn not_a_message(label: &str) -> Failure {
    Failure::new(FailureClass::Protocol, format!("{label} sent an event that is no MCP message"))
}

fn fold(text: &str) -> String {
    wrap_result(text).into_owned()
}

fn to_text(message: &ServerJsonRpcMessage) -> String {
    serde_json::to_string(message).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_streams_that_end_at_once_and_empty_are_counted() {
        let counter = Arc::new(AtomicU32::new(0));
        for expect in [1, 2] {
            standing(stream::empty().boxed(), Arc::clone(&counter)).count().await;
            assert_eq!(counter.load(Ordering::Relaxed), expect);
        }
        let long = stream::once(tokio::time::sleep(SHORT_STREAM)).filter_map(|()| std::future::ready(None));
        standing(long.boxed(), Arc::clone(&counter)).count().await;
        assert_eq!(counter.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_position_without_a_message_is_kept_and_its_pause_is_bounded() {
        let event = Event { id: Some("7".to_owned()), retry: Some(0), ..Event::default() };
        let expect = Sse { id: Some("7".to_owned()), retry: Some(MIN_RETRY), ..Sse::default() };
        assert_eq!(with_position(Vec::new(), &event), [expect]);
    }
}
