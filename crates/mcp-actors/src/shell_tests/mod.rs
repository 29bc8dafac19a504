//! The shells with fake servers under virtual time: that effects run, failures stay where they are, nothing is left.

mod bus;
mod endings;
mod leases;
mod lists;
mod stress;
mod supervision;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mcp_testkit::{FakeConnector, FakeHost, Script};
use mcp_transport::Connector;
use mcp_types::Generation;
use tokio::time::Instant;

use crate::test_support::{mount_spec, name};
use crate::{
    AcquireOptions, Desired, HouseHandle, HouseOptions, Lease, LifecycleMode, MountSpec, Refusal, ServerState,
};

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// A house with fake servers.
struct Home {
    house: HouseHandle,
    connector: FakeConnector,
    generation: AtomicU64,
}

impl Home {
    async fn new() -> Self {
        let connector = FakeConnector::new();
        let house = start(Arc::new(connector.clone())).await;
        Self { house, connector, generation: AtomicU64::new(0) }
    }

    /// A house with one lazy server `s` that offers the tool `a`.
    async fn with_one() -> Self {
        let home = Self::new().await;
        home.connector.serve("s", Script::new().simple_tool("a"));
        home.apply(&[mount_spec("s", LifecycleMode::Lazy)]).await;
        home
    }

    async fn apply(&self, specs: &[MountSpec]) {
        let generation = Generation::new(self.generation.fetch_add(1, Ordering::Relaxed) + 1);
        let mounts = specs.iter().map(|spec| (spec.connect.server.clone(), Arc::new(spec.clone()))).collect();
        self.house.apply(Desired { generation, mounts });
        self.house.applied(generation).await;
    }

    async fn acquire(&self, server: &str) -> Result<Lease, Refusal> {
        self.acquire_within(server, seconds(30)).await
    }

    async fn acquire_within(&self, server: &str, limit: Duration) -> Result<Lease, Refusal> {
        self.house.acquire(&name(server), AcquireOptions::until(Instant::now() + limit)).await
    }

    fn state(&self, server: &str) -> Option<ServerState> {
        self.house.snapshot().server(server).map(|status| status.status)
    }

    /// Waits until a server shows this state.
    async fn wait_for(&self, server: &str, state: ServerState) {
        let mut subscription = self.house.subscribe();
        while self.state(server) != Some(state) {
            assert!(subscription.next().await.is_some(), "the house ended");
        }
    }

    /// The own names of the tools in the roster.
    fn tools(&self) -> Vec<String> {
        self.house.roster().tools().map(|tool| tool.reference.tool.to_string()).collect()
    }

    async fn end(self) {
        let report = self.house.shutdown(seconds(5)).await;
        assert_eq!(report, crate::ShutdownReport::default());
    }
}

async fn start(connector: Arc<dyn Connector>) -> HouseHandle {
    let options = HouseOptions { connector, host: Arc::new(FakeHost::new()), close_grace: seconds(2) };
    HouseHandle::start_seeded(options, fastrand::Rng::with_seed(11)).await.unwrap()
}
