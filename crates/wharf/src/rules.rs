//! The rules of the call path, swapped as one value so that a tighter policy is never behind a wider roster.

use std::collections::BTreeMap;
use std::time::Duration;

use mcp_guard::GuardRules;
use mcp_policy::PolicyRules;
use mcp_types::ServerName;

use crate::lifecycle::START_WAIT;

/// What a call is decided and guarded by.
#[derive(Debug, Clone)]
pub(crate) struct CallRules {
    pub(crate) policy: PolicyRules,
    pub(crate) guard: GuardRules,
    pub(crate) max_argument_bytes: usize,
    /// How long a caller waits for the start of a server, where its entry says so.
    pub(crate) start_waits: BTreeMap<ServerName, Duration>,
}

impl CallRules {
    pub(crate) fn start_wait(&self, server: &ServerName) -> Duration {
        self.start_waits.get(server).copied().unwrap_or(START_WAIT)
    }
}
