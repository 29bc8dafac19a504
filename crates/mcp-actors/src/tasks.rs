//! Tasks with an owner, and the one timer of an actor.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt as _;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

/// Owns tasks: ends them all, and waits until they are gone. Clones share the tasks, so that whoever supervises the
/// owner can clean up after it.
#[derive(Debug, Clone, Default)]
pub(crate) struct TaskScope {
    tasks: TaskTracker,
    end: CancellationToken,
    cut_off: Arc<AtomicUsize>,
}

impl TaskScope {
    /// Starts a task that is dropped when the scope ends.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        let (end, cut_off) = (self.end.clone(), Arc::clone(&self.cut_off));
        let task = async move {
            if end.run_until_cancelled(task).await.is_none() {
                cut_off.fetch_add(1, Ordering::Relaxed);
            }
        };
        self.tasks.spawn(task).abort_handle()
    }

    /// Ends the scope when the guard is dropped.
    pub(crate) fn guard(&self) -> DropGuard {
        self.end.clone().drop_guard()
    }

    /// Gives the tasks some time to end by themselves, ends those that are left, waits until they are gone and tells
    /// how many were cut off.
    pub(crate) async fn shutdown(&self, patience: Duration) -> usize {
        self.tasks.close();
        if tokio::time::timeout(patience, self.tasks.wait()).await.is_err() {
            self.end.cancel();
            self.tasks.wait().await;
        }
        self.end.cancel();
        self.cut_off.load(Ordering::Relaxed)
    }
}

/// The one timer of an actor. One that rings too early is kept when a later one is asked for: it wakes the actor in
/// vain once, which is cheaper than a new timer with every message.
#[derive(Debug, Default)]
pub(crate) struct Alarm {
    set: Option<(Instant, AbortHandle)>,
    tasks: TaskScope,
}

impl Alarm {
    /// Notes that it rang.
    pub(crate) fn rang(&mut self) {
        self.set = None;
    }

    /// Lets it ring at this time or earlier.
    pub(crate) fn set(&mut self, at: Option<std::time::Instant>, ring: impl FnOnce() + Send + 'static) {
        let Some(at) = at.map(Instant::from_std) else { return };
        if self.set.as_ref().is_some_and(|(set, _)| *set <= at) {
            return;
        }
        let task = self.tasks.spawn(async move {
            tokio::time::sleep_until(at).await;
            ring();
        });
        if let Some((_, late)) = self.set.replace((at, task)) {
            late.abort();
        }
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.tasks.end.cancel();
    }
}

/// Runs a future and takes `fallback` where it panics.
pub(crate) async fn contained<T>(future: impl Future<Output = T>, fallback: impl FnOnce() -> T) -> T {
    match AssertUnwindSafe(future).catch_unwind().await {
        Ok(value) => value,
        Err(_) => fallback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_scope_ends_its_tasks_and_counts_those_cut_off() {
        let scope = TaskScope::default();
        scope.spawn(std::future::pending());
        scope.spawn(tokio::time::sleep(Duration::from_millis(10)));
        assert_eq!(scope.shutdown(Duration::from_secs(1)).await, 1);
    }

    #[tokio::test]
    async fn a_panic_is_contained() {
        assert_eq!(contained(async { panic!("no") }, || 7).await, 7);
    }

    #[tokio::test(start_paused = true)]
    async fn an_alarm_rings_at_the_earliest_time_it_was_set_to() {
        let (sender, mut receiver) = tokio::sync::mpsc::channel(4);
        let start = Instant::now();
        let mut alarm = Alarm::default();
        for seconds in [5, 2, 9] {
            let sender = sender.clone();
            let at = (start + Duration::from_secs(seconds)).into_std();
            alarm.set(Some(at), move || sender.try_send(seconds).unwrap());
        }
        assert_eq!(receiver.recv().await, Some(2));
        assert_eq!(start.elapsed().as_secs(), 2);
        alarm.rang();
        assert!(receiver.try_recv().is_err());
    }
}
