//! Attempts to connect: how one begins, succeeds, fails and is spaced from the next.

use std::sync::Arc;
use std::time::Instant;

use mcp_transport::{Failure, FailureClass};
use mcp_types::Epoch;

use super::backoff::after;
use super::effect::{CloseCause, DialCause, ServerEffect};
use super::event::Opened;
use super::listed;
use super::listings::Listings;
use super::machine::ServerMachine;
use super::phase::{
    Cooling, DrainStage, Draining, Health, PartDiagnostics, Phase, PingState, Ready, ReadyStage, Then,
};
use super::refusal::Refusal;

impl ServerMachine {
    pub(super) fn dial(&mut self, cause: DialCause, out: &mut Vec<ServerEffect>) {
        self.epoch = self.epoch.next();
        self.phase = Phase::Connecting { epoch: self.epoch, ended: None };
        out.push(ServerEffect::Connect { epoch: self.epoch, spec: Arc::clone(&self.spec.connect), cause });
    }

    /// Gives the attempt up that is on its way.
    pub(super) fn abort(&mut self, then: Then, out: &mut Vec<ServerEffect>) {
        out.push(ServerEffect::Abort { epoch: self.epoch });
        self.phase = Phase::Draining(Draining { epoch: self.epoch, stage: DrainStage::Aborting, then });
    }

    pub(super) fn connected(
        &mut self,
        epoch: Epoch,
        opened: &Opened,
        now: Instant,
        out: &mut Vec<ServerEffect>,
    ) {
        match &mut self.phase {
            Phase::Connecting { epoch: current, ended } if *current == epoch => {
                let ended = ended.take();
                self.phase = Phase::Ready(Box::new(self.fresh_session(epoch, opened, now)));
                if let Some(failure) = ended {
                    self.lose(failure, now, out);
                }
            }
            // Given up, but it came about all the same.
            Phase::Draining(draining)
                if draining.epoch == epoch && draining.stage == DrainStage::Aborting =>
            {
                draining.stage = DrainStage::Closing;
                out.push(ServerEffect::Close { epoch, cause: CloseCause::Drained });
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

    fn fresh_session(&self, epoch: Epoch, opened: &Opened, now: Instant) -> Ready {
        let known = self.listing.as_ref().filter(|_| !self.listing_is_outdated);
        Ready {
            epoch,
            since: now,
            stage: ReadyStage::FirstLook,
            leases: 0,
            last_used: now,
            used: false,
            listings: Listings::begin(opened, now),
            draft: listed::begin(known, opened),
            health: Health {
                next_ping: after(now, self.spec.lifecycle.ping_interval()),
                ping: PingState::Idle,
                failures: 0,
            },
            process_id: opened.process_id,
            noise_lines: 0,
            diagnostics: PartDiagnostics::default(),
            all_diagnostics: Arc::default(),
        }
    }

    pub(super) fn connect_failed(
        &mut self,
        epoch: Epoch,
        failure: Failure,
        now: Instant,
        out: &mut Vec<ServerEffect>,
    ) {
        match &self.phase {
            Phase::Connecting { epoch: current, .. } if *current == epoch => self.fail(failure, now, out),
            Phase::Draining(draining)
                if draining.epoch == epoch && draining.stage == DrainStage::Aborting =>
            {
                let then = draining.then.clone();
                self.follow(then, now, out);
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

    /// An attempt failed and left nothing behind.
    pub(super) fn fail(&mut self, failure: Failure, now: Instant, out: &mut Vec<ServerEffect>) {
        if let FailureClass::AuthRequired { challenge } = &failure.class {
            let challenge = challenge.clone();
            self.last_error = Some(Arc::new(failure));
            return self.need_auth(challenge, out);
        }
        self.forget_outdated_listing();
        self.waiters.refuse_all(&Refusal::ConnectFailed(failure.clone()), out);
        self.cool(failure, after(now, self.spec.lifecycle.backoff.acquire_block), now);
    }

    pub(super) fn need_auth(&mut self, challenge: Option<String>, out: &mut Vec<ServerEffect>) {
        self.forget_outdated_listing();
        self.waiters.refuse_all(&Refusal::NeedsAuth { challenge: challenge.clone() }, out);
        self.phase = Phase::NeedsAuth { challenge };
    }

    /// Rests after a failure, for the time that the count of failures asks for.
    pub(super) fn cool(&mut self, failure: Failure, blocked_until: Instant, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        let delay = self.spec.lifecycle.backoff.delay(self.failures, &mut self.random);
        let failure = Arc::new(failure);
        self.last_error = Some(Arc::clone(&failure));
        self.phase = Phase::Cooling(Cooling {
            failed_at: now,
            failure,
            redial: self.is_kept_alive().then(|| after(now, delay)),
            blocked_until,
        });
    }

    /// The rest after a failure is over.
    pub(super) fn cooled(&mut self, out: &mut Vec<ServerEffect>) {
        if self.is_kept_alive() {
            return self.dial(DialCause::Automatic, out);
        }
        self.phase = Phase::Dormant;
    }

    pub(super) fn forget_outdated_listing(&mut self) {
        if self.listing_is_outdated {
            self.listing_is_outdated = false;
            self.listing.clone_from(&self.spec.seed);
            self.listed_epoch = None;
        }
    }
}
