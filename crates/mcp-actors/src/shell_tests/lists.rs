use mcp_testkit::script::tool_definition;
use mcp_types::Epoch;

use super::*;
use crate::Event;

#[tokio::test(start_paused = true)]
async fn t_rec_02_a_changed_list_becomes_one_new_roster() {
    let home = Home::new().await;
    let script = home.connector.serve("s", Script::new().simple_tool("a"));
    home.apply(&[mount_spec("s", LifecycleMode::Eager)]).await;
    home.wait_for("s", ServerState::Connected).await;
    let mut subscription = home.house.subscribe();
    script.set_tools(vec![tool_definition("b"), tool_definition("c")]);
    script.list_changed();
    let diff = loop {
        assert!(!home.tools().is_empty(), "t_rec_03: a reader saw no tools");
        if let Some(Event::Roster(diff)) = subscription.next().await {
            break diff;
        }
    };
    assert_eq!((diff.added.len(), diff.removed.len()), (2, 1));
    assert_eq!(home.tools(), ["b", "c"]);
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn s6_a_storm_of_notices_is_slowed_down() {
    let home = Home::new().await;
    let script = home.connector.serve("s", Script::new().simple_tool("a"));
    home.apply(&[mount_spec("s", LifecycleMode::Eager)]).await;
    home.wait_for("s", ServerState::Connected).await;
    for _ in 0..200 {
        script.list_changed();
        tokio::time::advance(std::time::Duration::from_millis(5)).await;
    }
    tokio::time::sleep(seconds(1)).await;
    let listings = script.requests("tools/list");
    assert!((2..=10).contains(&listings), "{listings}");
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn t_unm_06_an_unmount_during_a_listing_resurrects_nothing() {
    let home = Home::new().await;
    let script = home.connector.serve("s", Script::new().simple_tool("a").list_delay(seconds(2)));
    home.apply(&[mount_spec("s", LifecycleMode::Eager)]).await;
    home.wait_for("s", ServerState::Connected).await;
    script.set_tools(vec![tool_definition("late")]);
    script.list_changed();
    script.wait_for_requests("tools/list", 2).await;
    home.apply(&[]).await;
    assert_eq!((home.state("s"), home.tools()), (None, vec![]));
    home.connector.wait_for_live("s", 0).await;
    tokio::time::sleep(seconds(60)).await;
    assert_eq!((home.state("s"), home.tools()), (None, vec![]));
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn the_roster_holds_what_an_epoch_listed_once_it_is_published() {
    let home = Home::with_one().await;
    let lease = home.acquire("s").await.unwrap();
    home.house.published(&name("s"), lease.epoch()).await;
    assert_eq!(home.tools(), ["a"]);
    home.house.published(&name("nobody"), Epoch::new(1)).await;
    drop(lease);
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_known_list_is_shown_before_anything_is_connected() {
    let home = Home::with_one().await;
    let lease = home.acquire("s").await.unwrap();
    let seed = Some(Arc::clone(lease.listing()));
    drop(lease);
    let other = Home::new().await;
    other.apply(&[MountSpec { seed, ..mount_spec("s", LifecycleMode::Lazy) }]).await;
    assert_eq!((other.tools(), other.state("s")), (vec!["a".to_owned()], Some(ServerState::Cached)));
    assert_eq!(other.connector.dials("s"), 0);
    home.end().await;
    other.end().await;
}

#[tokio::test(start_paused = true)]
async fn t_rec_09_another_exposure_is_applied_without_a_new_connection() {
    let home = Home::with_one().await;
    drop(home.acquire("s").await.unwrap());
    home.house.published(&name("s"), Epoch::new(1)).await;
    let mut spec = mount_spec("s", LifecycleMode::Lazy);
    spec.expose.exclude = vec!["a".to_owned()];
    home.apply(&[spec]).await;
    assert_eq!((home.tools(), home.connector.dials("s"), home.connector.live("s")), (vec![], 1, 1));
    home.end().await;
}
