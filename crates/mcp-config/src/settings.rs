//! The general settings: their type, and how they are read from all layers.

use std::collections::BTreeMap;
use std::time::Duration;

use mcp_types::Place;

use crate::snapshot::{ApproveTools, ToolPrefix, words};

/// What holds for all servers. `None` is the default of the one who uses it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// How the outward names of tools begin.
    pub tool_prefix: Option<ToolPrefix>,
    /// Minutes without a call after which a lazy server is closed; 0 is never.
    pub idle_timeout_minutes: Option<f64>,
    /// How long a request may be silent.
    pub request_timeout: Option<Duration>,
    /// The only tools that may be called; `None` lets all be called.
    pub allow: Option<Vec<String>>,
    /// What `approval: "policy"` means where no list speaks.
    pub approvals: Approvals,
    /// The tools that ask for an approval, where a server has no list of its own.
    pub approve_tools: Option<ApproveTools>,
    /// The limits of what a model receives.
    pub output_guard: Option<OutputGuard>,
    /// Whether resources become tools.
    pub expose_resources: Option<bool>,
    /// True: only servers defined by code or by the only file are used.
    pub strict: bool,
    /// Where each written setting comes from, by key.
    pub provenance: BTreeMap<String, Place>,
}

words! {
    /// What `approval: "policy"` means where no list speaks. Ordered: a later word asks more often.
    Approvals {
        /// Nothing is asked.
        Off = "off",
        /// Tools that may change something are asked about.
        Mutating = "mutating",
    }
}

#[expect(clippy::derivable_impls, reason = "the type is made by a macro that knows no default")]
impl Default for Approvals {
    fn default() -> Self {
        Self::Off
    }
}

/// The limits of what a model receives. `None` is the default of the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputGuard {
    /// False: everything passes.
    pub enabled: bool,
    /// The most bytes of text.
    pub max_bytes: Option<usize>,
    /// The most lines of text.
    pub max_lines: Option<usize>,
}
