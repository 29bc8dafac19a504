//! The machine of all servers: compares what should be with what stands, restarts what failed, and joins the reports
//! of the servers into one published truth. It is the only writer of snapshot and roster.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_catalog::{Roster, RosterBuilder};
use mcp_types::{Epoch, Generation, ServerName, Version};

use super::effect::{Publication, RegistryEffect, ShutdownReport};
use super::event::{Desired, Incarnation, RegistryEvent, Remains};
use super::publish;
use crate::server::UNMOUNT_GRACE;
use crate::server::refusal::StopReason;
use crate::server::report::{ServerReport, same_option};
use crate::server::spec::MountSpec;
use crate::snapshot::{ServerState, StatusSnapshot};
use crate::supervise::RestartHistory;

/// The state of the set of servers.
#[derive(Debug)]
pub(crate) struct RegistryMachine {
    generation: Option<Generation>,
    wanted: Vec<(ServerName, Arc<MountSpec>)>,
    mounts: BTreeMap<ServerName, Mount>,
    newest_incarnation: Incarnation,
    /// Above the epochs of everything that is gone, so that no epoch of a name ever comes twice.
    epoch_floor: Epoch,
    sequence: Version,
    roster: Arc<Roster>,
    roster_is_stale: bool,
    stopping: Option<ShutdownReport>,
    random: fastrand::Rng,
}

#[derive(Debug)]
struct Mount {
    spec: Arc<MountSpec>,
    report: ServerReport,
    history: RestartHistory,
    stage: Stage,
}

/// Where one server's actor stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Running(Incarnation),
    /// It was told to end. It may be wanted again by now.
    Retiring(Incarnation),
    /// It has ended and is being cleaned up after.
    Down {
        incarnation: Incarnation,
        failed: bool,
    },
    /// It failed and begins anew at this time.
    Restarting(Instant),
}

impl RegistryMachine {
    pub(crate) fn new(random: fastrand::Rng) -> Self {
        Self {
            generation: None,
            wanted: Vec::new(),
            mounts: BTreeMap::new(),
            newest_incarnation: Incarnation::default(),
            epoch_floor: Epoch::ZERO,
            sequence: Version::ZERO,
            roster: Arc::default(),
            roster_is_stale: false,
            stopping: None,
            random,
        }
    }

    /// Takes an event in and appends what is to be done.
    pub(crate) fn on(&mut self, event: RegistryEvent, now: Instant, out: &mut Vec<RegistryEffect>) {
        match event {
            RegistryEvent::Desired(desired) => self.desire(desired, out),
            RegistryEvent::Reported { name, incarnation, report } => {
                self.reported(&name, incarnation, *report, out);
            }
            RegistryEvent::Down { name, incarnation } => self.down(&name, incarnation, out),
            RegistryEvent::Gone { name, incarnation, remains } => {
                self.gone(&name, incarnation, remains, now, out);
            }
            RegistryEvent::Wake => {}
            RegistryEvent::Shutdown { grace } => self.shut_down(grace, out),
        }
        self.restart_due(now, out);
    }

    /// Gives the time of the next restart.
    pub(crate) fn next_wakeup(&self) -> Option<Instant> {
        let restarts = self.mounts.values().filter_map(|mount| match mount.stage {
            Stage::Restarting(at) => Some(at),
            Stage::Running(_) | Stage::Retiring(_) | Stage::Down { .. } => None,
        });
        restarts.min()
    }

    fn desire(&mut self, desired: Desired, out: &mut Vec<RegistryEffect>) {
        let is_old = self.generation.is_some_and(|newest| desired.generation < newest);
        if is_old || self.stopping.is_some() {
            return;
        }
        self.generation = Some(desired.generation);
        self.wanted.clear();
        for (name, spec) in desired.mounts {
            if self.wanted(&name).is_none() {
                self.wanted.push((name, spec));
            }
        }
        self.retire_unwanted(out);
        for (name, spec) in self.wanted.clone() {
            self.reconcile(name, spec, out);
        }
        self.roster_is_stale = true;
        self.publish(out);
    }

    fn wanted(&self, name: &ServerName) -> Option<&Arc<MountSpec>> {
        self.wanted.iter().find(|(known, _)| known == name).map(|(_, spec)| spec)
    }

