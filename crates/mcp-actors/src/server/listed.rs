//! Putting what was listed into what is known of a server.

use std::sync::Arc;

use mcp_catalog::ServerListing;
use mcp_transport::{Failure, ListKind};
use mcp_types::{Diagnostic, Severity};

use super::event::{ListedItems, ListedPart, Opened};
use super::phase::PartDiagnostics;

/// Begins the listing of a new session: what was known stays until the session lists it anew; what the session does
/// not offer goes.
pub(crate) fn begin(known: Option<&Arc<ServerListing>>, opened: &Opened) -> ServerListing {
    let mut draft = known.map(|listing| ServerListing::clone(listing)).unwrap_or_default();
    draft.instructions.clone_from(&opened.instructions);
    draft.server_info.clone_from(&opened.server_info);
    if !opened.tools {
        draft.tools.clear();
    }
    if !opened.resources {
        draft.resources.clear();
        draft.resource_templates.clear();
    }
    if !opened.prompts {
        draft.prompts.clear();
    }
    draft
}

/// Puts one list into the listing.
pub(crate) fn merge(draft: &mut ServerListing, diagnostics: &mut PartDiagnostics, part: ListedPart) {
    match part.items {
        ListedItems::Tools(tools) => {
            draft.tools = tools;
            diagnostics.tools = part.diagnostics;
        }
        ListedItems::Resources { resources, templates } => {
            draft.resources = resources;
            draft.resource_templates = templates;
            diagnostics.resources = part.diagnostics;
        }
        ListedItems::Prompts(prompts) => {
            draft.prompts = prompts;
            diagnostics.prompts = part.diagnostics;
        }
    }
}

/// Gives the old listing back when the new one says the same, so that nobody sees a change where there is none.
pub(crate) fn keep_if_equal(known: Option<&Arc<ServerListing>>, draft: &ServerListing) -> Arc<ServerListing> {
    match known {
        Some(known) if **known == *draft => Arc::clone(known),
        Some(_) | None => Arc::new(draft.clone()),
    }
}

pub(crate) fn list_failed(kind: ListKind, failure: &Failure) -> Diagnostic {
    let what = match kind {
        ListKind::Tools => "tools",
        ListKind::Resources => "resources",
        ListKind::Prompts => "prompts",
    };
    Diagnostic::new(
        "list_failed",
        Severity::Warning,
        format!("the {what} could not be listed, those known before stay: {}", failure.message),
    )
    .with_hint("it is tried again by itself")
}
