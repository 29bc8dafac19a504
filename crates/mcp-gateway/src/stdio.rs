//! The gateway over the standard streams of the process, or over any other pair of byte streams.

use mcp_types::SessionId;
use rmcp::service::{QuitReason, ServerInitializeError, serve_server_with_ct};
use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use wharf::Runtime;

use crate::clients::Clients;
use crate::error::GatewayError;
use crate::line_transport::LineTransport;
use crate::raw_transport::RawTransport;
use crate::server::GatewaySession;

/// Serves one client over standard input and output until the client closes its end or `shutdown` is cancelled.
///
/// Calls that run when the client leaves get up to 5 seconds to end, 2 when `shutdown` is cancelled. The runtime is
/// left running. Pipes are read without blocking a thread; where standard input is something else, a thread stays
/// in its read, so after a cancel the process should end its tokio runtime without waiting for blocking tasks.
///
/// # Errors
/// [`GatewayError::Opening`] when the opening of the session could not be answered.
pub async fn serve_stdio(runtime: Runtime, shutdown: CancellationToken) -> Result<(), GatewayError> {
    let (reader, writer) = stdio_pipes();
    serve_stream(runtime, reader, writer, "stdio", shutdown).await
}

/// Serves one client over a pair of byte streams, one message a line.
///
/// `session` names the client: grants are kept under it, so two clients of one runtime need two names.
///
/// # Errors
/// As [`serve_stdio`].
pub async fn serve_stream<R, W>(
    runtime: Runtime,
    reader: R,
    writer: W,
    session: &str,
    shutdown: CancellationToken,
) -> Result<(), GatewayError>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let clients = Clients::default();
    let service = GatewaySession::new(runtime.clone(), clients.clone(), SessionId::new(session));
    let transport = RawTransport::new(LineTransport::new(reader, writer), TaskTracker::new());
    let opened = serve_server_with_ct(service, transport, shutdown.child_token()).await;
    let running = match opened {
        Ok(running) => running,
        Err(error) => return opening_failed(&error),
    };
    let served = running.waiting();
    tokio::pin!(served);
    let quit = tokio::select! {
        quit = &mut served => quit,
        // The runtime went first: calls fail one by one, and the client decides when to leave.
        () = clients.follow(&runtime) => served.await,
    };
    match quit {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(GatewayError::SessionPanicked(error)),
        Ok(_) => Ok(()),
    }
}

/// A client that leaves before the session is open has done nothing wrong.
fn opening_failed(error: &ServerInitializeError) -> Result<(), GatewayError> {
    if matches!(error, ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) {
        return Ok(());
    }
    Err(GatewayError::Opening { reason: error.to_string() })
}

#[cfg(test)]
#[path = "stdio_tests.rs"]
mod tests;