    fn retire_unwanted(&mut self, out: &mut Vec<RegistryEffect>) {
        let wanted: std::collections::BTreeSet<_> = self.wanted.iter().map(|(name, _)| name).collect();
        self.mounts.retain(|name, mount| {
            if wanted.contains(name) {
                return true;
            }
            match mount.stage {
                Stage::Running(incarnation) => {
                    mount.stage = Stage::Retiring(incarnation);
                    let (reason, grace) = (StopReason::Unmounted, UNMOUNT_GRACE);
                    out.push(RegistryEffect::Retire { name: name.clone(), reason, grace });
                    true
                }
                Stage::Retiring(_) | Stage::Down { .. } => true,
                Stage::Restarting(_) => false,
            }
        });
    }

    fn reconcile(&mut self, name: ServerName, spec: Arc<MountSpec>, out: &mut Vec<RegistryEffect>) {
        let Some(mount) = self.mounts.get_mut(&name) else {
            return self.mount(name, spec, RestartHistory::default(), out);
        };
        match mount.stage {
            Stage::Running(_) if mount.spec != spec => {
                mount.spec = Arc::clone(&spec);
                out.push(RegistryEffect::Respec { name, spec });
            }
            Stage::Running(_) => {}
            // Its successor is mounted when it is gone.
            Stage::Retiring(_) | Stage::Down { failed: false, .. } => {
                mount.report = ServerReport::initial(&spec, mount.report.epoch);
                mount.spec = spec;
            }
            Stage::Down { failed: true, .. } | Stage::Restarting(_) => mount.spec = spec,
        }
    }

    fn mount(
        &mut self,
        name: ServerName,
        spec: Arc<MountSpec>,
        history: RestartHistory,
        out: &mut Vec<RegistryEffect>,
    ) {
        let incarnation = Incarnation(self.newest_incarnation.0 + 1);
        self.newest_incarnation = incarnation;
        let epoch = self.epoch_floor;
        let report = ServerReport::initial(&spec, epoch);
        let stage = Stage::Running(incarnation);
        self.mounts.insert(name.clone(), Mount { spec: Arc::clone(&spec), report, history, stage });
        out.push(RegistryEffect::Mount { name, incarnation, spec, epoch });
    }

    fn reported(
        &mut self,
        name: &ServerName,
        incarnation: Incarnation,
        report: ServerReport,
        out: &mut Vec<RegistryEffect>,
    ) {
        let Some(mount) = self.mounts.get_mut(name) else { return };
        if mount.stage != Stage::Running(incarnation) {
            return;
        }
        self.roster_is_stale |= !same_option(mount.report.listing.as_ref(), report.listing.as_ref());
        mount.report = report;
        self.publish(out);
    }

    fn down(&mut self, name: &ServerName, incarnation: Incarnation, out: &mut Vec<RegistryEffect>) {
        let Some(mount) = self.mounts.get_mut(name) else { return };
        let failed = match mount.stage {
            Stage::Running(current) if current == incarnation => true,
            Stage::Retiring(current) if current == incarnation => false,
            Stage::Running(_) | Stage::Retiring(_) | Stage::Down { .. } | Stage::Restarting(_) => return,
        };
        mount.stage = Stage::Down { incarnation, failed };
        out.push(RegistryEffect::CleanUp { name: name.clone(), incarnation });
        if failed {
            mount.report.state = ServerState::Restarting;
            mount.report.process_id = None;
            self.publish(out);
        }
    }

    fn gone(
        &mut self,
        name: &ServerName,
        incarnation: Incarnation,
        remains: Remains,
        now: Instant,
        out: &mut Vec<RegistryEffect>,
    ) {
        self.epoch_floor = self.epoch_floor.max(remains.newest_epoch);
        let wanted = self.wanted(name).cloned();
        let Some(mount) = self.mounts.get_mut(name) else { return };
        let failed = match mount.stage {
            Stage::Down { incarnation: current, failed } if current == incarnation => failed,
            Stage::Down { .. } | Stage::Running(_) | Stage::Retiring(_) | Stage::Restarting(_) => return,
        };
        if let Some(report) = &mut self.stopping {
            report.tasks_aborted += remains.tasks_aborted;
            if remains.forced {
                report.forced.push(name.clone());
            }
        }
        match wanted {
            None => {
                self.mounts.remove(name);
                match self.stopping {
                    Some(_) => self.finish_if_empty(out),
                    None => self.publish(out),
                }
            }
            Some(_) if failed => mount.stage = Stage::Restarting(mount.history.failed(now, &mut self.random)),
            Some(spec) => {
                self.mount(name.clone(), spec, RestartHistory::default(), out);
                self.publish(out);
            }
        }
    }

