//! The sessions of HTTP clients: those of the protocol library, bounded in number and with raw tool results.

use std::sync::Arc;
use std::time::Duration;

use futures::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::WorkerTransport;
use rmcp::transport::common::server_side_http::ServerSseMessage;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, LocalSessionWorker, SessionConfig,
};
use rmcp::transport::streamable_http_server::{SessionId, SessionManager};
use tokio_util::task::TaskTracker;

use crate::http::HttpOptions;
use crate::raw_transport::RawTransport;

/// How long the answer to a request can be fetched again by a client whose connection broke. Kept short: the
/// library walks over all kept answers with every message.
const ANSWER_KEPT: Duration = Duration::from_secs(2);
/// How soon a client whose connection broke should come back.
pub(crate) const RETRY: Duration = Duration::from_millis(500);

/// Why a session could not be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionsError {
    #[error("{limit} sessions are open already")]
    TooMany { limit: usize },
    #[error(transparent)]
    Local(#[from] LocalSessionManagerError),
}

/// Every open session of one HTTP gateway.
pub(crate) struct Sessions {
    local: LocalSessionManager,
    limit: usize,
    tracker: TaskTracker,
}

impl Sessions {
    pub(crate) fn new(options: &HttpOptions, tracker: TaskTracker) -> Self {
        let mut config = SessionConfig::default();
        config.keep_alive = Some(options.session_idle);
        config.completed_cache_ttl = ANSWER_KEPT;
        config.sse_retry = Some(RETRY);
        let mut local = LocalSessionManager::default();
        local.session_config = config;
        Self { local, limit: options.max_sessions, tracker }
    }

    /// Ends every session; what was answered already still reaches its client.
    pub(crate) async fn close_all(&self) {
        let ids: Vec<SessionId> = self.local.sessions.read().await.keys().cloned().collect();
        for id in ids {
            if let Err(error) = self.local.close_session(&id).await {
                tracing::debug!(%error, "a session did not close");
            }
        }
    }
}

impl SessionManager for Sessions {
    type Error = SessionsError;
    type Transport = RawTransport<WorkerTransport<LocalSessionWorker>>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionsError> {
        if self.local.sessions.read().await.len() >= self.limit {
            return Err(SessionsError::TooMany { limit: self.limit });
        }
        let (id, transport) = self.local.create_session().await?;
        Ok((id, RawTransport::new(transport, self.tracker.clone())))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionsError> {
        Ok(self.local.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionsError> {
        Ok(self.local.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionsError> {
        Ok(self.local.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        Ok(self.local.create_stream(id, message).await?)
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionsError> {
        Ok(self.local.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        Ok(self.local.create_standalone_stream(id).await?)
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        Ok(self.local.resume(id, last_event_id).await?)
    }
}

/// The sessions, shared between the library and whoever shuts down.
pub(crate) type SharedSessions = Arc<Sessions>;
