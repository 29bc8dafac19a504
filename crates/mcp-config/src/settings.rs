//! The general settings: their type, and how they are read from all layers.

use std::collections::BTreeMap;
use std::time::Duration;

use mcp_types::Place;

use crate::diagnose::Findings;
use crate::entry::{milliseconds, nested, tool_prefix};
use crate::field::{self, FieldReader};
use crate::keys::Scope;
use crate::parse::Value;
use crate::policy::{self, PolicyFloor};
use crate::raw::Fields;
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

/// Reads the settings of all layers. A wrong value is told and leaves the default; where the value is about policy,
/// it leaves the narrowest rule instead.
pub(crate) fn read(fields: &Fields, findings: &mut Findings) -> (Settings, PolicyFloor) {
    let mut user_reader = FieldReader::new(Scope::Setting, fields, Findings::default());
    let floor = PolicyFloor {
        approvals: policy::approvals(&mut user_reader, true),
        approve_tools: policy::approve_tools(&mut user_reader, true),
    };
    let mut reader = FieldReader::new(Scope::Setting, fields, Findings::default());
    let mut settings = Settings {
        allow: policy::allow(&mut reader),
        approvals: policy::approvals(&mut reader, false),
        approve_tools: policy::approve_tools(&mut reader, false),
        strict: strict(&mut reader),
        tool_prefix: reader.read("toolPrefix", tool_prefix),
        idle_timeout_minutes: reader.read("idleTimeout", field::minutes),
        request_timeout: reader.read("requestTimeoutMs", milliseconds),
        expose_resources: reader.read("exposeResources", field::switch),
        output_guard: output_guard(&mut reader),
        provenance: BTreeMap::new(),
    };
    settings.provenance = reader.provenance;
    findings.absorb(reader.findings);
    (settings, floor)
}

/// Reads `strict`. Once true it stays so; what cannot be read counts as true.
fn strict(reader: &mut FieldReader<'_>) -> bool {
    let mut strict = false;
    for layer in reader.fields.all("strict") {
        let written = reader.read_field("strict", layer, field::switch).unwrap_or(true);
        strict = written || strict && layer.file.layer.is_project();
    }
    strict
}

fn output_guard(reader: &mut FieldReader<'_>) -> Option<OutputGuard> {
    if let Some(Value::Bool(enabled)) = reader.fields.last("outputGuard").map(|field| &field.node.value) {
        let enabled = *enabled;
        reader.read("outputGuard", field::switch)?;
        return Some(OutputGuard { enabled, max_bytes: None, max_lines: None });
    }
    let inner = nested(reader, "outputGuard", Scope::OutputGuard)?;
    let mut within = FieldReader::new(Scope::OutputGuard, &inner.fields, inner.findings);
    let guard = OutputGuard {
        enabled: true,
        max_bytes: within.read("maxBytes", field::count),
        max_lines: within.read("maxLines", field::count),
    };
    reader.findings.absorb(within.findings);
    Some(guard)
}
