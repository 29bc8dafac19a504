//! The machine of one server: pure state that turns events into effects.
//!
//! The story of one server: somebody asks, or the lifecycle wants it (`ask`, `connect`); a session opens and its lists
//! are read (`ready`); leases go out and come back; one day the session is lost, idle or unwanted and is taken down
//! (`drain`); then it rests, cools, or begins anew. A changed spec (`respec`) may come at any point. After every event
//! whatever is due is done, and what changed is published.

use std::sync::Arc;
use std::time::Instant;

use mcp_catalog::ServerListing;
use mcp_transport::Failure;
use mcp_types::Epoch;

use super::effect::{DialCause, ServerEffect};
use super::event::ServerEvent;
#[cfg(debug_assertions)]
use super::invariants::Ledger;
use super::phase::{Phase, ReadyStage, Then};
use super::report::{ServerReport, resting_state};
use super::spec::{LifecycleMode, MountSpec};
use super::waiters::Waiters;
use crate::snapshot::{Life, ServerState};

/// The state of one server.
#[derive(Debug, Clone)]
pub(crate) struct ServerMachine {
    pub(super) spec: Arc<MountSpec>,
    pub(super) phase: Phase,
    pub(super) waiters: Waiters,
    /// The newest connection that was begun.
    pub(super) epoch: Epoch,
    /// The newest connection of which a lease was granted.
    pub(super) leased: Epoch,
    pub(super) listing: Option<Arc<ServerListing>>,
    pub(super) listed_epoch: Option<Epoch>,
    /// `listing` belongs to an earlier definition and only bridges the time to the next connection.
    pub(super) listing_is_outdated: bool,
    /// A session of this definition was usable once.
    pub(super) was_open: bool,
    /// Attempts and short-lived sessions in a row that failed.
    pub(super) failures: u32,
    pub(super) last_error: Option<Arc<Failure>>,
    pub(super) random: fastrand::Rng,
    published: ServerReport,
    #[cfg(debug_assertions)]
    ledger: Ledger,
}

impl ServerMachine {
    /// Makes the machine of a server that was never connected under an epoch above `epoch`.
    pub(crate) fn new(spec: Arc<MountSpec>, epoch: Epoch, random: fastrand::Rng) -> Self {
        Self {
            phase: Phase::Dormant,
            waiters: Waiters::default(),
            epoch,
            leased: Epoch::ZERO,
            listing: spec.seed.clone(),
            listed_epoch: None,
            listing_is_outdated: false,
            was_open: false,
            failures: 0,
            last_error: None,
            random,
            published: ServerReport::initial(&spec, epoch),
            #[cfg(debug_assertions)]
            ledger: Ledger::new(epoch, ServerReport::initial(&spec, epoch)),
            spec,
        }
    }

    /// Takes an event in and appends what is to be done. Total, synchronous, without any I/O.
    pub(crate) fn on(&mut self, event: ServerEvent, now: Instant, out: &mut Vec<ServerEffect>) {
        #[cfg(debug_assertions)]
        let (first, mut ledger) = (out.len(), std::mem::take(&mut self.ledger));
        #[cfg(debug_assertions)]
        ledger.heard(&event, self, now);
        self.waiters.expire(now, out);
        self.take_in(event, now, out);
        self.do_due(now, out);
        self.publish(out);
        #[cfg(debug_assertions)]
        {
            let violation = ledger.did(out.get(first..).unwrap_or_default(), self, now);
            debug_assert_eq!(violation, None, "{self:?}");
            self.ledger = ledger;
        }
    }

    /// Gives the one time at which the machine wants to be woken. Waking it earlier does no harm.
    pub(crate) fn next_wakeup(&self) -> Option<Instant> {
        let phase = match &self.phase {
            Phase::Dormant | Phase::Connecting { .. } | Phase::NeedsAuth { .. } | Phase::Stopped(_) => None,
            Phase::Ready(ready) => self.ready_wakeup(ready),
            Phase::Cooling(cooling) => Some(cooling.until()),
            Phase::Draining(draining) => draining.wakeup(),
        };
        phase.into_iter().chain(self.waiters.next_deadline()).min()
    }

