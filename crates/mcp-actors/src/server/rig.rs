//! A world around one machine: it answers what the machine wants done, as a test says, and keeps count.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_transport::{Failure, ListKind};
use mcp_types::Epoch;

use super::effect::{CloseCause, DialCause, ServerEffect};
use super::event::{Ask, AskKind, LeaseOutcome, ListedItems, ListedPart, Opened, ServerEvent, WaiterId};
use super::machine::ServerMachine;
use super::refusal::Refusal;
use super::report::ServerReport;
use super::spec::MountSpec;
use crate::test_support::tools;

/// How a request was answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Lease(Epoch),
    Refused(Refusal),
}

pub(crate) struct Rig {
    pub(crate) machine: ServerMachine,
    pub(crate) now: Instant,
    pub(crate) dialling: Option<Epoch>,
    pub(crate) aborted: bool,
    pub(crate) open: Option<Epoch>,
    pub(crate) closing: Option<Epoch>,
    pub(crate) lists: Vec<(Epoch, ListKind, u64)>,
    pub(crate) ping: Option<Epoch>,
    pub(crate) leases: Vec<Epoch>,
    pub(crate) waiting: Vec<WaiterId>,
    pub(crate) answers: BTreeMap<WaiterId, Answer>,
    pub(crate) dials: Vec<(Epoch, DialCause)>,
    pub(crate) closes: Vec<CloseCause>,
    pub(crate) report: Option<ServerReport>,
    pub(crate) reports: usize,
    pub(crate) exited: bool,
    next_waiter: u64,
}

impl Rig {
    pub(crate) fn new(spec: MountSpec) -> Self {
        let random = fastrand::Rng::with_seed(5);
        let mut rig = Self {
            machine: ServerMachine::new(Arc::new(spec), Epoch::ZERO, random),
            now: tokio::time::Instant::now().into_std(),
            dialling: None,
            aborted: false,
            open: None,
            closing: None,
            lists: Vec::new(),
            ping: None,
            leases: Vec::new(),
            waiting: Vec::new(),
            answers: BTreeMap::new(),
            dials: Vec::new(),
            closes: Vec::new(),
            report: None,
            reports: 0,
            exited: false,
            next_waiter: 1,
        };
        rig.feed(ServerEvent::Mounted);
        rig
    }

    pub(crate) fn feed(&mut self, event: ServerEvent) {
        let mut effects = Vec::new();
        self.machine.on(event, self.now, &mut effects);
        for effect in effects {
            self.take(effect);
        }
    }

    fn take(&mut self, effect: ServerEffect) {
        match effect {
            ServerEffect::Connect { epoch, cause, .. } => {
                self.dialling = Some(epoch);
                self.aborted = false;
                self.dials.push((epoch, cause));
            }
            ServerEffect::Abort { .. } => self.aborted = true,
            ServerEffect::Close { epoch, cause } => {
                self.closing = Some(epoch);
                self.closes.push(cause);
            }
            ServerEffect::List { epoch, kind, revision } => self.lists.push((epoch, kind, revision)),
            ServerEffect::Ping { epoch } => self.ping = Some(epoch),
            ServerEffect::Grant { waiter, epoch, .. } => {
                self.leases.push(epoch);
                self.answered(waiter, Answer::Lease(epoch));
            }
            ServerEffect::Refuse { waiter, refusal } => self.answered(waiter, Answer::Refused(refusal)),
            ServerEffect::Publish(report) => {
                self.report = Some(*report);
                self.reports += 1;
            }
            ServerEffect::Exit => self.exited = true,
        }
    }

    fn answered(&mut self, waiter: WaiterId, answer: Answer) {
        self.waiting.retain(|waiting| *waiting != waiter);
        assert!(self.answers.insert(waiter, answer).is_none(), "S2: {waiter:?} was answered twice");
    }

    pub(crate) fn ask_with(
        &mut self,
        kind: AskKind,
        limit: Duration,
        newer_than: Option<Epoch>,
    ) -> Option<Answer> {
        let waiter = WaiterId(self.next_waiter);
        self.next_waiter += 1;
        self.waiting.push(waiter);
        self.feed(ServerEvent::Acquire(Ask { waiter, deadline: self.now + limit, newer_than, kind }));
        self.answers.get(&waiter).cloned()
    }

    pub(crate) fn ask(&mut self) -> Option<Answer> {
        self.ask_with(AskKind::Plain, Duration::from_secs(30), None)
    }

    pub(crate) fn last_answer(&self) -> &Answer {
        self.answers.values().next_back().unwrap()
    }

    pub(crate) fn dial_succeeds(&mut self, opened: Opened) {
        let Some(epoch) = self.dialling.take() else { return };
        self.open = Some(epoch);
        self.feed(ServerEvent::Connected { epoch, opened: Box::new(opened) });
    }

    pub(crate) fn dial_fails(&mut self, failure: Failure) {
        let Some(epoch) = self.dialling.take() else { return };
        self.feed(ServerEvent::ConnectFailed { epoch, failure });
    }

    pub(crate) fn close_ends(&mut self) {
        let Some(epoch) = self.closing.take() else { return };
        self.open = None;
        self.feed(ServerEvent::Closed { epoch });
    }

    pub(crate) fn list_ends(&mut self, index: usize, result: Result<&[&str], Failure>) {
        if self.lists.is_empty() {
            return;
        }
        let (epoch, kind, revision) = self.lists.swap_remove(index % self.lists.len());
        let result = result.map(|names| match kind {
            ListKind::Tools => tools(names),
            ListKind::Resources => empty(ListedItems::Resources { resources: vec![], templates: vec![] }),
            ListKind::Prompts => empty(ListedItems::Prompts(vec![])),
        });
        self.feed(ServerEvent::Listed { epoch, kind, revision, result });
    }

    /// Brings the server up with these tools.
    pub(crate) fn come_up(&mut self, names: &[&str]) {
        self.dial_succeeds(Opened { tools: true, ..Opened::default() });
        self.list_ends(0, Ok(names));
    }

    pub(crate) fn ping_ends(&mut self, result: Result<(), Failure>) {
        let Some(epoch) = self.ping.take() else { return };
        self.feed(ServerEvent::Pinged { epoch, result });
    }

    pub(crate) fn return_lease(&mut self, index: usize, outcome: LeaseOutcome) {
        if self.leases.is_empty() {
            return;
        }
        let epoch = self.leases.swap_remove(index % self.leases.len());
        self.feed(ServerEvent::LeaseDropped { epoch, outcome });
    }

    /// Lets time pass and wakes the machine whenever it wants to be woken.
    pub(crate) fn pass(&mut self, time: Duration) {
        let target = self.now + time;
        let mut wakeups = 0;
        while let Some(at) = self.machine.next_wakeup().filter(|at| *at <= target) {
            self.now = at;
            self.feed(ServerEvent::Wake);
            wakeups += 1;
            assert!(wakeups < 10_000, "S7: a busy loop");
        }
        self.now = target;
    }
}

fn empty(items: ListedItems) -> ListedPart {
    ListedPart { items, diagnostics: Vec::new() }
}
