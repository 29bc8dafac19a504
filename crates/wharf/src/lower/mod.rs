//! Lowering: one configuration snapshot becomes specs for the actors and rules for the call path. Pure.
//!
//! Only this room sees configuration and the inputs of the other crates at once. A setting is one line here.

mod expose;
mod guard;
mod lifecycle;
mod policy;
mod server;
mod text;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mcp_actors::LifecycleMode;
use mcp_config::{ConfigSnapshot, Layer};
use mcp_types::{Diagnostic, ServerName, Severity};

use crate::catalogue::Hashes;
use crate::clock::unix_millis;
use crate::mounts::{MountList, Source};
use crate::rules::CallRules;
use crate::store::Entries;
use crate::unresolved::Refusals;

/// The largest arguments of one call in bytes.
const MAX_ARGUMENT_BYTES: usize = 16 * 1024 * 1024;

/// What a configuration comes down to.
#[derive(Debug, Clone)]
pub(crate) struct Lowered {
    pub(crate) config: ConfigSnapshot,
    pub(crate) mounts: MountList,
    pub(crate) rules: CallRules,
    pub(crate) refusals: Refusals,
    pub(crate) hashes: Hashes,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Lowers a configuration and the servers defined by code. What is wrong with one server never reaches another.
pub(crate) fn lower(mut config: ConfigSnapshot, source: &Source, known: &Entries) -> Lowered {
    refuse_strangers(&mut config);
    let now_ms = unix_millis();
    let mut mounts = MountList::new();
    let mut refusals = Refusals::new();
    let mut hashes = Hashes::new();
    let mut start_waits: BTreeMap<ServerName, Duration> = BTreeMap::new();
    for blueprint in server::blueprints(&config, source) {
        let name = blueprint.spec.connect.server.clone();
        let mut spec = blueprint.spec;
        if source.builder.all_lazy {
            spec.lifecycle.mode = LifecycleMode::Lazy;
        }
        spec.seed = known
            .get(&name)
            .filter(|entry| entry.is_valid(&blueprint.hash, now_ms))
            .map(|entry| Arc::clone(&entry.listing));
        if let Some(failure) = blueprint.refusal {
            refusals.insert(name.clone(), failure);
        }
        hashes.insert(name.clone(), blueprint.hash);
        start_waits.insert(name.clone(), blueprint.start_wait);
        mounts.push((name, Arc::new(spec)));
    }
    let rules = CallRules {
        policy: policy::lower(&config),
        guard: guard::lower(&config.settings, &source.environment),
        max_argument_bytes: MAX_ARGUMENT_BYTES,
        start_waits,
    };
    let diagnostics = config.diagnostics.clone();
    Lowered { config, mounts, rules, refusals, hashes, diagnostics }
}

/// Under `strict` only the file that was named alone and code define servers; whatever else does is refused.
fn refuse_strangers(config: &mut ConfigSnapshot) {
    if !config.settings.strict {
        return;
    }
    let (kept, refused): (Vec<_>, Vec<_>) =
        std::mem::take(&mut config.servers).into_iter().partition(|entry| entry.layer == Layer::Only);
    config.servers = kept;
    config.diagnostics.extend(refused.into_iter().map(|entry| {
        Diagnostic::new(
            "strict_source",
            Severity::Error,
            format!("server {} is refused: `strict` admits no server of this file", entry.name),
        )
        .at(entry.source)
        .for_server(entry.name.as_str())
        .with_hint("name the file with --only-config, or take `strict` out of the settings")
    }));
}

#[cfg(test)]
#[path = "../lower_tests.rs"]
mod tests;