    fn take_in(&mut self, event: ServerEvent, now: Instant, out: &mut Vec<ServerEffect>) {
        match event {
            ServerEvent::Mounted => self.start(out),
            ServerEvent::SpecChanged(spec) => self.respec(spec, now, out),
            ServerEvent::Acquire(ask) => self.ask(ask, now, out),
            ServerEvent::Abandoned(waiter) => self.waiters.remove(waiter),
            ServerEvent::LeaseDropped { epoch, outcome } => self.lease_dropped(epoch, &outcome, now, out),
            ServerEvent::Connected { epoch, opened } => self.connected(epoch, &opened, now, out),
            ServerEvent::ConnectFailed { epoch, failure } => self.connect_failed(epoch, failure, now, out),
            ServerEvent::SessionEnded { epoch, failure } => self.session_ended(epoch, failure, now, out),
            ServerEvent::Closed { epoch } => self.closed(epoch, now, out),
            ServerEvent::ListChanged { epoch, kind } => {
                if let Some(ready) = self.ready_of(epoch) {
                    ready.listings.changed(kind, now);
                }
            }
            ServerEvent::Listed { epoch, kind, revision, result } => {
                self.listed(epoch, (kind, revision), result, now, out);
            }
            ServerEvent::Pinged { epoch, result } => self.pinged(epoch, result, now, out),
            ServerEvent::Noise { epoch, lines } => {
                if let Some(ready) = self.ready_of(epoch) {
                    ready.noise_lines = lines;
                }
            }
            ServerEvent::Wake => {}
            ServerEvent::Stop { reason, grace } => self.stop(reason, grace, now, out),
        }
    }

    /// Does what the clock asks for, so that afterwards the next wakeup lies in the future.
    fn do_due(&mut self, now: Instant, out: &mut Vec<ServerEffect>) {
        self.waiters.expire(now, out);
        match &self.phase {
            Phase::Ready(_) => self.ready_due(now, out),
            Phase::Cooling(cooling) if cooling.until() <= now => self.cooled(out),
            Phase::Draining(_) => self.drain_due(now, out),
            Phase::Cooling(_)
            | Phase::Dormant
            | Phase::Connecting { .. }
            | Phase::NeedsAuth { .. }
            | Phase::Stopped(_) => {}
        }
    }

    /// Dials when the lifecycle wants the server connected from the start.
    pub(super) fn start(&mut self, out: &mut Vec<ServerEffect>) {
        let wanted = match self.spec.lifecycle.mode {
            LifecycleMode::Lazy => false,
            LifecycleMode::Eager | LifecycleMode::KeepAlive => true,
            LifecycleMode::LazyKeepAlive => self.was_open,
        };
        if wanted && !self.spec.disabled {
            self.dial(DialCause::Automatic, out);
        }
    }

    /// Tells whether a lost server is connected again without anybody asking.
    pub(super) fn is_kept_alive(&self) -> bool {
        match self.spec.lifecycle.mode {
            LifecycleMode::Lazy | LifecycleMode::Eager => false,
            LifecycleMode::KeepAlive => true,
            LifecycleMode::LazyKeepAlive => self.was_open,
        }
    }

    /// How long one listing may take as a whole.
    pub(crate) fn list_limit(&self) -> std::time::Duration {
        self.spec.connect.timeouts.max_total
    }

    fn publish(&mut self, out: &mut Vec<ServerEffect>) {
        let report = self.report();
        if report != self.published {
            self.published = report.clone();
            out.push(ServerEffect::Publish(Box::new(report)));
        }
    }

    fn report(&self) -> ServerReport {
        let mut report = ServerReport {
            state: self.state(),
            life: if self.listing.is_some() { Life::Known } else { Life::Configured },
            epoch: self.epoch,
            listing: self.listing.clone(),
            listed_epoch: self.listed_epoch,
            failed_at: None,
            last_error: self.last_error.clone(),
            process_id: None,
            noise_lines: 0,
            diagnostics: Arc::default(),
        };
        match &self.phase {
            Phase::Ready(ready) => {
                report.life = if ready.used { Life::Used } else { Life::Started };
                report.process_id = ready.process_id;
                report.noise_lines = ready.noise_lines;
                report.diagnostics = Arc::clone(&ready.all_diagnostics);
            }
            Phase::Cooling(cooling) => report.failed_at = Some(cooling.failed_at),
            Phase::Dormant
            | Phase::Connecting { .. }
            | Phase::NeedsAuth { .. }
            | Phase::Draining(_)
            | Phase::Stopped(_) => {}
        }
        report
    }

    fn state(&self) -> ServerState {
        let resting = resting_state(&self.spec, self.listing.is_some());
        if self.spec.disabled {
            return resting;
        }
        match &self.phase {
            Phase::Dormant | Phase::Stopped(_) => resting,
            Phase::Connecting { .. } => ServerState::Connecting,
            Phase::Ready(ready) => match ready.stage {
                ReadyStage::FirstLook => ServerState::Connecting,
                ReadyStage::Open => ServerState::Connected,
            },
            Phase::Cooling(_) => ServerState::Failed,
            Phase::NeedsAuth { .. } => ServerState::NeedsAuth,
            Phase::Draining(draining) => match &draining.then {
                Then::Start | Then::Redial | Then::Failed(_) | Then::NeedsAuth { .. } => {
                    ServerState::Connecting
                }
                Then::Rest | Then::Lost { .. } | Then::Stop(_) => resting,
            },
        }
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
