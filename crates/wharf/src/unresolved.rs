//! Servers whose entry names something that is not there: they stay visible and refuse to connect, saying why.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use mcp_transport::{ConnectRequest, Connector, Failure, Session};
use mcp_types::{BoxFuture, ServerName};

/// The failures that stand before any attempt, by server.
pub(crate) type Refusals = BTreeMap<ServerName, Failure>;

/// A connector that refuses servers with an unresolved entry before anything is started or sent.
pub(crate) struct CheckedConnector {
    inner: Arc<dyn Connector>,
    refusals: ArcSwap<Refusals>,
}

impl CheckedConnector {
    pub(crate) fn new(inner: Arc<dyn Connector>) -> Self {
        Self { inner, refusals: ArcSwap::default() }
    }

    pub(crate) fn refuse(&self, refusals: Refusals) {
        self.refusals.store(Arc::new(refusals));
    }
}

impl Connector for CheckedConnector {
    fn connect(&self, request: ConnectRequest) -> BoxFuture<'static, Result<Session, Failure>> {
        match self.refusals.load().get(&request.spec.server) {
            Some(failure) => Box::pin(std::future::ready(Err(failure.clone()))),
            None => self.inner.connect(request),
        }
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        self.inner.shutdown()
    }
}

impl fmt::Debug for CheckedConnector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CheckedConnector").finish_non_exhaustive()
    }
}
