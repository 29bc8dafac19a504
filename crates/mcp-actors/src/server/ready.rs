//! A live session: its lists, its leases, its health and its end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_transport::{Failure, FailureClass, ListKind};
use mcp_types::Epoch;

use super::backoff::after;
use super::effect::{CloseCause, ServerEffect};
use super::event::{LeaseOutcome, ListedPart, is_fatal};
use super::listed;
use super::machine::ServerMachine;
use super::phase::{DrainStage, Phase, PingState, Ready, ReadyStage, Then};

/// A session that lived at least this long ended for a reason of its own, not because the server cannot start.
const LONG_LIFE: Duration = Duration::from_mins(1);

/// Pings in a row that may fail before the session counts as lost.
const FAILED_PINGS: u32 = 2;

impl ServerMachine {
    /// Gives the live session when it is the one of this epoch.
    pub(super) fn ready_of(&mut self, epoch: Epoch) -> Option<&mut Ready> {
        match &mut self.phase {
            Phase::Ready(ready) if ready.epoch == epoch => Some(ready),
            Phase::Dormant
            | Phase::Connecting { .. }
            | Phase::Ready(_)
            | Phase::Cooling(_)
            | Phase::NeedsAuth { .. }
            | Phase::Draining(_)
            | Phase::Stopped(_) => None,
        }
    }

    pub(super) fn listed(
        &mut self,
        epoch: Epoch,
        (kind, revision): (ListKind, u64),
        result: Result<ListedPart, Failure>,
        now: Instant,
        out: &mut Vec<ServerEffect>,
    ) {
        let mut random = self.random.clone();
        let Some(ready) = self.ready_of(epoch) else { return };
        if !ready.listings.finished(kind, revision, result.as_ref().err(), now, &mut random) {
            return;
        }
        let failure = match result {
            Ok(part) => {
                listed::merge(&mut ready.draft, &mut ready.diagnostics, part);
                None
            }
            Err(failure) => Some(failure),
        };
        let is_first_tools = ready.stage == ReadyStage::FirstLook && kind == ListKind::Tools;
        ready.all_diagnostics = Arc::new(ready.diagnostics.join(&ready.listings));
        self.random = random;
        match failure {
            Some(failure) => self.list_failed(failure, is_first_tools, now, out),
            None => self.adopt_draft(),
        }
    }

    fn list_failed(
        &mut self,
        failure: Failure,
        is_first_tools: bool,
        now: Instant,
        out: &mut Vec<ServerEffect>,
    ) {
        if let FailureClass::AuthRequired { challenge } = &failure.class {
            let then = Then::NeedsAuth { challenge: challenge.clone() };
            self.last_error = Some(Arc::new(failure));
            return self.take_down(CloseCause::Ended, then, now, out);
        }
        if is_fatal(&failure.class) {
            return self.lose(failure, now, out);
        }
        if is_first_tools {
            self.take_down(CloseCause::Unusable, Then::Failed(failure), now, out);
        }
    }

    /// Makes what the session listed the truth, once it is open.
    fn adopt_draft(&mut self) {
        let Phase::Ready(ready) = &self.phase else { return };
        if ready.stage == ReadyStage::Open {
            self.listing = Some(listed::keep_if_equal(self.listing.as_ref(), &ready.draft));
        }
    }

    /// The first look is over: the session is in use from now on.
    fn open(&mut self, now: Instant, out: &mut Vec<ServerEffect>) {
        let Phase::Ready(ready) = &mut self.phase else { return };
        ready.stage = ReadyStage::Open;
        ready.last_used = now;
        self.listed_epoch = Some(ready.epoch);
        self.listing_is_outdated = false;
        self.was_open = true;
        self.last_error = None;
        self.adopt_draft();
        self.grant_all(now, out);
    }

    pub(super) fn lease_dropped(
        &mut self,
        epoch: Epoch,
        outcome: &LeaseOutcome,
        now: Instant,
        out: &mut Vec<ServerEffect>,
    ) {
        let is_dead = matches!(outcome, LeaseOutcome::Failed(class) if is_fatal(class));
        match &mut self.phase {
            Phase::Ready(ready) if ready.epoch == epoch => {
                ready.leases = ready.leases.saturating_sub(1);
                ready.last_used = now;
                ready.health.next_ping = after(now, self.spec.lifecycle.ping_interval());
                match outcome {
                    LeaseOutcome::Failed(class) if is_fatal(class) => {
                        self.lose(found_dead(class), now, out);
                    }
                    LeaseOutcome::Failed(FailureClass::AuthRequired { .. })
                        if ready.health.ping == PingState::Idle =>
                    {
                        ready.health.ping = PingState::Wanted;
                    }
                    LeaseOutcome::Ok | LeaseOutcome::Failed(_) => {}
                }
            }
            Phase::Draining(draining) if draining.epoch == epoch => {
                let DrainStage::Leases { leases, .. } = &mut draining.stage else { return };
                *leases = leases.saturating_sub(1);
                if *leases == 0 || is_dead {
                    self.close_drained(CloseCause::Drained, out);
                }
            }
            Phase::Dormant
            | Phase::Connecting { .. }
            | Phase::Ready(_)
            | Phase::Cooling(_)
            | Phase::NeedsAuth { .. }
            | Phase::Draining(_)
            | Phase::Stopped(_) => {}
        }
    }

