use mcp_testkit::Answer;
use mcp_transport::RequestOptions;
use mcp_types::{Arguments, ToolName};
use tokio::task::JoinSet;

use super::*;
use crate::test_support::connect_spec;
use crate::{Event, LeaseOutcome};

const SERVERS: [&str; 3] = ["a", "b", "c"];

/// One of a few definitions: another connection, another lifecycle, disabled now and then.
fn any_spec(server: &str, random: &mut fastrand::Rng) -> MountSpec {
    let version = random.u32(0..14);
    let mode = if version.is_multiple_of(2) { LifecycleMode::Lazy } else { LifecycleMode::KeepAlive };
    MountSpec {
        connect: connect_spec(server, version),
        disabled: version % 7 == 6,
        max_in_flight: 1 + random.usize(0..4),
        ..mount_spec(server, mode)
    }
}

async fn use_servers(house: HouseHandle, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..150 {
        let server = name(random.choice(SERVERS).unwrap());
        let deadline = Instant::now() + std::time::Duration::from_millis(random.u64(0..100));
        if random.u8(..) < 5 {
            drop(house.refresh(&server, deadline).await);
            continue;
        }
        let options = AcquireOptions { bypass_backoff: random.bool(), ..AcquireOptions::until(deadline) };
        let patience = std::time::Duration::from_micros(random.u64(0..20_000));
        let asked = tokio::time::timeout(patience, house.acquire(&server, options)).await;
        let Ok(Ok(lease)) = asked else {
            tokio::task::yield_now().await;
            continue;
        };
        let tool = ToolName::new(if random.u8(..) < 20 { "crash" } else { "echo" }).unwrap();
        let called = lease.session().call_tool(&tool, &Arguments::empty(), RequestOptions::default()).await;
        lease.settle(called.map_or_else(|failure| LeaseOutcome::Failed(failure.class), |_| LeaseOutcome::Ok));
    }
}

/// Many callers on several threads, while servers crash, change, come and go. The machines of a debug build check
/// their invariants all along; a violation would show as a restart.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_breaks_and_nothing_is_left_when_everything_happens_at_once() {
    let home = Home::new().await;
    let scripts = SERVERS.map(|server| {
        let script = Script::new().simple_tool("echo").simple_tool("crash").answer("crash", Answer::Exit);
        home.connector.serve(server, script)
    });
    let mut callers = JoinSet::new();
    for seed in 0..8 {
        callers.spawn(use_servers(home.house.clone(), seed));
    }
    let mut watcher = JoinSet::new();
    let mut subscription = home.house.subscribe();
    watcher.spawn(async move {
        while let Some(event) = subscription.next().await {
            let Event::Snapshot(snapshot) = event else { continue };
            assert!(snapshot.servers.iter().all(|server| server.status != ServerState::Restarting));
        }
    });
    let mut random = fastrand::Rng::with_seed(99);
    while !callers.is_empty() {
        let mut specs = Vec::new();
        for server in SERVERS {
            if random.u8(..) > 60 {
                specs.push(any_spec(server, &mut random));
            }
        }
        home.apply(&specs).await;
        for script in &scripts {
            script.list_changed();
            if random.u8(..) < 10 {
                script.disconnect();
            }
        }
        let round = std::time::Duration::from_millis(random.u64(1..15));
        while let Ok(Some(ended)) = tokio::time::timeout(round, callers.join_next()).await {
            ended.unwrap();
        }
    }
    home.house.shutdown(seconds(5)).await;
    watcher.join_next().await.unwrap().unwrap();
    for server in SERVERS {
        home.connector.wait_for_live(server, 0).await;
    }
}
