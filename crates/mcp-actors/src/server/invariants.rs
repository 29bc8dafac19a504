//! The invariants S1–S8 of the machine as predicates over what it hears and does. Debug builds check them after every
//! event; the property tests run the same predicates over random sequences.
//!
//! - S1 At most one epoch has a live or opening session; a dial follows only the confirmed end of the one before.
//! - S2 Every request is answered exactly once, not later than its deadline, unless its asker left.
//! - S3 An event of an old epoch changes nothing.
//! - S4 No dial while a sign-in is needed or the server is disabled, and no automatic dial before its time.
//! - S5 No close for idleness and no verdict of a ping while a lease is out.
//! - S6 At most one listing per kind is on its way; revisions only rise.
//! - S7 The next wakeup lies in the future.
//! - S8 Two reports in a row differ.

use std::collections::BTreeMap;
use std::time::Instant;

use mcp_transport::ListKind;
use mcp_types::Epoch;

use super::effect::{CloseCause, DialCause, ServerEffect};
use super::event::{ServerEvent, WaiterId};
use super::machine::ServerMachine;
use super::phase::Phase;
use super::report::ServerReport;

/// What an observer knows who sees only events and effects.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger {
    /// The session that is opening, open or closing.
    live: Option<Epoch>,
    newest: Epoch,
    leases: usize,
    /// Who waits, and up to when.
    waiting: BTreeMap<WaiterId, Instant>,
    /// Who left with the present event; a refusal at the same moment is still in order.
    leaving: Option<WaiterId>,
    /// Per kind the listing on its way and the newest revision.
    lists: BTreeMap<ListKind, (Option<u64>, u64)>,
    last_report: Option<ServerReport>,
    /// The ban on dials that stood before the present event.
    ban: DialBan,
}

#[derive(Debug, Clone, Copy, Default)]
struct DialBan {
    any_dial: bool,
    automatic_before: Option<Instant>,
}

impl Ledger {
    pub(crate) fn new(epoch: Epoch, report: ServerReport) -> Self {
        Self { newest: epoch, last_report: Some(report), ..Self::default() }
    }

    /// Takes note of an event before the machine does.
    pub(crate) fn heard(&mut self, event: &ServerEvent, machine: &ServerMachine, now: Instant) {
        self.ban = DialBan::of(event, machine);
        self.leaving = None;
        match event {
            ServerEvent::Acquire(ask) => {
                self.waiting.insert(ask.waiter, ask.deadline.max(now));
            }
            ServerEvent::Abandoned(waiter) => {
                self.waiting.remove(waiter);
                self.leaving = Some(*waiter);
            }
            ServerEvent::ConnectFailed { epoch, .. } | ServerEvent::Closed { epoch } => {
                if self.live == Some(*epoch) {
                    self.live = None;
                    self.leases = 0;
                    self.lists.clear();
                }
            }
            ServerEvent::LeaseDropped { epoch, .. } => {
                if self.live == Some(*epoch) {
                    self.leases = self.leases.saturating_sub(1);
                }
            }
            ServerEvent::Listed { epoch, kind, revision, .. } => {
                if self.live == Some(*epoch)
                    && let Some((running, _)) = self.lists.get_mut(kind)
                    && *running == Some(*revision)
                {
                    *running = None;
                }
            }
            ServerEvent::Mounted
            | ServerEvent::SpecChanged(_)
            | ServerEvent::Connected { .. }
            | ServerEvent::SessionEnded { .. }
            | ServerEvent::ListChanged { .. }
            | ServerEvent::Pinged { .. }
            | ServerEvent::Noise { .. }
            | ServerEvent::Wake
            | ServerEvent::Stop { .. } => {}
        }
    }

    /// Checks what the machine did. Gives the first violation.
    pub(crate) fn did(
        &mut self,
        effects: &[ServerEffect],
        machine: &ServerMachine,
        now: Instant,
    ) -> Option<String> {
        let violation = effects.iter().find_map(|effect| self.did_one(effect, machine, now));
        violation.or_else(|| self.stands(machine, now))
    }

