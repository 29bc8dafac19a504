//! The guard process: ends our children should we be killed.
//!
//! A kill leaves us no moment to end our children, and a child may ignore the end of its input. So a small shell
//! stands by in a process group of its own. It is told which groups exist through a pipe that only we hold; when the
//! pipe ends without us having said otherwise, it ends every group that is left: first asking, a second later not.
//!
//! It is started right after the first child, while that one comes up, and is told of each group before anything is
//! sent to it: a group that serves a call is always known. It goes with the last group.

use std::collections::BTreeSet;
use std::io::{PipeWriter, Write as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::process::Child;
use tokio::runtime::Handle;
use tokio::time::timeout;
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

/// The groups that must not outlive us. Cheap to share; one per connector.
pub(crate) struct ProcessGuard {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    ending: TaskTracker,
}

#[derive(Default)]
struct State {
    groups: BTreeSet<u32>,
    guard: Option<Guard>,
}

impl ProcessGuard {
    pub(crate) fn new() -> Self {
        Self { shared: Arc::default() }
    }

    /// Puts a group under guard until what is returned is dropped. The guard process knows of it when this returns.
    pub(super) fn watch(&self, leader: u32) -> GuardedGroup {
        let mut state = lock(&self.shared.state);
        state.groups.insert(leader);
        if state.guard.is_none() {
            state.guard = Guard::start();
        }
        if let Some(guard) = &mut state.guard
            && let Err(error) = guard.tell('+', leader)
        {
            tracing::debug!(%error, "the guard process is gone");
            state.guard = None;
        }
        drop(state);
        GuardedGroup { leader, shared: Arc::clone(&self.shared) }
    }

    /// Waits until the guard process is gone, which it is when no group is left.
    pub(crate) async fn shutdown(&self) {
        self.shared.ending.close();
        if timeout(END_BOUND, self.shared.ending.wait()).await.is_err() {
            tracing::debug!("the guard process has not ended");
        }
    }
}

/// One group under guard.
pub(super) struct GuardedGroup {
    leader: u32,
    shared: Arc<Shared>,
}

impl Drop for GuardedGroup {
    fn drop(&mut self) {
        let mut state = lock(&self.shared.state);
        state.groups.remove(&self.leader);
        let Some(mut guard) = state.guard.take() else { return };
        let told = guard.tell('-', self.leader);
        if !state.groups.is_empty() && told.is_ok() {
            state.guard = Some(guard);
            return;
        }
        drop(state);
        // Outside a runtime the shell ends by itself when its pipe does; nobody waits for it then.
        if let Ok(runtime) = Handle::try_current() {
            self.shared.ending.spawn_on(guard.end(), &runtime);
        }
    }
}

impl std::fmt::Debug for GuardedGroup {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("GuardedGroup").field("leader", &self.leader).finish_non_exhaustive()
    }
}

/// The running guard process.
struct Guard {
    child: Child,
    pipe: PipeWriter,
}

impl Guard {
    fn start() -> Option<Self> {
        let started = spawn_shell(SCRIPT).and_then(|mut child| {
            let pipe = child.stdin.take().ok_or_else(|| std::io::Error::other("the shell has no input"))?;
            Ok(Self { child, pipe: PipeWriter::from(pipe.into_owned_fd()?) })
        });
        started
            .inspect_err(
                |error| tracing::debug!(%error, "no guard process: children may outlive a kill of this one"),
            )
            .ok()
    }

    /// Writes one short line. The pipe holds thousands of them, so this does not wait.
    fn tell(&mut self, act: char, group: u32) -> std::io::Result<()> {
        self.pipe.write_all(format!("{act} {group}\n").as_bytes())
    }

    /// Lets the guard go: it knows of no group any more.
    async fn end(self) {
        let Self { mut child, pipe } = self;
        drop(pipe);
        if timeout(END_BOUND, child.wait()).await.is_err()
            && let Err(error) = child.kill().await
        {
            tracing::debug!(%error, "the guard process could not be ended");
        }
    }
}

#[cfg(all(test, unix))]
#[path = "guard_tests.rs"]
mod tests;
