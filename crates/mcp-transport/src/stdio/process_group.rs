//! A process group: the child and whatever it started.
//!
//! A child that ends may leave its own children behind, so the group is signalled also after its leader has gone. The
//! number of a group stays taken as long as it has a member, so a signal that is sent after a check that it is not
//! empty reaches no stranger.

use std::time::Duration;

use tokio::time::{Instant, sleep};

/// How often a group is looked at while it is expected to empty itself.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How long a killed group may take to be gone.
const KILL_BOUND: Duration = Duration::from_secs(1);

/// The group that a child leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProcessGroup {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

impl ProcessGroup {
    /// Names the group by its leader's process id.
    #[cfg(unix)]
    pub(super) fn of(leader: Option<u32>) -> Self {
        let leader = leader.and_then(|id| i32::try_from(id).ok());
        Self { leader: leader.and_then(rustix::process::Pid::from_raw) }
    }

    #[cfg(not(unix))]
    pub(super) fn of(_leader: Option<u32>) -> Self {
        Self {}
    }

    /// Asks every member to end.
    pub(super) fn terminate(self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::TERM);
    }

    /// Ends every member.
    pub(super) fn kill(self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::KILL);
    }

    #[cfg(unix)]
    fn signal(self, signal: rustix::process::Signal) {
        let Some(leader) = self.leader else { return };
        if let Err(error) = rustix::process::kill_process_group(leader, signal) {
            // Usually there is nobody left.
            tracing::trace!(%error, ?signal, "a process group could not be signalled");
        }
    }

    /// Tells whether any member still runs. Dead members that nobody has collected do not count.
    pub(super) fn has_members(self) -> bool {
        #[cfg(unix)]
        if let Some(leader) = self.leader {
            return rustix::process::test_kill_process_group(leader).is_ok() && has_living_member(leader);
        }
        false
    }

    /// Ends what the leader has left behind, and returns when nothing is left. True when something had to be killed.
    pub(super) async fn sweep(self, grace: Duration) -> bool {
        if !self.has_members() {
            return false;
        }
        self.terminate();
        if self.wait_until_empty(grace).await {
            return false;
        }
        self.kill();
        if !self.wait_until_empty(KILL_BOUND).await {
            tracing::warn!(group = ?self, "a killed process group is still there");
        }
        true
    }

    pub(super) async fn wait_until_empty(self, bound: Duration) -> bool {
        let deadline = Instant::now() + bound;
        while self.has_members() {
            if Instant::now() >= deadline {
                return false;
            }
            sleep(LOOK_EVERY).await;
        }
        true
    }
}

/// Looks through the process table: where nothing collects orphans, the dead stay in their group.
#[cfg(target_os = "linux")]
#[expect(
    clippy::disallowed_methods,
    reason = "the process table is no file: mcp-fs has nothing to guard here"
)]
fn has_living_member(leader: rustix::process::Pid) -> bool {
    let Ok(entries) = std::fs::read_dir("/proc") else { return true };
    entries.flatten().any(|entry| {
        let is_process = entry.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit);
        is_process
            && std::fs::read_to_string(entry.path().join("stat"))
                .is_ok_and(|stat| is_living_member(&stat, leader.as_raw_nonzero().get()))
    })
}

#[cfg(all(unix, not(target_os = "linux")))]
fn has_living_member(_leader: rustix::process::Pid) -> bool {
    true
}

/// Reads one line of the process table: `pid (name) state parent group …`.
#[cfg(target_os = "linux")]
fn is_living_member(stat: &str, group: i32) -> bool {
    // The name may hold anything, also parentheses.
    let Some((_, fields)) = stat.rsplit_once(')') else { return false };
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next();
    let member_of = fields.nth(1).and_then(|field| field.parse::<i32>().ok());
    member_of == Some(group) && !matches!(state, Some("Z" | "X"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_dead_do_not_count_as_members() {
        assert!(is_living_member("12 (a) b) S 1 7 7 0", 7));
        assert!(!is_living_member("12 (a) b) Z 1 7 7 0", 7));
        assert!(!is_living_member("12 (sh) S 1 8 7 0", 7));
    }
}
