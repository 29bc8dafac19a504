use mcp_transport::FailureClass;
use mcp_types::Epoch;

use super::*;
use crate::test_support::{connect_spec, failure};

#[tokio::test(start_paused = true)]
async fn a_day_of_back_off_is_a_bounded_number_of_dials() {
    let home = Home::new().await;
    home.connector.serve("s", Script::new());
    home.connector.fail("s", failure(FailureClass::Unreachable));
    home.apply(&[mount_spec("s", LifecycleMode::KeepAlive)]).await;
    tokio::time::sleep(seconds(24 * 3_600)).await;
    let dials = home.connector.dials("s");
    assert!((285..=330).contains(&dials), "{dials}");
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_shell_that_fails_touches_no_other_and_begins_anew() {
    let home = Home::with_one().await;
    home.connector.serve("t", Script::new().simple_tool("b"));
    let specs = ["s", "t"].map(|server| mount_spec(server, LifecycleMode::Lazy));
    home.apply(&specs).await;
    let (old, other) = (home.acquire("s").await.unwrap(), home.acquire("t").await.unwrap());
    home.house.crash(&name("s"));
    home.wait_for("s", ServerState::Restarting).await;
    // Who asks meanwhile is served by the successor; the old session is closed before the new one opens.
    let new = home.acquire("s").await.unwrap();
    assert!(old.session().is_closed() && !other.session().is_closed());
    assert!(new.epoch() > old.epoch());
    assert_eq!((home.connector.most_live("s"), home.connector.dials("t")), (1, 1));
    drop((old, new, other));
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_shell_that_fails_while_it_dials_leaves_no_session() {
    let home = Home::with_one().await;
    home.connector.hang("s");
    let ask = home.acquire_within("s", seconds(20));
    let crash = async {
        home.connector.wait_for_dials("s", 1).await;
        home.connector.answer("s");
        home.house.crash(&name("s"));
    };
    let (lease, ()) = tokio::join!(ask, crash);
    assert_eq!((lease.unwrap().epoch(), home.connector.live("s")), (Epoch::new(2), 1));
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_shell_that_fails_again_and_again_is_slowed_down() {
    let home = Home::with_one().await;
    let begun = Instant::now();
    for _ in 0..10 {
        drop(home.acquire_within("s", seconds(300)).await.unwrap());
        home.house.crash(&name("s"));
        home.wait_for("s", ServerState::Restarting).await;
    }
    assert!(begun.elapsed() >= seconds(60), "{:?}", begun.elapsed());
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn fc_004_another_definition_drains_the_old_connection_before_it_opens_the_new_one() {
    let home = Home::with_one().await;
    let lease = home.acquire("s").await.unwrap();
    home.apply(&[MountSpec { connect: connect_spec("s", 2), ..mount_spec("s", LifecycleMode::Lazy) }]).await;
    assert!(!lease.session().is_closed());
    let (next, ()) = tokio::join!(home.acquire("s"), async {
        tokio::time::sleep(seconds(3)).await;
        drop(lease);
    });
    assert_eq!((next.unwrap().epoch(), home.connector.most_live("s")), (Epoch::new(2), 1));
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn t_eff_03_a_thousand_mounts_and_unmounts_leave_nothing() {
    let home = Home::with_one().await;
    let spec = mount_spec("s", LifecycleMode::Lazy);
    let mut newest = Epoch::ZERO;
    for _ in 0..1_000 {
        home.apply(std::slice::from_ref(&spec)).await;
        let lease = home.acquire("s").await.unwrap();
        assert!(lease.epoch() > newest);
        newest = lease.epoch();
        drop(lease);
        home.apply(&[]).await;
    }
    home.connector.wait_for_live("s", 0).await;
    assert_eq!((home.connector.dials("s"), home.connector.most_live("s")), (1_000, 1));
    home.end().await;
    assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn two_houses_with_the_same_names_live_side_by_side() {
    let (one, two) = (Home::with_one().await, Home::with_one().await);
    two.connector.serve("s", Script::new().simple_tool("other"));
    let (first, second) = (one.acquire("s").await.unwrap(), two.acquire("s").await.unwrap());
    assert_ne!(first.listing(), second.listing());
    one.house.shutdown(seconds(0)).await;
    assert!(first.session().is_closed() && !second.session().is_closed());
    assert_eq!(one.acquire("s").await.unwrap_err(), Refusal::ShuttingDown);
    assert!(two.acquire("s").await.is_ok());
    drop(second);
    two.end().await;
}
