use std::time::Duration;

use mcp_types::{CallId, Origin, SessionId};

use super::*;
use crate::{CallEnd, CallEvent, Event};

fn started(number: u64) -> CallEvent {
    CallEvent::Started {
        call: CallId::new(number),
        session: SessionId::new("test"),
        origin: Origin::Library,
        tool: "a".to_owned(),
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscriber_hears_the_present_state_first_then_rising_versions_then_the_end() {
    let home = Home::with_one().await;
    let mut subscription = home.house.subscribe();
    let Some(Event::Snapshot(first)) = subscription.next().await else { panic!("no snapshot") };
    assert_eq!(first.servers.len(), 1);
    drop(home.acquire("s").await.unwrap());
    home.house.shutdown(seconds(1)).await;
    let mut newest = first;
    while let Some(event) = subscription.next().await {
        if let Event::Snapshot(snapshot) = event {
            assert!(snapshot.sequence > newest.sequence);
            newest = snapshot;
        }
    }
    assert!(newest.closed && newest.servers.is_empty());
    let mut late = home.house.subscribe();
    assert!(matches!(late.next().await, Some(Event::Snapshot(last)) if last.closed));
    assert!(late.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_slow_subscriber_gets_the_newest_state_and_one_diff_over_the_gap() {
    let home = Home::with_one().await;
    let mut subscription = home.house.subscribe();
    let lease = home.acquire("s").await.unwrap();
    home.house.published(&name("s"), lease.epoch()).await;
    for number in 0..1_000 {
        home.house.publish_call(started(number));
    }
    assert!(matches!(subscription.next().await, Some(Event::Snapshot(_))));
    let Some(Event::Snapshot(fresh)) = subscription.next().await else { panic!("no fresh snapshot") };
    assert_eq!(fresh.sequence, home.house.snapshot().sequence);
    let Some(Event::Roster(diff)) = subscription.next().await else { panic!("no diff") };
    assert_eq!(diff.added.len(), 1);
    let Some(Event::Call(CallEvent::Started { call, .. })) = subscription.next().await else {
        panic!("no call")
    };
    assert!(call.get() > 0);
}

#[tokio::test(start_paused = true)]
async fn call_events_reach_those_who_listen() {
    let home = Home::with_one().await;
    let mut subscription = home.house.subscribe();
    subscription.next().await;
    let finished = CallEvent::Finished {
        call: CallId::new(1),
        tool: None,
        end: CallEnd::Done,
        duration: Duration::from_millis(5),
    };
    home.house.publish_call(started(1));
    home.house.publish_call(finished.clone());
    assert!(matches!(subscription.next().await, Some(Event::Call(event)) if event == started(1)));
    assert!(matches!(subscription.next().await, Some(Event::Call(event)) if event == finished));
}

#[tokio::test(start_paused = true)]
async fn what_a_server_says_by_itself_goes_to_the_bus() {
    let home = Home::new().await;
    let script = home.connector.serve("s", Script::new().simple_tool("a"));
    home.apply(&[mount_spec("s", LifecycleMode::Eager)]).await;
    home.wait_for("s", ServerState::Connected).await;
    let mut subscription = home.house.subscribe();
    script.notify("notifications/message", &serde_json::json!({"level": "info", "data": "hello"}));
    let params = loop {
        if let Some(Event::Log { params, .. }) = subscription.next().await {
            break params;
        }
    };
    assert!(params.get().contains("hello"));
}
