//! One server's whole newest truth, as it goes up to the registry.

use std::sync::Arc;
use std::time::Instant;

use mcp_catalog::ServerListing;
use mcp_transport::Failure;
use mcp_types::{Diagnostic, Epoch};

use super::spec::MountSpec;
use crate::snapshot::{Life, ServerState};

/// What a server is at one moment. A lost or doubled report does no harm: the next one says everything again.
#[derive(Debug, Clone)]
pub(crate) struct ServerReport {
    pub(crate) state: ServerState,
    pub(crate) life: Life,
    /// The newest connection that was begun.
    pub(crate) epoch: Epoch,
    pub(crate) listing: Option<Arc<ServerListing>>,
    /// The connection that gave `listing`; `None` when it comes from an earlier run.
    pub(crate) listed_epoch: Option<Epoch>,
    pub(crate) failed_at: Option<Instant>,
    pub(crate) last_error: Option<Arc<Failure>>,
    pub(crate) process_id: Option<u32>,
    pub(crate) noise_lines: u64,
    pub(crate) diagnostics: Arc<Vec<Diagnostic>>,
}

impl ServerReport {
    /// What is known of a server before it was ever connected.
    pub(crate) fn initial(spec: &MountSpec, epoch: Epoch) -> Self {
        Self {
            state: resting_state(spec, spec.seed.is_some()),
            life: if spec.seed.is_some() { Life::Known } else { Life::Configured },
            epoch,
            listing: spec.seed.clone(),
            listed_epoch: None,
            failed_at: None,
            last_error: None,
            process_id: None,
            noise_lines: 0,
            diagnostics: Arc::default(),
        }
    }
}

/// The state of a server without a session.
pub(crate) fn resting_state(spec: &MountSpec, known: bool) -> ServerState {
    match (spec.disabled, known) {
        (true, _) => ServerState::Disabled,
        (false, true) => ServerState::Cached,
        (false, false) => ServerState::NotConnected,
    }
}

/// Listings are compared by identity: the machine keeps the old one when a new one says the same.
impl PartialEq for ServerReport {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            state,
            life,
            epoch,
            listing,
            listed_epoch,
            failed_at,
            last_error,
            process_id,
            noise_lines,
            diagnostics,
        } = self;
        *state == other.state
            && *life == other.life
            && *epoch == other.epoch
            && same_option(listing.as_ref(), other.listing.as_ref())
            && *listed_epoch == other.listed_epoch
            && *failed_at == other.failed_at
            && (same_option(last_error.as_ref(), other.last_error.as_ref())
                || *last_error == other.last_error)
            && *process_id == other.process_id
            && *noise_lines == other.noise_lines
            && (Arc::ptr_eq(diagnostics, &other.diagnostics) || *diagnostics == other.diagnostics)
    }
}

pub(crate) fn same_option<T>(one: Option<&Arc<T>>, other: Option<&Arc<T>>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        (None, Some(_)) | (Some(_), None) => false,
    }
}
