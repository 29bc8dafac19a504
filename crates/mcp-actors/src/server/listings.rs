//! When each list of a session is fetched. Per kind there is at most one listing on its way; what changes meanwhile
//! brings exactly one more; a failed one is repeated with growing delays; a storm of notices is slowed down.

use std::time::{Duration, Instant};

use mcp_transport::{Failure, ListKind};

use super::backoff::{BackoffSpec, after};
use super::event::Opened;

/// The least time between the starts of two listings of one kind.
const LEAST_GAP: Duration = Duration::from_millis(200);

/// How long a session with its tools listed waits for the first listing of its other lists.
const SECONDARY_GRACE: Duration = Duration::from_secs(3);

/// The three lists of one session.
#[derive(Debug, Clone)]
pub(crate) struct Listings {
    tools: OneList,
    resources: OneList,
    prompts: OneList,
    tools_listed_at: Option<Instant>,
}

#[derive(Debug, Clone)]
struct OneList {
    kind: ListKind,
    state: ListState,
    /// The listing that was started last, counted from one.
    revision: u64,
    started: Option<Instant>,
    failures: u32,
    problem: Option<Failure>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListState {
    /// The server does not offer it.
    Absent,
    Idle,
    Due(Instant),
    Running {
        changed: bool,
    },
}

impl Listings {
    /// Begins with one listing of each kind that the session offers.
    pub(crate) fn begin(opened: &Opened, now: Instant) -> Self {
        Self {
            tools: OneList::begin(ListKind::Tools, opened.tools, now),
            resources: OneList::begin(ListKind::Resources, opened.resources, now),
            prompts: OneList::begin(ListKind::Prompts, opened.prompts, now),
            tools_listed_at: (!opened.tools).then_some(now),
        }
    }

    /// Notes that a list changed on the server.
    pub(crate) fn changed(&mut self, kind: ListKind, now: Instant) {
        self.list_mut(kind).changed(now);
    }

    /// Starts what is due and gives kind and revision of each.
    pub(crate) fn start_due(&mut self, now: Instant) -> impl Iterator<Item = (ListKind, u64)> + use<'_> {
        self.lists_mut().into_iter().filter_map(move |list| list.start_if_due(now))
    }

    /// Notes the end of a listing. False when no listing of this revision was on its way.
    pub(crate) fn finished(
        &mut self,
        kind: ListKind,
        revision: u64,
        problem: Option<&Failure>,
        now: Instant,
        random: &mut fastrand::Rng,
    ) -> bool {
        let accepted = self.list_mut(kind).finished(revision, problem, now, random);
        if accepted && kind == ListKind::Tools {
            self.tools_listed_at.get_or_insert(now);
        }
        accepted
    }

    /// Tells whether the first look at the server is complete enough to work with it.
    pub(crate) fn is_first_look_over(&self, now: Instant) -> bool {
        let Some(listed_at) = self.tools_listed_at else { return false };
        let others_settled = self.resources.is_settled() && self.prompts.is_settled();
        others_settled || now >= listed_at + SECONDARY_GRACE
    }

    /// Gives the kinds whose newest listing failed, each with its failure.
    pub(crate) fn problems(&self) -> impl Iterator<Item = (ListKind, &Failure)> {
        self.lists().into_iter().filter_map(|list| list.problem.as_ref().map(|problem| (list.kind, problem)))
    }

    /// Gives the next time at which something is to be done; `first_look` is true until the session is in use.
    pub(crate) fn next_wakeup(&self, first_look: bool) -> Option<Instant> {
        let grace = self.tools_listed_at.filter(|_| first_look).map(|listed_at| listed_at + SECONDARY_GRACE);
        let due = self.lists().into_iter().filter_map(|list| match list.state {
            ListState::Due(at) => Some(at),
            ListState::Absent | ListState::Idle | ListState::Running { .. } => None,
        });
        due.chain(grace).min()
    }

    fn lists(&self) -> [&OneList; 3] {
        [&self.tools, &self.resources, &self.prompts]
    }

    fn lists_mut(&mut self) -> [&mut OneList; 3] {
        [&mut self.tools, &mut self.resources, &mut self.prompts]
    }

    fn list_mut(&mut self, kind: ListKind) -> &mut OneList {
        match kind {
            ListKind::Tools => &mut self.tools,
            ListKind::Resources => &mut self.resources,
            ListKind::Prompts => &mut self.prompts,
        }
    }
}

impl OneList {
    fn begin(kind: ListKind, offered: bool, now: Instant) -> Self {
        let state = if offered { ListState::Due(now) } else { ListState::Absent };
        Self { kind, state, revision: 0, started: None, failures: 0, problem: None }
    }

    fn changed(&mut self, now: Instant) {
        let at = self.earliest_start(now);
        match &mut self.state {
            ListState::Absent => {}
            ListState::Idle => self.state = ListState::Due(at),
            ListState::Due(due) => {
                *due = at.min(*due);
                self.failures = 0;
            }
            ListState::Running { changed } => *changed = true,
        }
    }

    fn start_if_due(&mut self, now: Instant) -> Option<(ListKind, u64)> {
        let ListState::Due(at) = self.state else { return None };
        if at > now {
            return None;
        }
        self.revision = self.revision.saturating_add(1);
        self.started = Some(now);
        self.state = ListState::Running { changed: false };
        Some((self.kind, self.revision))
    }

    fn finished(
        &mut self,
        revision: u64,
        problem: Option<&Failure>,
        now: Instant,
        random: &mut fastrand::Rng,
    ) -> bool {
        let ListState::Running { changed } = self.state else { return false };
        if revision != self.revision {
            return false;
        }
        self.problem = problem.cloned();
        self.failures = if problem.is_some() { self.failures.saturating_add(1) } else { 0 };
        self.state = match (changed, problem) {
            (true, _) => ListState::Due(self.earliest_start(now)),
            (false, Some(_)) => ListState::Due(after(now, BackoffSpec::RELIST.delay(self.failures, random))),
            (false, None) => ListState::Idle,
        };
        true
    }

    fn earliest_start(&self, now: Instant) -> Instant {
        self.started.map_or(now, |started| now.max(started + LEAST_GAP))
    }

    /// Absent, or listed at least once, with or without success.
    fn is_settled(&self) -> bool {
        match self.state {
            ListState::Absent | ListState::Idle => true,
            ListState::Due(_) => self.revision > 0,
            ListState::Running { .. } => self.revision > 1,
        }
    }
}

#[cfg(test)]
#[path = "listings_tests.rs"]
mod tests;
