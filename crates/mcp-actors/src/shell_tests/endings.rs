use mcp_testkit::Answer;
use mcp_transport::RequestOptions;
use mcp_types::{Arguments, ToolName};

use super::*;

fn alive_tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

#[tokio::test(start_paused = true)]
async fn t_unm_07_a_shutdown_leaves_no_session_and_no_task() {
    let home = Home::new().await;
    let modes = [LifecycleMode::Eager, LifecycleMode::KeepAlive, LifecycleMode::Lazy];
    let names = ["a", "b", "c"];
    let specs: Vec<_> = names.iter().zip(modes).map(|(server, mode)| mount_spec(server, mode)).collect();
    for server in names {
        home.connector.serve(server, Script::new().simple_tool("t"));
    }
    home.connector.hang("b");
    home.apply(&specs).await;
    home.wait_for("a", ServerState::Connected).await;
    let connector = home.connector.clone();
    home.end().await;
    assert_eq!((connector.live("a"), alive_tasks()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_gives_leases_their_grace_and_names_what_it_cut_off() {
    let home = Home::with_one().await;
    let lease = home.acquire("s").await.unwrap();
    let begun = Instant::now();
    let report = home.house.shutdown(seconds(3)).await;
    assert_eq!((report.forced, begun.elapsed().as_secs()), (vec![name("s")], 3));
    assert!(lease.is_unmounted() && lease.session().is_closed());
    assert_eq!(home.house.shutdown(seconds(3)).await.forced, [name("s")]);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_ends_as_soon_as_the_last_lease_is_back() {
    let home = Home::with_one().await;
    let lease = home.acquire("s").await.unwrap();
    let begun = Instant::now();
    let (report, ()) = tokio::join!(home.house.shutdown(seconds(60)), async {
        tokio::time::sleep(seconds(1)).await;
        drop(lease);
    });
    assert_eq!((report, begun.elapsed().as_secs()), (crate::ShutdownReport::default(), 1));
}

#[tokio::test(start_paused = true)]
async fn x_unm_01_a_call_that_runs_on_at_the_unmount_ends_and_knows_why() {
    let home = Home::new().await;
    home.connector.serve("s", Script::new().simple_tool("a").answer("a", Answer::Hang));
    home.apply(&[mount_spec("s", LifecycleMode::Lazy)]).await;
    let lease = home.acquire("s").await.unwrap();
    let tool = ToolName::new("a").unwrap();
    let arguments = Arguments::empty();
    let call = lease.session().call_tool(&tool, &arguments, RequestOptions::default());
    let begun = Instant::now();
    let (answer, ()) = tokio::join!(call, home.apply(&[]));
    assert!(answer.is_err() && lease.is_unmounted());
    assert_eq!(begun.elapsed().as_secs(), 5);
    assert_eq!(home.acquire("s").await.unwrap_err(), Refusal::Unknown);
}

#[tokio::test(start_paused = true)]
async fn t_unm_04_it_can_be_waited_for_that_nothing_of_an_unmounted_server_is_left() {
    let home = Home::with_one().await;
    let lease = home.acquire("s").await.unwrap();
    home.apply(&[]).await;
    assert_eq!(home.house.snapshot().leaving, [name("s")]);
    drop(lease);
    home.house.gone(&name("s")).await;
    assert_eq!((home.connector.live("s"), home.house.snapshot().leaving.len()), (0, 0));
    home.end().await;
}

#[tokio::test(start_paused = true)]
async fn times_beyond_all_measure_do_no_harm() {
    let home = Home::with_one().await;
    let mut spec = mount_spec("s", LifecycleMode::Eager);
    spec.lifecycle.idle = Some(std::time::Duration::MAX);
    spec.lifecycle.health_interval = std::time::Duration::MAX;
    spec.lifecycle.backoff.base = std::time::Duration::MAX;
    spec.lifecycle.backoff.cap = std::time::Duration::MAX;
    spec.lifecycle.backoff.acquire_block = std::time::Duration::MAX;
    home.apply(std::slice::from_ref(&spec)).await;
    let lease = home.acquire("s").await.unwrap();
    home.connector.fail("s", crate::test_support::failure(mcp_transport::FailureClass::Unreachable));
    home.house.refresh(&name("s"), Instant::now() + seconds(30)).await.unwrap_err();
    assert_eq!(home.state("s"), Some(ServerState::Failed));
    drop(lease);
    assert_eq!(home.house.shutdown(std::time::Duration::MAX).await.forced, [name("s")]);
}

#[tokio::test(start_paused = true)]
async fn an_unmount_gives_a_hanging_start_up() {
    let home = Home::with_one().await;
    home.connector.hang("s");
    let unmount = async {
        home.connector.wait_for_dials("s", 1).await;
        home.apply(&[]).await;
    };
    let (answer, ()) = tokio::join!(home.acquire("s"), unmount);
    assert_eq!(answer.unwrap_err(), Refusal::Unmounted);
    home.end().await;
    assert_eq!(alive_tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_house_that_is_only_dropped_ends_all_the_same() {
    let home = Home::with_one().await;
    drop(home.acquire("s").await.unwrap());
    let mut subscription = home.house.subscribe();
    let (connector, reader) = (home.connector.clone(), home.house.roster_reader());
    drop(home);
    connector.wait_for_live("s", 0).await;
    while subscription.next().await.is_some() {}
    assert_eq!(reader.current().servers().count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_name_that_comes_back_at_once_is_mounted_after_its_predecessor_is_gone() {
    let home = Home::with_one().await;
    let spec = mount_spec("s", LifecycleMode::Lazy);
    let lease = home.acquire("s").await.unwrap();
    home.apply(&[]).await;
    home.apply(&[spec]).await;
    let (next, ()) = tokio::join!(home.acquire("s"), async {
        tokio::time::sleep(seconds(1)).await;
        drop(lease);
    });
    assert!(next.is_ok());
    assert_eq!(home.connector.most_live("s"), 1);
}
