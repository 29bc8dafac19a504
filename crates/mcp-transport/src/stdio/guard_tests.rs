//! The guard process ends what we leave behind, and nothing else.

use std::os::unix::process::ExitStatusExt;

use super::*;

/// Heeds neither the end of its input nor a polite signal.
const STUBBORN: &str = "trap '' TERM; while :; do sleep 1; done";

#[tokio::test]
async fn a_group_under_guard_dies_within_five_seconds_of_our_death() {
    let mut victim = spawn_shell(STUBBORN).unwrap();
    let mut guard = Guard::start().unwrap();
    guard.tell(BTreeSet::from([victim.id().unwrap()])).await.unwrap();
    // Our end of the pipe closes, as it does when we are killed.
    let Guard { mut child, pipe, .. } = guard;
    drop(pipe);
    let status = timeout(Duration::from_secs(5), victim.wait()).await.unwrap().unwrap();
    assert_eq!(status.signal(), Some(9));
    assert!(child.wait().await.unwrap().success());
}

#[tokio::test]
async fn a_group_that_was_released_is_left_alone() {
    let mut victim = spawn_shell(STUBBORN).unwrap();
    let mut guard = Guard::start().unwrap();
    guard.tell(BTreeSet::from([victim.id().unwrap()])).await.unwrap();
    guard.tell(BTreeSet::new()).await.unwrap();
    let Guard { mut child, pipe, .. } = guard;
    drop(pipe);
    assert!(child.wait().await.unwrap().success());
    assert!(victim.try_wait().unwrap().is_none());
    victim.kill().await.unwrap();
}

#[tokio::test]
async fn the_guard_process_lives_as_long_as_there_is_a_group() {
    let guard = inform(None, BTreeSet::from([1_000_001])).await.unwrap();
    let process = guard.child.id();
    let guard = inform(Some(guard), BTreeSet::from([1_000_002])).await.unwrap();
    assert_eq!((guard.child.id(), &guard.told), (process, &BTreeSet::from([1_000_002])));
    assert!(inform(Some(guard), BTreeSet::new()).await.is_none());
}

#[tokio::test]
async fn the_keeper_ends_with_the_guard_or_with_its_shutdown() {
    let guard = ProcessGuard::new();
    let watched = guard.watch(1_000_001);
    let keeper = lock(&guard.keeper).take().unwrap();
    drop(guard);
    drop(watched);
    timeout(Duration::from_secs(5), keeper).await.unwrap().unwrap();

    let guard = ProcessGuard::new();
    drop(guard.watch(1_000_001));
    guard.shutdown().await;
    assert!(guard.tasks.is_empty());
}
