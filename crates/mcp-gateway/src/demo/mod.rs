//! The built-in demo server: an MCP server that needs nothing, to try things out and to test against.
//!
//! It offers one of everything a client must cope with: structured and plain results, a slow tool with progress, large
//! texts, failures, a picture, a list that grows, resources of both kinds, a template, and prompts. It reads no file,
//! opens no connection, and of its environment it tells the names alone.
//!
//! Start reading at `tools.rs` for what there is, and at `run.rs` for what it does.

mod picture;
mod prompts;
mod resources;
mod run;
mod server;
mod tools;

use std::future::IntoFuture as _;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::serve::ListenerExt as _;
use rmcp::service::{QuitReason, ServerInitializeError, serve_server};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService, stdio_pipes};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::run::Shared;
use self::server::DemoServer;
use crate::error::GatewayError;

/// Where the demo server is served over HTTP.
const PATH: &str = "/mcp";
/// How long open connections may take to end after the demo was cancelled.
const CLOSING: Duration = Duration::from_secs(1);

/// Serves the demo over standard input and output until the client closes its end.
///
/// Pipes are read without blocking a thread; where standard input is something else, a thread stays in its read, so
/// the process should end its tokio runtime without waiting for blocking tasks.
///
/// # Errors
/// [`GatewayError::Opening`] when the client sent something else than the opening of a session.
pub async fn serve_demo_stdio() -> Result<(), GatewayError> {
    let (reader, writer) = stdio_pipes();
    serve_demo_stream(reader, writer).await
}

/// Serves the demo over a pair of byte streams, one message a line, until the client closes its end.
///
/// # Errors
/// As [`serve_demo_stdio`].
pub async fn serve_demo_stream<R, W>(reader: R, writer: W) -> Result<(), GatewayError>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let server = DemoServer::new(Arc::new(Shared::new(environment_names())));
    let running = match serve_server(server, (reader, writer)).await {
        Ok(running) => running,
        // A client that leaves before the session is open has done nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
        Err(error) => return Err(GatewayError::Opening { reason: error.to_string() }),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(GatewayError::SessionPanicked(error)),
        Ok(_) => Ok(()),
    }
}

/// Serves the demo over streamable HTTP at `/mcp` until `cancel` is cancelled. Only requests that name a loopback host
/// are answered, and none that comes from a web page.
///
/// # Errors
/// [`GatewayError::NotLoopback`] when other machines can reach the listener; [`GatewayError::Listener`] when it is
/// broken.
pub async fn serve_demo_http(listener: TcpListener, cancel: CancellationToken) -> Result<(), GatewayError> {
    let address = listener.local_addr().map_err(GatewayError::Listener)?;
    if !address.ip().is_loopback() {
        return Err(GatewayError::NotLoopback { address });
    }
    let config = StreamableHttpServerConfig::default()
        .enforce_origin_validation()
        .with_cancellation_token(cancel.child_token());
    let shared = Arc::new(Shared::new(environment_names()));
    let sessions = Arc::new(LocalSessionManager::default());
    let service =
        StreamableHttpService::new(move || Ok(DemoServer::new(Arc::clone(&shared))), sessions, config);
    let router = Router::new().nest_service(PATH, service);
    let listener = listener.tap_io(|stream| {
        // Answers are small and waited for.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY could not be set");
        }
    });
    let serving = axum::serve(listener, router).with_graceful_shutdown(cancel.clone().cancelled_owned());
    let closed = async {
        cancel.cancelled().await;
        tokio::time::sleep(CLOSING).await;
    };
    tokio::select! {
        served = serving.into_future() => served.map_err(GatewayError::Listener),
        () = closed => Ok(()),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "showing the environment that reached the process is what the tool is for"
)]
fn environment_names() -> Vec<String> {
    let mut names: Vec<_> =
        std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
#[path = "demo_tests.rs"]
mod tests;
