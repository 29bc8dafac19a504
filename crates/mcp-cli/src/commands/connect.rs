//! `wharf connect` and `wharf reconnect`.

use serde_json::json;
use wharf::{Error, Runtime, ServerListing};

use super::{Outcome, list};
use crate::exit::Exit;
use crate::settings::Settings;

pub(super) async fn connect(settings: &Settings, runtime: &Runtime, server: &str) -> Outcome {
    let listing = runtime.connect(server).await?;
    report(settings, runtime, server, &listing);
    Ok(Exit::Done)
}

pub(super) async fn reconnect(settings: &Settings, runtime: &Runtime, server: Option<&str>) -> Outcome {
    if let Some(server) = server {
        let listing = runtime.reconnect(server).await?;
        report(settings, runtime, server, &listing);
        return Ok(Exit::Done);
    }
    let roster = runtime.roster();
    let mut exit = Exit::Done;
    for server in roster.servers().filter(|server| !server.disabled) {
        match runtime.reconnect(server.name.as_str()).await {
            Ok(listing) => report(settings, runtime, server.name.as_str(), &listing),
            Err(error) => exit = failed(settings, &error),
        }
    }
    Ok(exit)
}

fn failed(settings: &Settings, error: &Error) -> Exit {
    settings.printer.failure(error)
}

fn report(settings: &Settings, runtime: &Runtime, server: &str, listing: &ServerListing) {
    let counts = json!({
        "server": server,
        "status": "connected",
        "toolCount": listing.tools.len(),
        "resourceCount": listing.resources.len(),
        "resourceTemplateCount": listing.resource_templates.len(),
        "promptCount": listing.prompts.len(),
    });
    settings.printer.answer(&counts, || {
        let roster = runtime.roster();
        let tools = roster.server(server).map(|server| list::as_text(server, &runtime.status())).unwrap_or_default();
        format!("{tools}{} resources, {} prompts", listing.resources.len(), listing.prompts.len())
    });
}
