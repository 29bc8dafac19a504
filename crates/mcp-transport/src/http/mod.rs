//! Sessions over streamable HTTP.
//!
//! rmcp's worker runs the session: ids, protocol headers, the standing stream, resumption, the `DELETE` at the end.
//! Below it stands our own [`client`]: it sends the requests, reads every body under a bound, keeps documents whole and
//! classifies what is no answer. A lost session is not renewed here: the caller hears of it and opens a new one, so
//! that everybody above knows.
//!
//! Start reading at [`client`], then [`exchange`] and [`listen`]; [`refusal`] holds the meaning of statuses, [`stream`]
//! that of event streams.

mod body;
mod client;
mod endpoint;
mod exchange;
mod fault;
mod listen;
mod refusal;
mod reply;
mod sse;
mod stream;

use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio_util::sync::CancellationToken;

use self::client::{ClientOptions, HttpClient};
use self::endpoint::{Endpoint, static_headers};
use crate::classify::{Failure, FailureClass};
use crate::connect_spec::TransportSpec;
use crate::connector::ConnectRequest;
use crate::establish::establish_on;
use crate::hub::Hub;
use crate::session::{CloseReport, Released, Session, SessionResources};

/// How often an ended stream is taken up again, with doubling pauses: for about four minutes.
const MAX_RECONNECTS: usize = 12;
const MAX_RECONNECT_PAUSE: Duration = Duration::from_secs(30);
/// Admission is bounded by the callers; this only keeps rmcp from queueing calls behind slow ones.
const MAX_POSTS: usize = 1024;

/// Opens a session over streamable HTTP.
///
/// When it fails, or when its future is dropped, its requests and streams end.
pub(crate) async fn connect(request: ConnectRequest) -> Result<Session, Failure> {
    let TransportSpec::Http(spec) = &request.spec.transport else {
        return Err(Failure::new(FailureClass::Unreachable, "the server is not configured with a URL"));
    };
    let hub = Hub::new(request.spec.server.clone(), request.epoch, request.events.clone());
    let closing = CancellationToken::new();
    let client = HttpClient::new(ClientOptions {
        endpoint: Endpoint::parse(&spec.url)?,
        headers: static_headers(spec)?,
        max_message_bytes: request.spec.limits.max_message_bytes,
        hub: Arc::clone(&hub),
        closing: closing.clone(),
    })?;
    let transport = StreamableHttpClientTransport::with_client(client.clone(), worker_settings());
    establish_on(hub, request, transport, resources(client, closing)).await
}

fn worker_settings() -> StreamableHttpClientTransportConfig {
    let mut pauses = ExponentialBackoff::default();
    pauses.max_times = Some(MAX_RECONNECTS);
    pauses.max_delay = Some(MAX_RECONNECT_PAUSE);
    // The client knows its URL; rmcp need not, and so cannot show it.
    let mut settings = StreamableHttpClientTransportConfig::with_uri("")
        .reinit_on_expired_session(false)
        .max_concurrent_requests(MAX_POSTS);
    settings.retry_config = Arc::new(pauses);
    settings
}

/// Nothing lies beneath but requests and streams; they end when the guard is dropped, called or not.
fn resources(client: HttpClient, closing: CancellationToken) -> SessionResources {
    let guard = closing.drop_guard();
    SessionResources {
        transport: "streamable-http",
        process_id: None,
        release: Box::new(move |_| {
            drop(guard);
            let failure = client.take_last_failure().unwrap_or_else(Failure::lost);
            Box::pin(std::future::ready(Released { report: CloseReport::default(), failure }))
        }),
        classify: fault::find_failure,
    }
}

#[cfg(test)]
#[path = "http_tests.rs"]
mod tests;
