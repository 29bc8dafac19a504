//! `wharf connect` and `wharf reconnect`.

use serde::Serialize;
use wharf::{Error, Runtime, ServerListing};

use super::{Outcome, list};
use crate::exit::Exit;
use crate::printer::Failure;
use crate::settings::Settings;

/// What a connection brought.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Counts {
    server: String,
    status: &'static str,
    tool_count: usize,
    resource_count: usize,
    resource_template_count: usize,
    prompt_count: usize,
}

/// One server of many: what it brought, or why not.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Entry {
    Connected(Counts),
    Failed { server: String, status: &'static str, error: Failure },
}

#[derive(Debug, Serialize)]
struct Answer {
    servers: Vec<Entry>,
}

pub(super) async fn connect(settings: &Settings, runtime: &Runtime, server: &str) -> Outcome {
    let listing = runtime.connect(server).await?;
    settings.printer.answer(&counts(server, &listing), || as_text(runtime, server, &listing));
    Ok(Exit::Done)
}

pub(super) async fn reconnect(settings: &Settings, runtime: &Runtime, server: Option<&str>) -> Outcome {
    let Some(server) = server else { return reconnect_all(settings, runtime).await };
    let listing = runtime.reconnect(server).await?;
    settings.printer.answer(&counts(server, &listing), || as_text(runtime, server, &listing));
    Ok(Exit::Done)
}

/// Goes through all servers whatever becomes of each; the exit code is that of the first failure.
async fn reconnect_all(settings: &Settings, runtime: &Runtime) -> Outcome {
    let roster = runtime.roster();
    let mut servers = Vec::new();
    let mut exit = Exit::Done;
    for server in roster.servers().filter(|server| !server.disabled) {
        let name = server.name.as_str();
        match runtime.reconnect(name).await {
            Ok(listing) => {
                servers.push(Entry::Connected(counts(name, &listing)));
                if !settings.printer.is_json() {
                    settings.printer.text(&as_text(runtime, name, &listing));
                }
            }
            Err(error) => {
                exit = if exit == Exit::Done { Exit::of(error.code()) } else { exit };
                servers.push(failed(settings, name, &error));
            }
        }
    }
    if settings.printer.is_json() {
        settings.printer.json(&Answer { servers });
    }
    Ok(exit)
}

fn failed(settings: &Settings, server: &str, error: &Error) -> Entry {
    if !settings.printer.is_json() {
        settings.printer.failure(error);
    }
    Entry::Failed { server: server.to_owned(), status: "failed", error: Failure::of(error) }
}

fn counts(server: &str, listing: &ServerListing) -> Counts {
    Counts {
        server: server.to_owned(),
        status: "connected",
        tool_count: listing.tools.len(),
        resource_count: listing.resources.len(),
        resource_template_count: listing.resource_templates.len(),
        prompt_count: listing.prompts.len(),
    }
}

fn as_text(runtime: &Runtime, server: &str, listing: &ServerListing) -> String {
    let roster = runtime.roster();
    let tools =
        roster.server(server).map(|entry| list::as_text(entry, &runtime.status())).unwrap_or_default();
    format!("{tools}{} resources, {} prompts", listing.resources.len(), listing.prompts.len())
}
