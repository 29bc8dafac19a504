//! From reports to what is published.

use mcp_types::ServerName;
use tokio::time::Instant;

use crate::server::report::{ServerReport, resting_state};
use crate::server::spec::MountSpec;
use crate::snapshot::{ErrorLine, ServerState, ServerStatus};

/// Puts one server's definition and its newest report together.
pub(crate) fn status(name: &ServerName, spec: &MountSpec, report: &ServerReport) -> ServerStatus {
    let listing = report.listing.as_deref();
    ServerStatus {
        name: name.clone(),
        status: state(spec, report),
        life: report.life,
        tool_count: listing.map_or(0, |listing| listing.tools.len()),
        resource_count: listing.map(|listing| listing.resources.len()),
        prompt_count: listing.map(|listing| listing.prompts.len()),
        failed_at: report.failed_at.map(Instant::from_std),
        last_error: report.last_error.as_deref().map(ErrorLine::of),
        disabled: spec.disabled,
        required: spec.required,
        source: spec.source.clone(),
        epoch: report.epoch,
        listed_epoch: report.listed_epoch,
        process_id: report.process_id,
        noise_lines: report.noise_lines,
        diagnostics: report.diagnostics.clone(),
    }
}

/// The report may be older than the definition.
fn state(spec: &MountSpec, report: &ServerReport) -> ServerState {
    match (spec.disabled, report.state) {
        (true, _) => ServerState::Disabled,
        (false, ServerState::Disabled) => resting_state(spec, report.listing.is_some()),
        (false, state) => state,
    }
}
