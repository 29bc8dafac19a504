//! Requests for a lease: answered at once, or queued behind the attempt that will answer them.

use std::time::Instant;

use super::effect::{CloseCause, DialCause, ServerEffect};
use super::event::Ask;
use super::event::AskKind;
use super::machine::ServerMachine;
use super::phase::{Cooling, Phase, ReadyStage, Then};
use super::refusal::Refusal;

use super::drain::REPLACE_GRACE;

impl ServerMachine {
    pub(super) fn ask(&mut self, mut ask: Ask, now: Instant, out: &mut Vec<ServerEffect>) {
        // An epoch that was never leased cannot have been proven useless.
        ask.newer_than = ask.newer_than.map(|epoch| epoch.min(self.leased));
        match self.refusal(&ask, now) {
            Some(refusal) => out.push(ServerEffect::Refuse { waiter: ask.waiter, refusal }),
            None => self.admit(ask, now, out),
        }
    }

    fn refusal(&self, ask: &Ask, now: Instant) -> Option<Refusal> {
        let stopped = match &self.phase {
            Phase::Stopped(reason) => Some(reason),
            Phase::Draining(draining) => match &draining.then {
                Then::Stop(reason) => Some(reason),
                Then::Rest
                | Then::Start
                | Then::Redial
                | Then::Failed(_)
                | Then::NeedsAuth { .. }
                | Then::Lost { .. } => None,
            },
            Phase::Dormant
            | Phase::Connecting { .. }
            | Phase::Ready(_)
            | Phase::Cooling(_)
            | Phase::NeedsAuth { .. } => None,
        };
        if let Some(reason) = stopped {
            return Some(reason.refusal());
        }
        if self.spec.disabled {
            return Some(Refusal::Disabled);
        }
        if ask.kind.is_explicit() {
            return None;
        }
        match &self.phase {
            Phase::Cooling(cooling) => cooling.refusal(now),
            Phase::NeedsAuth { challenge } => Some(Refusal::NeedsAuth { challenge: challenge.clone() }),
            Phase::Dormant
            | Phase::Connecting { .. }
            | Phase::Ready(_)
            | Phase::Draining(_)
            | Phase::Stopped(_) => None,
        }
    }

    fn admit(&mut self, ask: Ask, now: Instant, out: &mut Vec<ServerEffect>) {
        match &mut self.phase {
            Phase::Dormant | Phase::Cooling(_) | Phase::NeedsAuth { .. } => {
                self.waiters.push(ask);
                self.dial(DialCause::Caller, out);
            }
            Phase::Connecting { .. } | Phase::Draining(_) => self.waiters.push(ask),
            Phase::Ready(ready) => match ready.stage {
                ReadyStage::FirstLook => self.waiters.push(ask),
                ReadyStage::Open if ask.kind == AskKind::Renew => {
                    self.waiters.push(ask);
                    self.drain(Then::Redial, REPLACE_GRACE, now, out);
                }
                ReadyStage::Open if ask.newer_than.is_none_or(|useless| ready.epoch > useless) => {
                    self.grant(ask, now, out);
                }
                // The session was proven useless, so there is nothing to drain.
                ReadyStage::Open => {
                    self.waiters.push(ask);
                    self.take_down(CloseCause::Ended, Then::Redial, now, out);
                }
            },
            // Refused before.
            Phase::Stopped(reason) => {
                out.push(ServerEffect::Refuse { waiter: ask.waiter, refusal: reason.refusal() });
            }
        }
    }

    /// Grants to everybody who waits, in the order of arrival.
    pub(super) fn grant_all(&mut self, now: Instant, out: &mut Vec<ServerEffect>) {
        for ask in self.waiters.take() {
            self.grant(ask, now, out);
        }
    }

    fn grant(&mut self, ask: Ask, now: Instant, out: &mut Vec<ServerEffect>) {
        let Some(listing) = &self.listing else { return self.waiters.push(ask) };
        let Phase::Ready(ready) = &mut self.phase else { return self.waiters.push(ask) };
        ready.leases += 1;
        ready.last_used = now;
        // Connecting a server on purpose is not yet a use of it.
        ready.used |= ask.kind == AskKind::Plain;
        self.leased = ready.epoch;
        out.push(ServerEffect::Grant { waiter: ask.waiter, epoch: ready.epoch, listing: listing.clone() });
    }
}

impl Cooling {
    fn refusal(&self, now: Instant) -> Option<Refusal> {
        if now >= self.blocked_until {
            return None;
        }
        let until = self.redial.map_or(self.blocked_until, |redial| redial.min(self.blocked_until));
        Some(Refusal::Backoff {
            failed_ago: now.saturating_duration_since(self.failed_at),
            retry_in: until.saturating_duration_since(now),
            last: (*self.failure).clone(),
        })
    }
}
