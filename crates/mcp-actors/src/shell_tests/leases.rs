use mcp_testkit::Answer;
use mcp_transport::{ConnectRequest, Connector, Failure, FailureClass, RequestOptions, Session};
use mcp_types::{Arguments, BoxFuture, Epoch, ErrorCode, ToolName};

use super::*;
use crate::LeaseOutcome;
use crate::test_support::failure;

async fn call(lease: &Lease) -> Result<String, Failure> {
    let tool = ToolName::new("a").unwrap();
    let output = lease.session().call_tool(&tool, &Arguments::empty(), RequestOptions::default()).await;
    output.map(|output| output.joined_text())
}

#[tokio::test(start_paused = true)]
async fn a_lease_carries_a_call_and_the_listing_of_its_epoch() {
    let home = Home::with_one().await;
    let lease = home.acquire("s").await.unwrap();
    assert_eq!(call(&lease).await.unwrap(), "{}");
    assert_eq!((lease.epoch(), lease.listing().tools.len()), (Epoch::new(1), 1));
    drop(lease);
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_not_mounted_or_disabled_is_refused_without_a_dial() {
    let home = Home::with_one().await;
    assert_eq!(home.acquire("t").await.unwrap_err(), Refusal::Unknown);
    home.apply(&[MountSpec { disabled: true, ..mount_spec("s", LifecycleMode::Lazy) }]).await;
    assert_eq!(home.acquire("s").await.unwrap_err(), Refusal::Disabled);
    assert_eq!(home.connector.dials("s"), 0);
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn the_bound_in_flight_is_waited_for_up_to_the_deadline() {
    let home = Home::with_one().await;
    home.apply(&[MountSpec { max_in_flight: 2, ..mount_spec("s", LifecycleMode::Lazy) }]).await;
    let (first, _second) = (home.acquire("s").await.unwrap(), home.acquire("s").await.unwrap());
    let begun = Instant::now();
    let refusal = home.acquire_within("s", seconds(7)).await.unwrap_err();
    assert_eq!((refusal.code(), begun.elapsed().as_secs()), (ErrorCode::Overloaded, 7));
    let (third, ()) = tokio::join!(home.acquire_within("s", seconds(7)), async { drop(first) });
    assert!(third.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_start_slower_than_the_deadline_goes_on() {
    let home = Home::with_one().await;
    home.connector.hang("s");
    let begun = Instant::now();
    assert_eq!(home.acquire_within("s", seconds(5)).await.unwrap_err(), Refusal::StillStarting);
    assert_eq!(begun.elapsed().as_secs(), 5);
    assert_eq!(home.state("s"), Some(ServerState::Connecting));
    home.connector.answer("s");
    let refusal = home.acquire_within("s", seconds(600)).await.unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::Timeout);
    assert_eq!(home.connector.dials("s"), 1);
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn t_mnt_03_concurrent_requests_share_one_dial() {
    let home = Home::with_one().await;
    let asks = (0..8).map(|_| home.acquire("s"));
    let leases = futures::future::join_all(asks).await;
    assert!(leases.iter().all(Result::is_ok));
    assert_eq!(home.connector.dials("s"), 1);
    drop(leases);
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_request_whose_caller_left_keeps_no_place() {
    let home = Home::with_one().await;
    home.apply(&[MountSpec { max_in_flight: 1, ..mount_spec("s", LifecycleMode::Lazy) }]).await;
    for _ in 0..5 {
        let gone = tokio::time::timeout(std::time::Duration::ZERO, home.acquire("s")).await;
        drop(gone);
    }
    drop(home.acquire_within("s", seconds(1)).await.unwrap());
    assert_eq!(home.connector.dials("s"), 1);
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn fc_a_crashed_server_works_again_on_the_next_request() {
    let home = Home::with_one().await;
    let script = home.connector.serve("s", Script::new().simple_tool("a").answer("a", Answer::Exit));
    let lease = home.acquire("s").await.unwrap();
    let failed = call(&lease).await.unwrap_err();
    lease.settle(LeaseOutcome::Failed(failed.class));
    drop(lease);
    script.set_answer("a", Answer::text("back"));
    let lease = home.acquire("s").await.unwrap();
    assert_eq!((call(&lease).await.unwrap().as_str(), lease.epoch()), ("back", Epoch::new(2)));
    drop(lease);
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn t_call_06_all_who_met_an_expired_session_share_the_next_one() {
    let home = Home::with_one().await;
    let old = [home.acquire("s").await.unwrap(), home.acquire("s").await.unwrap()];
    for lease in &old {
        lease.settle(LeaseOutcome::Failed(FailureClass::SessionExpired));
    }
    let deadline = Instant::now() + seconds(30);
    let options = AcquireOptions { newer_than: Some(Epoch::new(1)), ..AcquireOptions::until(deadline) };
    let server = name("s");
    let renewed = tokio::join!(home.house.acquire(&server, options), home.house.acquire(&server, options));
    assert_eq!((renewed.0.unwrap().epoch(), renewed.1.unwrap().epoch()), (Epoch::new(2), Epoch::new(2)));
    assert_eq!((home.connector.dials("s"), home.connector.most_live("s")), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_refresh_opens_a_new_connection() {
    let home = Home::with_one().await;
    drop(home.acquire("s").await.unwrap());
    home.house.refresh(&name("s"), Instant::now() + seconds(30)).await.unwrap();
    assert_eq!(home.acquire("s").await.unwrap().epoch(), Epoch::new(2));
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn t_call_03_after_a_timeout_the_session_serves_on() {
    let home = Home::new().await;
    let slow = Answer::Late(seconds(40), Box::new(Answer::text("late")));
    let script = home.connector.serve("s", Script::new().simple_tool("a").answer("a", slow));
    home.apply(&[mount_spec("s", LifecycleMode::Lazy)]).await;
    let lease = home.acquire("s").await.unwrap();
    let failed = call(&lease).await.unwrap_err();
    assert_eq!(failed.class, FailureClass::Timeout);
    lease.settle(LeaseOutcome::Failed(failed.class));
    drop(lease);
    script.set_answer("a", Answer::text("now"));
    let lease = home.acquire("s").await.unwrap();
    assert_eq!((call(&lease).await.unwrap().as_str(), lease.epoch()), ("now", Epoch::new(1)));
    drop(lease);
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn adapter_10_the_block_after_a_failed_connect_is_told_and_can_be_bypassed() {
    let home = Home::with_one().await;
    home.connector.fail("s", failure(FailureClass::Unreachable));
    assert!(matches!(home.acquire("s").await.unwrap_err(), Refusal::ConnectFailed(_)));
    home.connector.answer("s");
    assert!(matches!(home.acquire("s").await.unwrap_err(), Refusal::Backoff { .. }));
    let deadline = Instant::now() + seconds(5);
    let options = AcquireOptions { bypass_backoff: true, ..AcquireOptions::until(deadline) };
    assert!(home.house.acquire(&name("s"), options).await.is_ok());
    home.end().await;
}

struct PanickingConnector;

impl Connector for PanickingConnector {
    fn connect(&self, _: ConnectRequest) -> BoxFuture<'static, Result<Session, Failure>> {
        panic!("no connection today")
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_connector_is_a_failed_attempt() {
    let house = start(Arc::new(PanickingConnector)).await;
    let mounts = vec![(name("s"), Arc::new(mount_spec("s", LifecycleMode::Lazy)))];
    house.apply(Desired { generation: Generation::new(1), mounts });
    house.applied(Generation::new(1)).await;
    let options = AcquireOptions::until(Instant::now() + seconds(5));
    assert!(matches!(house.acquire(&name("s"), options).await, Err(Refusal::ConnectFailed(_))));
}
