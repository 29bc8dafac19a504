//! From a transport to a session: the handshake within its time, then the supervisor that sees the session to its end.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::BoxFuture;
use rmcp::service::{ClientInitializeError, RoleClient, RunningService, serve_client_with_lifecycle_and_ct};
use rmcp::transport::Transport;
use rmcp::{ClientCacheConfig, ClientLifecycleMode};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::classify::{Failure, FailureClass};
use crate::connect_spec::ConnectSpec;
use crate::connector::ConnectRequest;
use crate::facts::SessionFacts;
use crate::hub::Hub;
use crate::questions::Questions;
use crate::request::refusal;
use crate::revision;
use crate::session::{Session, SessionInner};
use crate::tap::OrderedTransport;

/// How long a peer that did not finish its handshake may take to end by itself.
const GRACE_AFTER_FAILURE: Duration = Duration::from_millis(200);
/// How long rmcp may take to let go of the transport.
const PROTOCOL_END: Duration = Duration::from_secs(5);

/// What lies beneath a session, and how it is taken down.
pub(crate) struct SessionResources {
    /// How [`crate::session::SessionFacts`] names the transport.
    pub(crate) transport: &'static str,
    /// The child process, where there is one.
    pub(crate) process_id: Option<u32>,
    /// Takes down what lies beneath, for certain and within bounds. Called exactly once, after the protocol has ended;
    /// when it is dropped uncalled, what it owns must end by itself.
    pub(crate) release: Box<dyn FnOnce(Release) -> BoxFuture<'static, Released> + Send>,
    /// Reads the error of a failed send; `None` when the error is not known. It looks through `source()` itself.
    pub(crate) classify: fn(&(dyn StdError + 'static)) -> Option<Failure>,
}

/// Why a session is taken down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Release {
    /// We want it to end; the peer may take this long to do so by itself.
    Asked {
        /// The time for a clean end.
        grace: Duration,
    },
    /// The peer has ended the stream of messages.
    Lost,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Released {
    /// How the end went.
    pub(crate) report: crate::session::CloseReport,
    /// Why the session was lost, in the words of the transport. Used only when nobody asked for the end.
    pub(crate) failure: Failure,
}

impl SessionResources {
    /// Resources of a transport with nothing beneath that needs an end of its own.
    pub(crate) fn plain(transport: &'static str) -> Self {
        Self {
            transport,
            process_id: None,
            release: Box::new(|_| {
                Box::pin(std::future::ready(Released {
                    report: crate::session::CloseReport::default(),
                    failure: Failure::lost(),
                }))
            }),
            classify: |_| None,
        }
    }
}

impl fmt::Debug for SessionResources {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SessionResources")
            .field("transport", &self.transport)
            .field("process_id", &self.process_id)
            .finish_non_exhaustive()
    }
}

/// Opens a session over a transport: the handshake within the startup time, then a supervised session.
///
/// When it fails, or when its future is dropped, everything beneath is taken down. The transport may report to the
/// hub what it meets on the way.
pub(crate) async fn establish_on<T>(
    hub: Arc<Hub>,
    request: ConnectRequest,
    transport: T,
    resources: SessionResources,
) -> Result<Session, Failure>
where
    T: Transport<RoleClient> + 'static,
{
    let spec = request.spec;
    let questions = Questions::new(Arc::clone(&hub), request.host, &spec.client);
    let transport = OrderedTransport::new(transport, Arc::clone(&hub));
    let stop = CancellationToken::new();
    let handshake = serve_client_with_lifecycle_and_ct(
        questions,
        transport,
        ClientLifecycleMode::Initialize,
        stop.clone(),
    );
    let running = match timeout(spec.timeouts.startup, Box::pin(handshake)).await {
        Ok(Ok(running)) => running,
        Ok(Err(error)) => return Err(give_up(&spec, resources, &hub, Some(error)).await),
        Err(_) => return Err(give_up(&spec, resources, &hub, None).await),
    };
    let Some(peer_info) = running.peer_info() else {
        return Err(give_up(&spec, resources, &hub, Some(ClientInitializeError::Cancelled)).await);
    };
    if !revision::is_accepted(&peer_info.protocol_version) {
        drop(running);
        (resources.release)(Release::Asked { grace: GRACE_AFTER_FAILURE }).await;
        return Err(Failure::new(
            FailureClass::Protocol,
            format!(
                "server `{}` chose protocol revision `{}`, which this client does not speak",
                spec.server, peer_info.protocol_version
            ),
        ));
    }
    let peer = running.peer().clone();
    // It would answer lists from memory, even after the server is gone.
    peer.set_response_cache_config(ClientCacheConfig::disabled()).await;
    let facts = SessionFacts::read(
        &peer_info,
        hub.take_handshake().as_deref(),
        resources.transport,
        resources.process_id,
    );
    let (close_order, orders) = watch::channel(None);
    let tasks = TaskTracker::new();
    tasks.spawn(supervise(running, stop, orders, resources.release, Arc::clone(&hub)));
    Ok(Session(Arc::new(SessionInner {
        facts,
        spec,
        peer,
        hub,
        classify: resources.classify,
        tasks,
        runtime: Handle::current(),
        close_order,
    })))
}

/// Sees one session to its end, whoever ends it, and tells the end.
async fn supervise(
    running: RunningService<RoleClient, Questions>,
    stop: CancellationToken,
    mut orders: watch::Receiver<Option<Duration>>,
    release: Box<dyn FnOnce(Release) -> BoxFuture<'static, Released> + Send>,
    hub: Arc<Hub>,
) {
    let mut protocol = Box::pin(running.waiting());
    let how = tokio::select! {
        biased;
        // A sender that is gone means that the last handle of the session was dropped.
        order = orders.wait_for(Option::is_some) => {
            Release::Asked { grace: order.ok().and_then(|order| *order).unwrap_or_default() }
        }
        ended = &mut protocol => {
            if let Err(error) = ended {
                tracing::error!(server = %hub.server, %error, "the protocol task has failed");
            }
            Release::Lost
        }
    };
    if let Release::Asked { .. } = how {
        hub.closing.cancel();
        stop.cancel();
        if timeout(PROTOCOL_END, &mut protocol).await.is_err() {
            tracing::warn!(server = %hub.server, "the protocol task does not end");
        }
    }
    hub.over.cancel();
    drop(protocol);
    let released = release(how).await;
    let failure = match how {
        Release::Asked { .. } => Failure::closed(),
        Release::Lost => released.failure,
    };
    hub.end(failure, released.report);
}

/// Takes down what lies beneath a handshake that failed, and says why it did.
async fn give_up(
    spec: &ConnectSpec,
    resources: SessionResources,
    hub: &Hub,
    error: Option<ClientInitializeError>,
) -> Failure {
    // The questions that are still open must not hold up the end.
    hub.over.cancel();
    let lost = matches!(
        error,
        Some(ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. })
    );
    let how = if lost { Release::Lost } else { Release::Asked { grace: GRACE_AFTER_FAILURE } };
    let classify = resources.classify;
    let released = (resources.release)(how).await;
    let server = &spec.server;
    match error {
        None => start_timeout(spec, &released.failure),
        Some(ClientInitializeError::TransportError { error, .. }) => {
            classify(&*error.error).unwrap_or(released.failure)
        }
        Some(ClientInitializeError::ConnectionClosed(_)) => released.failure,
        Some(ClientInitializeError::JsonRpcError(error)) => refusal(server.as_str(), &error),
        Some(ClientInitializeError::Cancelled) => Failure::new(
            FailureClass::Cancelled,
            format!("the connection to server `{server}` was cancelled"),
        ),
        Some(
            ClientInitializeError::ExpectedInitResult(_) | ClientInitializeError::ExpectedInitResponse(_),
        ) => Failure::new(
            FailureClass::Protocol,
            format!("server `{server}` answered `initialize` with something that is no handshake"),
        ),
        Some(other) => Failure::new(FailureClass::Protocol, format!("server `{server}`: {other}")),
    }
}

fn start_timeout(spec: &ConnectSpec, beneath: &Failure) -> Failure {
    let span = spec.timeouts.startup.as_secs_f64();
    let mut message = format!("server `{}` did not finish its start within {span} s", spec.server);
    if let FailureClass::Exited { stderr_tail, .. } = &beneath.class
        && !stderr_tail.is_empty()
    {
        message.push_str("; it said: ");
        message.push_str(&stderr_tail.join(" | "));
    }
    Failure::new(FailureClass::Timeout, message)
}
