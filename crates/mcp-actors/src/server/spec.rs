//! What should be mounted and how long it lives: immutable, compared with `==`.

use std::sync::Arc;
use std::time::Duration;

use mcp_catalog::{ExposeSpec, ServerListing};
use mcp_transport::ConnectSpec;

use super::backoff::BackoffSpec;

/// One server as it should be. Two equal specs ask for the same; what is not part of the definition is not compared.
#[derive(Debug, Clone)]
pub struct MountSpec {
    /// How the server is reached. A change closes the session and opens another.
    pub connect: Arc<ConnectSpec>,
    /// When it is connected and when it is let go.
    pub lifecycle: LifecycleSpec,
    /// What is shown of it, and under which names.
    pub expose: ExposeSpec,
    /// Never connected, and shown as disabled.
    pub disabled: bool,
    /// A failed mount of it fails the mount of all.
    pub required: bool,
    /// Where it was defined, for the status.
    pub source: String,
    /// The most leases of it at one time; at least one is always granted.
    pub max_in_flight: usize,
    /// What it offered when it was last connected, from an earlier run. Not compared.
    pub seed: Option<Arc<ServerListing>>,
}

impl PartialEq for MountSpec {
    fn eq(&self, other: &Self) -> bool {
        let Self { connect, lifecycle, expose, disabled, required, source, max_in_flight, seed: _ } = self;
        same_connection(connect, &other.connect)
            && *lifecycle == other.lifecycle
            && *expose == other.expose
            && *disabled == other.disabled
            && *required == other.required
            && *source == other.source
            && *max_in_flight == other.max_in_flight
    }
}

/// Tells whether two specs open the same session.
pub(crate) fn same_connection(one: &Arc<ConnectSpec>, other: &Arc<ConnectSpec>) -> bool {
    Arc::ptr_eq(one, other) || one == other
}

/// When a server is connected, when it is let go, and how often it is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LifecycleSpec {
    /// Who decides that it is connected.
    pub mode: LifecycleMode,
    /// How long it may be unused before it is closed; `None` and zero never close it. The keep-alive modes ignore it.
    pub idle: Option<Duration>,
    /// How often a server that is kept alive is asked whether it lives, while nobody uses it. At least one second.
    pub health_interval: Duration,
    /// How attempts to connect are spaced.
    pub backoff: BackoffSpec,
}

impl LifecycleSpec {
    /// How often a server that is kept alive is asked whether it lives.
    pub const HEALTH_INTERVAL: Duration = Duration::from_secs(30);
    /// How long a lazy server may be unused.
    pub const LAZY_IDLE: Duration = Duration::from_mins(10);

    /// Makes the usual lifecycle of a mode.
    pub fn new(mode: LifecycleMode) -> Self {
        let idle = (mode == LifecycleMode::Lazy).then_some(Self::LAZY_IDLE);
        Self { mode, idle, health_interval: Self::HEALTH_INTERVAL, backoff: BackoffSpec::default() }
    }

    pub(crate) fn idle_limit(&self) -> Option<Duration> {
        match self.mode {
            LifecycleMode::Lazy | LifecycleMode::Eager => self.idle.filter(|idle| !idle.is_zero()),
            LifecycleMode::KeepAlive | LifecycleMode::LazyKeepAlive => None,
        }
    }

    pub(crate) fn ping_interval(&self) -> Duration {
        self.health_interval.max(Duration::from_secs(1))
    }
}

impl Default for LifecycleSpec {
    fn default() -> Self {
        Self::new(LifecycleMode::Lazy)
    }
}

/// Who decides that a server is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LifecycleMode {
    /// Connected by its first use, closed when it was idle.
    #[default]
    Lazy,
    /// Connected when it is mounted; later as `Lazy`.
    Eager,
    /// Connected when it is mounted and again whenever it is lost.
    KeepAlive,
    /// As `Lazy` up to the first connection, then as `KeepAlive`.
    LazyKeepAlive,
}
