//! The `Connector` port and the connector of the real world.

use std::fmt;
use std::sync::Arc;

use mcp_types::{BoxFuture, Epoch, Host};

use crate::classify::Failure;
use crate::connect_spec::{ConnectSpec, TransportSpec};
use crate::event::EventSink;
use crate::session::Session;
use crate::stdio::ProcessGuard;

/// Opens sessions. Tests replace it by a fake; nothing below it is ever replaced.
pub trait Connector: Send + Sync + 'static {
    /// Opens one session. The future may be dropped at any point: then nothing stays behind.
    fn connect(&self, request: ConnectRequest) -> BoxFuture<'static, Result<Session, Failure>>;

    /// Waits until nothing of the connector's own is left. Called once all sessions are closed.
    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// One session to open.
#[derive(Debug, Clone)]
pub struct ConnectRequest {
    /// What to connect to.
    pub spec: Arc<ConnectSpec>,
    /// The number of this connection of the server.
    pub epoch: Epoch,
    /// Where the session sends its events.
    pub events: EventSink,
    /// Who answers the questions of the server.
    pub host: Arc<dyn Host>,
}

/// Opens sessions over real processes and sockets.
///
/// It owns one guard process, started with the first child, that ends all children should this process be killed.
#[derive(Clone)]
pub struct SystemConnector {
    guard: Arc<ProcessGuard>,
}

impl SystemConnector {
    /// Makes a connector. Nothing is started yet.
    pub fn new() -> Self {
        Self { guard: Arc::new(ProcessGuard::new()) }
    }
}

impl Default for SystemConnector {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SystemConnector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SystemConnector")
    }
}

impl Connector for SystemConnector {
    fn connect(&self, request: ConnectRequest) -> BoxFuture<'static, Result<Session, Failure>> {
        let guard = Arc::clone(&self.guard);
        Box::pin(async move {
            let spec = Arc::clone(&request.spec);
            match &spec.transport {
                TransportSpec::Stdio(stdio) => crate::stdio::connect(request, stdio, &guard).await,
                TransportSpec::Http(_) => crate::http::connect(request).await,
            }
        })
    }

    /// Waits until the guard process is gone; a session that is still open holds this up for a few seconds at most.
    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.guard.shutdown())
    }
}