    pub(super) fn pinged(
        &mut self,
        epoch: Epoch,
        result: Result<(), Failure>,
        now: Instant,
        out: &mut Vec<ServerEffect>,
    ) {
        let interval = self.spec.lifecycle.ping_interval();
        let Some(ready) = self.ready_of(epoch) else { return };
        if ready.health.ping != PingState::Running {
            return;
        }
        ready.health.ping = PingState::Idle;
        ready.health.next_ping = after(now, interval);
        let failure = match result {
            Err(failure) if !matches!(failure.class, FailureClass::Refused { .. }) => failure,
            // An error is an answer too.
            Ok(()) | Err(_) => {
                ready.health.failures = 0;
                return;
            }
        };
        if ready.leases > 0 {
            return;
        }
        ready.health.failures += 1;
        let is_over = ready.health.failures >= FAILED_PINGS;
        if let FailureClass::AuthRequired { challenge } = &failure.class {
            let then = Then::NeedsAuth { challenge: challenge.clone() };
            self.last_error = Some(Arc::new(failure));
            self.take_down(CloseCause::Health, then, now, out);
        } else if is_fatal(&failure.class) || is_over {
            self.lose_by(CloseCause::Health, failure, now, out);
        }
    }

    pub(super) fn session_ended(
        &mut self,
        epoch: Epoch,
        failure: Failure,
        now: Instant,
        out: &mut Vec<ServerEffect>,
    ) {
        match &mut self.phase {
            Phase::Connecting { epoch: current, ended } if *current == epoch => *ended = Some(failure),
            Phase::Ready(ready) if ready.epoch == epoch => self.lose(failure, now, out),
            Phase::Draining(draining) if draining.epoch == epoch => match draining.stage {
                DrainStage::Leases { .. } => self.close_drained(CloseCause::Ended, out),
                DrainStage::Closing => draining.then.explain(failure),
                DrainStage::Aborting => {}
            },
            Phase::Dormant
            | Phase::Connecting { .. }
            | Phase::Ready(_)
            | Phase::Cooling(_)
            | Phase::NeedsAuth { .. }
            | Phase::Draining(_)
            | Phase::Stopped(_) => {}
        }
    }

    /// The session can answer no more.
    pub(super) fn lose(&mut self, failure: Failure, now: Instant, out: &mut Vec<ServerEffect>) {
        self.lose_by(CloseCause::Ended, failure, now, out);
    }

    fn lose_by(&mut self, cause: CloseCause, failure: Failure, now: Instant, out: &mut Vec<ServerEffect>) {
        let Phase::Ready(ready) = &self.phase else { return };
        let then = match ready.stage {
            ReadyStage::FirstLook => Then::Failed(failure),
            ReadyStage::Open => {
                let short_lived = !ready.has_lived_long(now);
                Then::Lost { failure, short_lived }
            }
        };
        self.take_down(cause, then, now, out);
    }

    /// A session that lived long makes up for the failures before it.
    pub(super) fn forgive(&mut self, now: Instant) {
        if let Phase::Ready(ready) = &self.phase
            && ready.has_lived_long(now)
        {
            self.failures = 0;
        }
    }

    /// Does what is due on a live session.
    pub(super) fn ready_due(&mut self, now: Instant, out: &mut Vec<ServerEffect>) {
        let Phase::Ready(ready) = &mut self.phase else { return };
        let epoch = ready.epoch;
        for (kind, revision) in ready.listings.start_due(now) {
            out.push(ServerEffect::List { epoch, kind, revision });
        }
        if ready.stage == ReadyStage::FirstLook {
            if !ready.listings.is_first_look_over(now) {
                return;
            }
            self.open(now, out);
        }
        let Phase::Ready(ready) = &self.phase else { return };
        if self.idle_at(ready).is_some_and(|at| at <= now) {
            return self.take_down(CloseCause::Idle, Then::Rest, now, out);
        }
        if self.ping_at(ready).is_some_and(|at| at <= now)
            && let Phase::Ready(ready) = &mut self.phase
        {
            ready.health.ping = PingState::Running;
            out.push(ServerEffect::Ping { epoch });
        }
    }

    pub(super) fn ready_wakeup(&self, ready: &Ready) -> Option<Instant> {
        let lists = ready.listings.next_wakeup(ready.stage == ReadyStage::FirstLook);
        lists.into_iter().chain(self.idle_at(ready)).chain(self.ping_at(ready)).min()
    }

    fn idle_at(&self, ready: &Ready) -> Option<Instant> {
        let is_unused = ready.leases == 0 && ready.stage == ReadyStage::Open;
        self.spec.lifecycle.idle_limit().filter(|_| is_unused).map(|idle| after(ready.last_used, idle))
    }

    fn ping_at(&self, ready: &Ready) -> Option<Instant> {
        if ready.leases > 0 || ready.stage == ReadyStage::FirstLook {
            return None;
        }
        match ready.health.ping {
            PingState::Idle => self.is_kept_alive().then_some(ready.health.next_ping),
            PingState::Wanted => Some(ready.last_used),
            PingState::Running => None,
        }
    }
}

impl Ready {
    fn has_lived_long(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) >= LONG_LIFE
    }
}

impl Then {
    /// Takes the end of a process as the reason of a loss that a request noticed first.
    fn explain(&mut self, end: Failure) {
        if let Self::Lost { failure, .. } = self
            && matches!(end.class, FailureClass::Exited { .. })
        {
            *failure = end;
        }
    }
}

fn found_dead(class: &FailureClass) -> Failure {
    let message = if let FailureClass::Exited { .. } = class {
        "the server process ended"
    } else if *class == FailureClass::SessionExpired {
        "the session expired"
    } else {
        "the connection was lost"
    };
    Failure::new(class.clone(), message)
}