    fn did_one(&mut self, effect: &ServerEffect, machine: &ServerMachine, now: Instant) -> Option<String> {
        match effect {
            ServerEffect::Connect { epoch, cause, .. } => self.dialled(*epoch, *cause, machine, now),
            ServerEffect::Grant { waiter, epoch, .. } => {
                self.leases += 1;
                check(self.live == Some(*epoch), "S1: a lease of a session that is not the live one")
                    .or_else(|| self.answered(*waiter, Some(now)))
            }
            ServerEffect::Refuse { waiter, .. } => self.answered(*waiter, None),
            ServerEffect::Close { epoch, cause } => {
                let is_verdict = matches!(cause, CloseCause::Idle | CloseCause::Health);
                check(self.live == Some(*epoch), "S1: a close of a session that is not the live one")
                    .or_else(|| check(!is_verdict || self.leases == 0, "S5: closed while a lease is out"))
            }
            ServerEffect::List { epoch, kind, revision } => {
                let live = self.live;
                let (running, newest) = self.lists.entry(*kind).or_default();
                let is_new = running.is_none() && *revision > *newest && live == Some(*epoch);
                (*running, *newest) = (Some(*revision), *revision);
                check(is_new, "S6: a second listing of a kind, or an old revision")
            }
            ServerEffect::Publish(report) => {
                let differs = self.last_report.as_ref() != Some(report);
                self.last_report = Some((**report).clone());
                check(differs, "S8: two equal reports in a row")
            }
            ServerEffect::Abort { epoch } | ServerEffect::Ping { epoch } => {
                check(self.live == Some(*epoch), "S1: work on a session that is not the live one")
            }
            ServerEffect::Exit => check(self.live.is_none(), "S1: the end while a session is live"),
        }
    }

    fn dialled(
        &mut self,
        epoch: Epoch,
        cause: DialCause,
        machine: &ServerMachine,
        now: Instant,
    ) -> Option<String> {
        let is_alone = self.live.is_none() && epoch > self.newest;
        self.live = Some(epoch);
        self.newest = epoch;
        let is_early = cause == DialCause::Automatic && self.ban.automatic_before.is_some_and(|at| now < at);
        check(is_alone, "S1: a dial while another epoch is live")
            .or_else(|| check(!self.ban.any_dial && !machine.spec.disabled, "S4: a dial that is forbidden"))
            .or_else(|| check(!is_early, "S4: an automatic dial before its time"))
    }

    /// A refusal may be late when the machine was woken late; a grant never is.
    fn answered(&mut self, waiter: WaiterId, granted_at: Option<Instant>) -> Option<String> {
        let Some(deadline) = self.waiting.remove(&waiter) else {
            let is_late = self.leaving == Some(waiter) && granted_at.is_none();
            return check(is_late, "S2: somebody was answered who does not wait");
        };
        check(granted_at.is_none_or(|at| at <= deadline), "S2: a grant after the deadline")
    }

    /// Checks what must hold between two events.
    fn stands(&self, machine: &ServerMachine, now: Instant) -> Option<String> {
        let wakeup = machine.next_wakeup();
        let earliest = self.waiting.values().min().copied();
        check(wakeup.is_none_or(|at| at > now), "S7: the next wakeup is not in the future")
            .or_else(|| check(earliest.is_none_or(|at| at > now), "S2: somebody waits beyond the deadline"))
            .or_else(|| {
                let is_covered = earliest.is_none_or(|deadline| wakeup.is_some_and(|at| at <= deadline));
                check(is_covered, "S2: nobody will wake the machine for a deadline")
            })
    }
}

impl DialBan {
    fn of(event: &ServerEvent, machine: &ServerMachine) -> Self {
        if let ServerEvent::SpecChanged(_) = event {
            return Self::default();
        }
        let is_explicit = matches!(event, ServerEvent::Acquire(ask) if ask.kind.is_explicit());
        match &machine.phase {
            Phase::NeedsAuth { .. } => Self { any_dial: !is_explicit, automatic_before: None },
            Phase::Stopped(_) => Self { any_dial: true, automatic_before: None },
            Phase::Cooling(cooling) => Self { any_dial: false, automatic_before: cooling.redial },
            Phase::Dormant | Phase::Connecting { .. } | Phase::Ready(_) | Phase::Draining(_) => {
                Self::default()
            }
        }
    }
}

fn check(holds: bool, rule: &str) -> Option<String> {
    (!holds).then(|| rule.to_owned())
}
