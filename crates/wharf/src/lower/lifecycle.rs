//! When a server is connected and when it is let go.

use std::time::Duration;

use mcp_actors::{LifecycleMode, LifecycleSpec};
use mcp_config::{Lifecycle, ServerEntry, Settings};

use crate::definition::ServerDefinition;

pub(super) fn of_entry(entry: &ServerEntry, settings: &Settings) -> LifecycleSpec {
    let mode = match entry.lifecycle {
        Lifecycle::Lazy => LifecycleMode::Lazy,
        Lifecycle::Eager => LifecycleMode::Eager,
        Lifecycle::KeepAlive => LifecycleMode::KeepAlive,
        Lifecycle::LazyKeepAlive => LifecycleMode::LazyKeepAlive,
    };
    let mut spec = LifecycleSpec::new(mode);
    let minutes = match entry.lifecycle {
        Lifecycle::Lazy => entry.idle_timeout_minutes.or(settings.idle_timeout_minutes),
        Lifecycle::Eager | Lifecycle::KeepAlive | Lifecycle::LazyKeepAlive => entry.idle_timeout_minutes,
    };
    if let Some(idle) = minutes.and_then(|minutes| Duration::try_from_secs_f64(minutes * 60.0).ok()) {
        spec.idle = Some(idle);
    }
    spec
}

pub(super) fn of_definition(definition: &ServerDefinition) -> LifecycleSpec {
    let mode = match (definition.keep_alive, definition.eager) {
        (true, _) => LifecycleMode::KeepAlive,
        (false, true) => LifecycleMode::Eager,
        (false, false) => LifecycleMode::Lazy,
    };
    let mut spec = LifecycleSpec::new(mode);
    if definition.idle.is_some() {
        spec.idle = definition.idle;
    }
    spec
}
