//! One child process from its start to the last member of its group.

use std::sync::Arc;
use std::time::Duration;

use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::classify::{Failure, FailureClass};
use crate::connect_spec::{ConnectSpec, StdioSpec};
use crate::establish::{Release, Released};
use crate::session::CloseReport;

use super::guard::{GuardedGroup, ProcessGuard};
use super::process_group::ProcessGroup;
use super::spawn::spawn;
use super::stderr_ring::StderrRing;

/// How long a process that closed its output may take to end by itself.
const AFTER_LAST_OUTPUT: Duration = Duration::from_millis(500);
/// How long a signalled process may take to end.
const AFTER_SIGNAL: Duration = Duration::from_secs(2);
/// How long what the leader left behind may take to end when it is asked to.
const ORPHAN_GRACE: Duration = Duration::from_millis(500);
/// How long the last lines of standard error may take to come in.
const LAST_LINES: Duration = Duration::from_millis(200);
/// How many lines of standard error a failure shows.
const TAIL_LINES: usize = 5;

/// A running child. Dropped without [`ChildProcess::end`], it takes its whole group with it.
#[derive(Debug)]
pub(super) struct ChildProcess {
    child: Child,
    group: ProcessGroup,
    stderr: StderrRing,
    draining: JoinSet<()>,
    server: String,
    command: String,
    /// `None` once the group is gone.
    guarded: Option<GuardedGroup>,
}

impl ChildProcess {
    pub(super) fn start(
        connect: &Arc<ConnectSpec>,
        spec: &StdioSpec,
        guard: &ProcessGuard,
    ) -> Result<(Self, ChildStdin, ChildStdout), Failure> {
        let server = connect.server.as_str();
        let mut child = spawn(server, spec)?;
        let process_id = child.id();
        let stderr = StderrRing::new(
            connect.limits.stderr_tail_bytes,
            spec.env.iter().map(|(_, value)| value.clone()),
        );
        let mut draining = JoinSet::new();
        if let Some(stream) = child.stderr.take() {
            draining.spawn(stderr.clone().drain(stream));
        }
        let streams = child.stdin.take().zip(child.stdout.take());
        let process = Self {
            child,
            group: ProcessGroup::of(process_id),
            stderr,
            draining,
            server: server.to_owned(),
            command: spec.command.clone(),
            guarded: process_id.map(|id| guard.watch(id)),
        };
        tracing::debug!(server, process_id, "process started");
        let Some((stdin, stdout)) = streams else {
            return Err(Failure::new(
                FailureClass::Unreachable,
                format!("server `{server}` cannot start: its streams are missing"),
            ));
        };
        Ok((process, stdin, stdout))
    }

    pub(super) fn process_id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Sees the process and its group to their end. Its standard input is closed by now.
    pub(super) async fn end(mut self, how: Release) -> Released {
        let (by_itself, when_asked) = match how {
            Release::Asked { grace } => (grace / 2, grace / 2),
            Release::Lost => (AFTER_LAST_OUTPUT, AFTER_LAST_OUTPUT),
        };
        let mut forced = false;
        let own_status = self.wait(by_itself).await;
        let mut status = own_status.clone();
        if status.is_none() {
            self.group.terminate();
            status = self.wait(when_asked).await;
        }
        if status.is_none() {
            forced = true;
            self.group.kill();
            // Where there are no groups, at least the process itself.
            if let Err(error) = self.child.start_kill() {
                tracing::debug!(server = %self.server, %error, "the process could not be killed");
            }
            status = self.wait(AFTER_SIGNAL).await;
        }
        forced |= self.group.sweep(when_asked.min(ORPHAN_GRACE)).await;
        self.guarded = None;
        // A stranger that holds the stream open must not hold us up.
        if timeout(LAST_LINES, self.draining.join_next()).await.is_err() {
            self.draining.shutdown().await;
        }
        tracing::debug!(server = %self.server, status, forced, "process ended");
        let failure = self.exited(own_status);
        Released { report: CloseReport { forced, exit: status }, failure }
    }

    async fn wait(&mut self, bound: Duration) -> Option<String> {
        timeout(bound, self.child.wait()).await.ok()?.ok().map(|status| status.to_string())
    }

    fn exited(&self, status: Option<String>) -> Failure {
        let stderr_tail = self.stderr.tail(TAIL_LINES);
        let (server, command) = (&self.server, &self.command);
        let mut message = match &status {
            Some(status) => format!("server `{server}`: `{command}` ended ({status})"),
            None => format!("server `{server}`: `{command}` closed its output without ending"),
        };
        if !stderr_tail.is_empty() {
            message.push_str("; it said: ");
            message.push_str(&stderr_tail.join(" | "));
        }
        Failure::new(FailureClass::Exited { status, stderr_tail }, message)
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        // After `end` the group is gone and its number may be anybody's.
        if self.guarded.is_some() {
            self.group.kill();
        }
    }
}
