//! Fetching the lists of a session, and asking whether it lives. Runs in tasks, never in the actor.

use std::time::Duration;

use mcp_transport::{Failure, FailureClass, ListKind, Listed, RequestOptions, Session};
use mcp_types::{Diagnostic, Severity};

use super::event::{ListedItems, ListedPart, Opened};
use crate::tasks::contained;

/// The longest a ping may take.
const PING_LIMIT: Duration = Duration::from_secs(5);

/// What is left to the session to report its own timeout before it is cut off.
const MARGIN: Duration = Duration::from_secs(10);

/// Reads off a fresh session what the machine decides on.
pub(crate) fn opened(session: &Session) -> Opened {
    let facts = session.facts();
    let is_named = !facts.server_name.is_empty() || !facts.server_version.is_empty();
    Opened {
        tools: facts.capabilities.tools,
        resources: facts.capabilities.resources,
        prompts: facts.capabilities.prompts,
        instructions: facts.instructions.clone(),
        server_info: is_named.then(|| (facts.server_name.clone(), facts.server_version.clone())),
        process_id: facts.process_id,
    }
}

/// Fetches one list within `limit` and some.
pub(crate) async fn list(session: &Session, kind: ListKind, limit: Duration) -> Result<ListedPart, Failure> {
    let fetched = tokio::time::timeout(limit.saturating_add(MARGIN), Box::pin(fetch(session, kind)));
    let fetched = contained(fetched, || Ok(Err(panicked("the listing")))).await;
    fetched.unwrap_or_else(|_| Err(Failure::new(FailureClass::Timeout, "the listing took too long")))
}

async fn fetch(session: &Session, kind: ListKind) -> Result<ListedPart, Failure> {
    match kind {
        ListKind::Tools => {
            let Listed { items, diagnostics } = session.list_tools().await?;
            Ok(ListedPart { items: ListedItems::Tools(items), diagnostics })
        }
        ListKind::Prompts => {
            let Listed { items, diagnostics } = session.list_prompts().await?;
            Ok(ListedPart { items: ListedItems::Prompts(items), diagnostics })
        }
        ListKind::Resources => {
            let (resources, templates) =
                tokio::join!(session.list_resources(), session.list_resource_templates());
            let mut resources = resources?;
            let templates = match templates {
                // A server that stumbles over its templates may still have resources.
                Err(failure) if matches!(failure.class, FailureClass::Refused { .. }) => {
                    resources.diagnostics.push(no_templates(&failure));
                    Listed::default()
                }
                other => other?,
            };
            resources.diagnostics.extend(templates.diagnostics);
            let items = ListedItems::Resources { resources: resources.items, templates: templates.items };
            Ok(ListedPart { items, diagnostics: resources.diagnostics })
        }
    }
}

/// Asks whether the session lives.
pub(crate) async fn ping(session: &Session) -> Result<(), Failure> {
    let options = RequestOptions { timeout: Some(PING_LIMIT), max_total: Some(PING_LIMIT), progress: None };
    let pinged = tokio::time::timeout(PING_LIMIT + MARGIN, Box::pin(session.ping(options)));
    let pinged = contained(pinged, || Ok(Err(panicked("the ping")))).await;
    pinged.unwrap_or_else(|_| Err(Failure::new(FailureClass::Timeout, "the ping took too long")))
}

pub(crate) fn panicked(what: &str) -> Failure {
    Failure::new(FailureClass::Protocol, format!("{what} failed for an internal reason"))
}

fn no_templates(failure: &Failure) -> Diagnostic {
    Diagnostic::new(
        "list_failed",
        Severity::Info,
        format!("the resource templates could not be listed: {}", failure.message),
    )
}
