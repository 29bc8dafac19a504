//! The guard process: ends our children should we be killed.
//!
//! A kill leaves us no moment to end our children, and a child may ignore the end of its input. So a small shell
//! stands by in a process group of its own. It is told which groups exist through a pipe that only we hold; when the
//! pipe ends without us having said otherwise, it ends every group that is left: first asking, a second later not.
//! It is started with the first child, off its path, and goes with the last.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::hub::lock;

use super::spawn::spawn_shell;

/// Shells differ in how a group is named to `kill`; dash, for one, takes only the first form.
const SCRIPT: &str = r#"trap '' INT TERM HUP
end() { kill -s "$1" -- "-$2" 2>/dev/null || kill "-$1" "-$2" 2>/dev/null; }
groups=''
while read -r act id; do
  rest=''
  for group in $groups; do [ "$group" = "$id" ] || rest="$rest $group"; done
  groups="$rest"
  if [ "$act" = + ]; then groups="$groups $id"; fi
done
if [ -n "$groups" ]; then
  for group in $groups; do end TERM "$group"; done
  sleep 1
  for group in $groups; do end KILL "$group"; done
fi
exit 0
"#;

/// How long the guard may take to end once it has nothing to guard.
const END_BOUND: Duration = Duration::from_secs(3);

/// The groups that must not outlive us, and the task that keeps the guard process informed of them.
pub(crate) struct ProcessGuard {
    groups: watch::Sender<BTreeSet<u32>>,
    keeper: Mutex<Option<JoinHandle<()>>>,
    closing: CancellationToken,
    tasks: TaskTracker,
}

impl ProcessGuard {
    pub(crate) fn new() -> Self {
        Self {
            groups: watch::Sender::default(),
            keeper: Mutex::new(None),
            closing: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }
    }

    /// Puts a group under guard until what is returned is dropped.
    pub(super) fn watch(&self, leader: u32) -> GuardedGroup {
        self.groups.send_modify(|groups| {
            groups.insert(leader);
        });
        let mut keeper = lock(&self.keeper);
        // The runtime of an earlier keeper may be gone, and the keeper with it.
        if keeper.as_ref().is_none_or(JoinHandle::is_finished) {
            *keeper = Some(self.tasks.spawn(keep(self.groups.subscribe(), self.closing.clone())));
        }
        GuardedGroup { leader, groups: self.groups.clone() }
    }

    /// Waits until the guard process is gone, which it is when no group is left.
    pub(crate) async fn shutdown(&self) {
        self.closing.cancel();
        self.tasks.close();
        if timeout(END_BOUND, self.tasks.wait()).await.is_err() {
            tracing::debug!("the guard process still has something to guard");
        }
    }
}

/// One group under guard.
#[derive(Debug)]
pub(super) struct GuardedGroup {
    leader: u32,
    groups: watch::Sender<BTreeSet<u32>>,
}

impl Drop for GuardedGroup {
    fn drop(&mut self) {
        self.groups.send_modify(|groups| {
            groups.remove(&self.leader);
        });
    }
}

/// The running guard process.
struct Guard {
    child: Child,
    pipe: ChildStdin,
    told: BTreeSet<u32>,
}

/// Keeps a guard process for as long as there is a group to guard. Ends when there is none and never will be.
async fn keep(mut groups: watch::Receiver<BTreeSet<u32>>, closing: CancellationToken) {
    let mut guard = None;
    loop {
        let wanted = groups.borrow_and_update().clone();
        let is_idle = wanted.is_empty();
        guard = inform(guard, wanted).await;
        let is_closing = closing.is_cancelled();
        if is_idle && is_closing {
            return;
        }
        tokio::select! {
            changed = groups.changed() => if changed.is_err() { break },
            () = closing.cancelled(), if !is_closing => {}
        }
    }
    inform(guard, BTreeSet::new()).await;
}

/// Starts, tells or ends the guard process, as the groups demand.
async fn inform(guard: Option<Guard>, wanted: BTreeSet<u32>) -> Option<Guard> {
    if wanted.is_empty() {
        if let Some(guard) = guard {
            guard.end().await;
        }
        return None;
    }
    let mut guard = guard.or_else(Guard::start)?;
    match guard.tell(wanted).await {
        Ok(()) => Some(guard),
        Err(error) => {
            tracing::debug!(%error, "the guard process is gone");
            None
        }
    }
}

impl Guard {
    fn start() -> Option<Self> {
        match spawn_shell(SCRIPT) {
            Ok(mut child) => {
                let pipe = child.stdin.take()?;
                Some(Self { child, pipe, told: BTreeSet::new() })
            }
            Err(error) => {
                tracing::debug!(%error, "no guard process: children may outlive a kill of this process");
                None
            }
        }
    }

    async fn tell(&mut self, wanted: BTreeSet<u32>) -> std::io::Result<()> {
        let added = wanted.difference(&self.told).map(|group| format!("+ {group}\n"));
        let removed = self.told.difference(&wanted).map(|group| format!("- {group}\n"));
        let lines: String = added.chain(removed).collect();
        self.pipe.write_all(lines.as_bytes()).await?;
        self.pipe.flush().await?;
        self.told = wanted;
        Ok(())
    }

    /// Lets the guard go: it knows of no group any more.
    async fn end(mut self) {
        if let Err(error) = self.tell(BTreeSet::new()).await {
            tracing::debug!(%error, "the guard process is gone");
        }
        drop(self.pipe);
        if timeout(END_BOUND, self.child.wait()).await.is_err()
            && let Err(error) = self.child.kill().await
        {
            tracing::debug!(%error, "the guard process could not be ended");
        }
    }
}

#[cfg(all(test, unix))]
#[path = "guard_tests.rs"]
mod tests;