    fn restart_due(&mut self, now: Instant, out: &mut Vec<RegistryEffect>) {
        let due: Vec<ServerName> = self
            .mounts
            .iter()
            .filter(|(_, mount)| matches!(mount.stage, Stage::Restarting(at) if at <= now))
            .map(|(name, _)| name.clone())
            .collect();
        for name in &due {
            if let Some(mount) = self.mounts.remove(name) {
                // What it offered is still known.
                let seed = mount.report.listing.or_else(|| mount.spec.seed.clone());
                let spec = MountSpec { seed, ..MountSpec::clone(&mount.spec) };
                self.mount(name.clone(), Arc::new(spec), mount.history, out);
            }
        }
        if !due.is_empty() {
            self.publish(out);
        }
    }

    fn shut_down(&mut self, grace: Duration, out: &mut Vec<RegistryEffect>) {
        self.stopping.get_or_insert_default();
        self.wanted.clear();
        self.mounts.retain(|name, mount| match mount.stage {
            Stage::Running(incarnation) | Stage::Retiring(incarnation) => {
                mount.stage = Stage::Retiring(incarnation);
                let reason = StopReason::ShuttingDown;
                out.push(RegistryEffect::Retire { name: name.clone(), reason, grace });
                true
            }
            Stage::Down { .. } => true,
            Stage::Restarting(_) => false,
        });
        self.finish_if_empty(out);
    }

    fn finish_if_empty(&mut self, out: &mut Vec<RegistryEffect>) {
        if !self.mounts.is_empty() {
            return;
        }
        if let Some(report) = self.stopping.clone() {
            self.roster_is_stale = true;
            self.publish(out);
            out.push(RegistryEffect::Finished(report));
        }
    }

    fn publish(&mut self, out: &mut Vec<RegistryEffect>) {
        // Nothing is published before the first reconcile, and only the end while everything ends.
        if self.generation.is_none() && self.stopping.is_none() {
            return;
        }
        let is_last = self.stopping.is_some() && self.mounts.is_empty();
        if self.stopping.is_some() && !is_last {
            return;
        }
        self.sequence = self.sequence.next();
        let servers = self.wanted.iter().filter_map(|(name, spec)| {
            self.mounts.get(name).map(|mount| publish::status(name, spec, &mount.report))
        });
        let snapshot = Arc::new(StatusSnapshot {
            generation: self.generation.unwrap_or_default(),
            sequence: self.sequence,
            servers: servers.collect(),
            leaving: self.mounts.keys().filter(|name| self.wanted(name).is_none()).cloned().collect(),
            closed: is_last,
        });
        let diff = self.rebuild_roster();
        let roster = Arc::clone(&self.roster);
        out.push(RegistryEffect::Publish(Publication { snapshot, roster, diff }));
    }

    /// Builds the roster anew when a part of it may have changed, and gives the difference.
    fn rebuild_roster(&mut self) -> Option<Arc<mcp_catalog::RosterDiff>> {
        if !std::mem::take(&mut self.roster_is_stale) {
            return None;
        }
        let mut builder = RosterBuilder::reusing(Arc::clone(&self.roster));
        for (name, spec) in &self.wanted {
            let listing = self.mounts.get(name).and_then(|mount| mount.report.listing.clone());
            builder = builder.server(name.clone(), spec.expose.clone(), listing, spec.disabled);
        }
        let roster = Arc::new(builder.build(self.roster.version().next()));
        let old = std::mem::replace(&mut self.roster, roster);
        let diff = mcp_catalog::diff(&old, &self.roster);
        Some(Arc::new(diff))
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
