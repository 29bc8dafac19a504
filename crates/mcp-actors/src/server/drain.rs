//! The way out of a session: leases come back or their time is over, the session is taken down, then what follows.

use std::time::{Duration, Instant};

use mcp_types::Epoch;

use super::backoff::after;
use super::effect::{CloseCause, DialCause, ServerEffect};
use super::machine::ServerMachine;
use super::phase::{DrainStage, Draining, Phase, Then};
use super::refusal::StopReason;

/// How long leases of a session may still be out when its server is defined anew or reconnected by wish.
pub(crate) const REPLACE_GRACE: Duration = Duration::from_secs(10);

/// How long leases may still be out when a server is unmounted or disabled.
pub(crate) const UNMOUNT_GRACE: Duration = Duration::from_secs(5);

impl ServerMachine {
    /// Lets no new lease out and takes the session down when the last one is back, at the latest after `grace`.
    pub(super) fn drain(&mut self, then: Then, grace: Duration, now: Instant, out: &mut Vec<ServerEffect>) {
        let Phase::Ready(ready) = &self.phase else { return };
        let stage = DrainStage::Leases { leases: ready.leases, until: after(now, grace) };
        let is_unused = ready.leases == 0;
        let epoch = ready.epoch;
        self.forgive(now);
        self.phase = Phase::Draining(Draining { epoch, stage, then });
        if is_unused {
            self.close_drained(CloseCause::Drained, out);
        }
    }

    /// Takes the live session down without waiting for anybody.
    pub(super) fn take_down(
        &mut self,
        cause: CloseCause,
        then: Then,
        now: Instant,
        out: &mut Vec<ServerEffect>,
    ) {
        let Phase::Ready(ready) = &self.phase else { return };
        let epoch = ready.epoch;
        self.forgive(now);
        self.phase = Phase::Draining(Draining { epoch, stage: DrainStage::Closing, then });
        out.push(ServerEffect::Close { epoch, cause });
    }

    pub(super) fn close_drained(&mut self, cause: CloseCause, out: &mut Vec<ServerEffect>) {
        let Phase::Draining(draining) = &mut self.phase else { return };
        draining.stage = DrainStage::Closing;
        out.push(ServerEffect::Close { epoch: draining.epoch, cause });
    }

    pub(super) fn drain_due(&mut self, now: Instant, out: &mut Vec<ServerEffect>) {
        let Phase::Draining(draining) = &self.phase else { return };
        if draining.wakeup().is_some_and(|until| until <= now) {
            self.close_drained(CloseCause::DrainTimedOut, out);
        }
    }

    pub(super) fn closed(&mut self, epoch: Epoch, now: Instant, out: &mut Vec<ServerEffect>) {
        let Phase::Draining(draining) = &self.phase else { return };
        if draining.epoch == epoch && draining.stage == DrainStage::Closing {
            let then = draining.then.clone();
            self.follow(then, now, out);
        }
    }

    /// Nothing of the session is left: goes on as was decided.
    pub(super) fn follow(&mut self, then: Then, now: Instant, out: &mut Vec<ServerEffect>) {
        self.phase = Phase::Dormant;
        match then {
            Then::Stop(reason) => {
                self.phase = Phase::Stopped(reason);
                out.push(ServerEffect::Exit);
            }
            Then::Failed(failure) => self.fail(failure, now, out),
            Then::NeedsAuth { challenge } => self.need_auth(challenge, out),
            Then::Redial => self.dial(DialCause::Replaced, out),
            Then::Lost { failure, short_lived } => {
                self.last_error = Some(std::sync::Arc::new(failure.clone()));
                if !self.waiters.is_empty() {
                    self.dial(DialCause::Caller, out);
                } else if self.is_kept_alive() && short_lived {
                    // Anybody who needs it may dial at once; the lifecycle takes its time.
                    self.cool(failure, now, now);
                } else if self.is_kept_alive() {
                    self.dial(DialCause::Automatic, out);
                }
            }
            Then::Rest | Then::Start if !self.waiters.is_empty() => self.dial(DialCause::Caller, out),
            Then::Start => self.start(out),
            Then::Rest => {}
        }
        if let Phase::Dormant = self.phase {
            self.forget_outdated_listing();
        }
    }

    /// Ends for good, from whatever phase.
    pub(super) fn stop(
        &mut self,
        reason: StopReason,
        grace: Duration,
        now: Instant,
        out: &mut Vec<ServerEffect>,
    ) {
        self.waiters.refuse_all(&reason.refusal(), out);
        match &mut self.phase {
            Phase::Dormant | Phase::Cooling(_) | Phase::NeedsAuth { .. } => {
                self.phase = Phase::Stopped(reason);
                out.push(ServerEffect::Exit);
            }
            Phase::Connecting { .. } => self.abort(Then::Stop(reason), out),
            Phase::Ready(_) => self.drain(Then::Stop(reason), grace, now, out),
            Phase::Draining(draining) => {
                draining.then = Then::Stop(reason);
                if let DrainStage::Leases { until, .. } = &mut draining.stage {
                    *until = after(now, grace).min(*until);
                }
            }
            Phase::Stopped(_) => {}
        }
    }
}

impl Draining {
    pub(super) fn wakeup(&self) -> Option<Instant> {
        match self.stage {
            DrainStage::Leases { until, .. } => Some(until),
            DrainStage::Aborting | DrainStage::Closing => None,
        }
    }
}
