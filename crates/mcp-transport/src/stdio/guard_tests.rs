//! The guard process ends what we leave behind, and nothing else.

use std::os::unix::process::ExitStatusExt;

use super::*;

/// Heeds neither the end of its input nor a polite signal.
const STUBBORN: &str = "trap '' TERM; while :; do sleep 1; done";

#[tokio::test]
async fn a_group_under_guard_dies_within_five_seconds_of_our_death() {
    let mut victim = spawn_shell(STUBBORN).unwrap();
    let mut guard = Guard::start().unwrap();
    guard.tell('+', victim.id().unwrap()).unwrap();
    // Our end of the pipe closes, as it does when we are killed.
    let Guard { mut child, pipe } = guard;
    drop(pipe);
    let status = timeout(Duration::from_secs(5), victim.wait()).await.unwrap().unwrap();
    assert_eq!(status.signal(), Some(9));
    assert!(child.wait().await.unwrap().success());
}

#[tokio::test]
async fn a_group_that_was_released_is_left_alone() {
    let mut victim = spawn_shell(STUBBORN).unwrap();
    let mut guard = Guard::start().unwrap();
    guard.tell('+', victim.id().unwrap()).unwrap();
    guard.tell('-', victim.id().unwrap()).unwrap();
    let Guard { mut child, pipe } = guard;
    drop(pipe);
    assert!(child.wait().await.unwrap().success());
    assert!(victim.try_wait().unwrap().is_none());
    victim.kill().await.unwrap();
}

#[tokio::test]
async fn the_guard_process_lives_as_long_as_there_is_a_group() {
    let guard = ProcessGuard::new();
    let process = || lock(&guard.shared.state).guard.as_ref().and_then(|guard| guard.child.id());
    let first = guard.watch(1_000_001);
    let started = process();
    let second = guard.watch(1_000_002);
    drop(first);
    assert!(started.is_some());
    assert_eq!(process(), started);
    drop(second);
    assert_eq!(process(), None);
    guard.shutdown().await;
    assert!(guard.shared.ending.is_empty());
}
