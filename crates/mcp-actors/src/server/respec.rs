//! A changed definition. What is equal goes on; what only says how long the server lives changes in place; another
//! connection drains the old one first.

use std::sync::Arc;
use std::time::Instant;

use super::backoff::after;
use super::drain::{REPLACE_GRACE, UNMOUNT_GRACE};
use super::effect::ServerEffect;
use super::machine::ServerMachine;
use super::phase::{Phase, Then};
use super::refusal::Refusal;
use super::spec::{MountSpec, same_connection};

impl ServerMachine {
    pub(super) fn respec(&mut self, spec: Arc<MountSpec>, now: Instant, out: &mut Vec<ServerEffect>) {
        let old = std::mem::replace(&mut self.spec, spec);
        let is_other_server = !same_connection(&old.connect, &self.spec.connect);
        if is_other_server {
            self.forget_the_old_server();
        } else if self.listing.is_none() {
            self.listing.clone_from(&self.spec.seed);
        }
        if self.spec.disabled {
            self.waiters.refuse_all(&Refusal::Disabled, out);
            self.rest(now, out);
        } else if is_other_server || old.disabled {
            self.begin_anew(now, out);
        } else if old.lifecycle != self.spec.lifecycle {
            self.adjust(old.lifecycle.mode != self.spec.lifecycle.mode, out);
        }
    }

    fn forget_the_old_server(&mut self) {
        self.failures = 0;
        self.was_open = false;
        self.last_error = None;
        let is_live = match &self.phase {
            Phase::Ready(_) | Phase::Draining(_) => true,
            Phase::Dormant
            | Phase::Connecting { .. }
            | Phase::Cooling(_)
            | Phase::NeedsAuth { .. }
            | Phase::Stopped(_) => false,
        };
        // A live server is dialled again at once: its tools stay until the new ones are there.
        self.listing_is_outdated = is_live && self.spec.seed.is_none() && self.listing.is_some();
        if !self.listing_is_outdated {
            self.listing.clone_from(&self.spec.seed);
            self.listed_epoch = None;
        }
    }

    /// The server was disabled.
    fn rest(&mut self, now: Instant, out: &mut Vec<ServerEffect>) {
        match &mut self.phase {
            Phase::Dormant | Phase::Stopped(_) => {}
            Phase::Cooling(_) | Phase::NeedsAuth { .. } => self.phase = Phase::Dormant,
            Phase::Connecting { .. } => self.abort(Then::Rest, out),
            Phase::Ready(_) => self.drain(Then::Rest, UNMOUNT_GRACE, now, out),
            Phase::Draining(draining) => draining.then = draining.then.unless_stopping(Then::Rest),
        }
    }

    /// The server is another one, or enabled again.
    fn begin_anew(&mut self, now: Instant, out: &mut Vec<ServerEffect>) {
        match &mut self.phase {
            Phase::Dormant | Phase::Cooling(_) | Phase::NeedsAuth { .. } => {
                self.phase = Phase::Dormant;
                self.start(out);
            }
            Phase::Connecting { .. } => self.abort(Then::Start, out),
            Phase::Ready(_) => self.drain(Then::Redial, REPLACE_GRACE, now, out),
            Phase::Draining(draining) => {
                let then = match &draining.then {
                    Then::Redial => Then::Redial,
                    Then::Rest
                    | Then::Start
                    | Then::Failed(_)
                    | Then::NeedsAuth { .. }
                    | Then::Lost { .. }
                    | Then::Stop(_) => Then::Start,
                };
                draining.then = draining.then.unless_stopping(then);
            }
            Phase::Stopped(_) => {}
        }
    }

    /// Only the lifecycle changed.
    fn adjust(&mut self, is_other_mode: bool, out: &mut Vec<ServerEffect>) {
        let is_kept_alive = self.is_kept_alive();
        let backoff = self.spec.lifecycle.backoff;
        match &mut self.phase {
            Phase::Dormant if is_other_mode => self.start(out),
            Phase::Cooling(cooling) => {
                let delay = backoff.delay(self.failures, &mut self.random);
                cooling.redial = is_kept_alive.then(|| after(cooling.failed_at, delay));
            }
            Phase::Draining(draining) if is_other_mode => {
                if let Then::Rest = draining.then {
                    draining.then = Then::Start;
                }
            }
            Phase::Dormant
            | Phase::Connecting { .. }
            | Phase::Ready(_)
            | Phase::NeedsAuth { .. }
            | Phase::Draining(_)
            | Phase::Stopped(_) => {}
        }
    }
}

impl Then {
    /// Nothing goes before the end for good.
    fn unless_stopping(&self, other: Self) -> Self {
        match self {
            Self::Stop(reason) => Self::Stop(*reason),
            Self::Rest
            | Self::Start
            | Self::Redial
            | Self::Failed(_)
            | Self::NeedsAuth { .. }
            | Self::Lost { .. } => other,
        }
    }
}
