//! Streams that are asked for: the standing stream of a session, and streams that are taken up again.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::stream::BoxStream;
use http::header::ACCEPT;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use rmcp::transport::streamable_http_client::{AuthRequiredError, StreamableHttpError};

use super::body::{MediaType, media_type};
use super::client::{EventStream, HttpClient, HttpError, session_header};
use super::endpoint::LAST_EVENT_ID;
use super::stream::{AnswerReader, standing};
use super::{fault, refusal, sse};
use crate::classify::{Failure, FailureClass};
use crate::hub::lock;

/// After so many streams in a row that ended without an event, none is opened any more.
const MAX_EMPTY_STREAMS: u32 = 5;

impl HttpClient {
    /// Opens a stream. With an event id it goes on behind that event.
    pub(super) async fn open_stream(
        &self,
        session: Option<&str>,
        last_event_id: Option<String>,
        extra: HashMap<HeaderName, HeaderValue>,
    ) -> Result<EventStream, HttpError> {
        let Some(event_id) = last_event_id else {
            if self.shared.empty_streams.load(Ordering::Relaxed) >= MAX_EMPTY_STREAMS {
                return Err(StreamableHttpError::ServerDoesNotSupportSse);
            }
            return Ok(self.standing(self.stream_events(session, None, extra).await?));
        };
        let request = lock(&self.shared.interrupted).get(&event_id).cloned();
        let opened = self.stream_events(session, Some(&event_id), extra).await;
        let Some(request) = request else {
            return Ok(self.standing(opened?));
        };
        match opened {
            Ok(events) => {
                lock(&self.shared.interrupted).remove(&event_id);
                Ok(AnswerReader::resumed(self.clone(), request, event_id).read(events))
            }
            Err(error) => {
                // rmcp may try again; if it does not, its error reply for this request is told by this failure.
                self.shared.hub.fail(&request, fault::of_resumption(&error, self.shared.endpoint.label()));
                Err(error)
            }
        }
    }

    async fn stream_events(
        &self,
        session: Option<&str>,
        last_event_id: Option<&str>,
        extra: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, sse::Incoming>, HttpError> {
        let mut own = vec![(ACCEPT, HeaderValue::from_static("text/event-stream"))];
        own.extend(session_header(session).map_err(StreamableHttpError::Client)?);
        own.extend(last_event_id.and_then(|id| HeaderValue::from_str(id).ok()).map(|id| (LAST_EVENT_ID, id)));
        let response = self.send(Method::GET, extra, own, None).await.map_err(StreamableHttpError::Client)?;
        let status = response.status();
        if status.is_success() && media_type(response.headers()) == MediaType::EventStream {
            return Ok(self.events(response));
        }
        let asked = self.asked(session.is_some());
        let judged = refusal::by_status(status, response.headers(), &self.shared.endpoint, asked);
        if let Some(Failure { class: FailureClass::AuthRequired { challenge }, .. }) = judged {
            // rmcp does not repeat what ends like this.
            let error = AuthRequiredError::new(challenge.unwrap_or_default());
            return Err(StreamableHttpError::AuthRequired(error));
        }
        if status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED {
            return Err(StreamableHttpError::Client(self.refused(response, asked).await.0));
        }
        // A server need not offer this stream; it says so in many ways (field case 16).
        tracing::debug!(host = self.shared.endpoint.label(), %status, "the server offers no standing stream");
        Err(StreamableHttpError::ServerDoesNotSupportSse)
    }

    fn standing(&self, events: BoxStream<'static, sse::Incoming>) -> EventStream {
        standing(events, Arc::clone(&self.shared.empty_streams))
    }
}
