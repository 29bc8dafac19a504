//! The gateway over streamable HTTP, for any number of clients.
//!
//! The protocol library speaks HTTP; this module decides who may come near: the listener is loopback unless allowed
//! otherwise, a request names a known host, comes from no foreign web page, and bears the token where one is set.
//! On shutdown no connection is accepted any more, running calls get a while to end, then every stream ends.

mod options;
mod sessions;

use std::future::IntoFuture as _;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt as _;
use http::{HeaderValue, StatusCode, header};
use mcp_types::Secret;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use wharf::Runtime;

pub use options::HttpOptions;
use sessions::{RETRY, Sessions, SharedSessions};

use crate::clients::Clients;
use crate::error::GatewayError;
use crate::server::SessionMaker;

/// Where MCP is served.
pub const MCP_PATH: &str = "/mcp";
/// How long open connections may take to end after their sessions were closed.
const CLOSING: std::time::Duration = std::time::Duration::from_secs(1);
const ABOUT: &str = concat!("wharf ", env!("CARGO_PKG_VERSION"), ": an MCP server; its endpoint is /mcp\n");
const LOOPBACK_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Serves MCP at `/mcp` on a listener until `shutdown` is cancelled. The runtime is left running.
///
/// # Errors
/// [`GatewayError::NotLoopback`] when other machines can reach the listener and `allow_remote` is not set;
/// [`GatewayError::InvalidAllowance`] when a host or an origin is none; [`GatewayError::Listener`] when the listener
/// is broken.
pub async fn serve_http(
    runtime: Runtime,
    listener: TcpListener,
    options: HttpOptions,
    shutdown: CancellationToken,
) -> Result<(), GatewayError> {
    let address = listener.local_addr().map_err(GatewayError::Listener)?;
    if !address.ip().is_loopback() && !options.allow_remote {
        return Err(GatewayError::NotLoopback { address });
    }
    check_allowances(&options)?;
    let clients = Clients::default();
    let tracker = TaskTracker::new();
    let sessions = Arc::new(Sessions::new(&options, tracker.clone()));
    let maker = SessionMaker::new(runtime.clone(), clients.clone(), &format!("http://{address}"));
    let streams = CancellationToken::new();
    let _ends_streams = streams.clone().drop_guard();
    let router = router(maker, Arc::clone(&sessions), &options, streams);
    let listener = listener.tap_io(|stream| {
        // Answers are small and waited for.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY could not be set");
        }
    });
    let serving = axum::serve(listener, router).with_graceful_shutdown(shutdown.clone().cancelled_owned());
    let served = async {
        tokio::select! {
            served = serving.into_future() => served.map_err(GatewayError::Listener),
            () = drained(&shutdown, &tracker, &sessions, options.drain) => Ok(()),
        }
    };
    let following = async {
        clients.follow(&runtime).await;
        std::future::pending().await
    };
    tokio::select! {
        served = served => served,
        never = following => never,
    }
}

/// Waits for `shutdown`, then for running calls, then for connections, each for a bounded time.
async fn drained(
    shutdown: &CancellationToken,
    tracker: &TaskTracker,
    sessions: &SharedSessions,
    drain: std::time::Duration,
) {
    shutdown.cancelled().await;
    tracker.close();
    if tokio::time::timeout(drain, tracker.wait()).await.is_err() {
        tracing::warn!(calls = tracker.len(), "calls were still running when the gateway stopped");
    }
    sessions.close_all().await;
    tokio::time::sleep(CLOSING).await;
}

fn router(
    maker: SessionMaker,
    sessions: SharedSessions,
    options: &HttpOptions,
    streams: CancellationToken,
) -> Router {
    let hosts = LOOPBACK_HOSTS.into_iter().map(str::to_owned).chain(options.allowed_hosts.iter().cloned());
    let config = StreamableHttpServerConfig::default()
        .with_sse_retry(Some(RETRY))
        .with_cancellation_token(streams)
        .with_allowed_hosts(hosts)
        .with_allowed_origins(options.allowed_origins.iter().cloned())
        .enforce_origin_validation()
        .with_max_request_body_bytes(options.max_body_bytes);
    let service = StreamableHttpService::new(move || Ok(maker.make()), sessions, config);
    let endpoint = Router::new().nest_service(MCP_PATH, service);
    let endpoint = match options.bearer.clone() {
        Some(token) => endpoint.layer(middleware::from_fn_with_state(Arc::new(token), require_bearer)),
        None => endpoint,
    };
    endpoint.route("/", get(async || ABOUT))
}

async fn require_bearer(State(token): State<Arc<Secret<String>>>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION).and_then(bearer_token);
    if given.is_some_and(|given| same(given, token.expose().as_bytes())) {
        return next.run(request).await;
    }
    let challenge = [(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))];
    (StatusCode::UNAUTHORIZED, challenge, "Unauthorized: this gateway needs its bearer token\n")
        .into_response()
}

fn bearer_token(value: &HeaderValue) -> Option<&[u8]> {
    let (scheme, token) = value.as_bytes().split_at_checked("Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token)
}

/// Compares in a time that does not tell how much is right.
fn same(left: &[u8], right: &[u8]) -> bool {
    let differing = left.iter().zip(right).fold(0, |differing, (a, b)| differing | (a ^ b));
    left.len() == right.len() && std::hint::black_box(differing) == 0
}

/// The library ignores entries it cannot read; here they are errors.
fn check_allowances(options: &HttpOptions) -> Result<(), GatewayError> {
    for entry in &options.allowed_hosts {
        let bare = entry.parse::<std::net::IpAddr>().is_ok();
        if !bare && entry.parse::<http::uri::Authority>().is_err() {
            return Err(GatewayError::InvalidAllowance { kind: "host", entry: entry.clone() });
        }
    }
    for entry in &options.allowed_origins {
        let rest = entry.split_once("://").map(|(_, rest)| rest);
        if entry != "null" && !rest.is_some_and(|rest| !rest.is_empty() && !rest.contains('/')) {
            return Err(GatewayError::InvalidAllowance { kind: "origin", entry: entry.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "http_tests.rs"]
mod tests;
