//! `wharf list`: servers and their tools from the catalogue.

use std::fmt::Write as _;

use serde_json::{Value, json};
use wharf::{Runtime, ServerRoster, StatusV1, render};

use super::{Outcome, parse_server};
use crate::exit::Exit;
use crate::settings::Settings;

/// Where a description is cut.
const DESCRIPTION_CHARS: usize = 80;

pub(super) fn run(settings: &Settings, runtime: &Runtime, server: Option<&str>) -> Outcome {
    let only = parse_server(runtime, server)?;
    let roster = runtime.roster();
    let status = runtime.status();
    let servers: Vec<&ServerRoster> = roster
        .servers()
        .map(|server| &**server)
        .filter(|server| only.as_ref().is_none_or(|name| server.name == *name))
        .collect();
    let listed: Vec<Value> = servers.iter().map(|server| as_json(server, &status)).collect();
    settings.printer.answer(&json!({ "servers": listed }), || {
        servers.iter().map(|server| as_text(server, &status)).collect::<Vec<_>>().join("\n")
    });
    Ok(Exit::Done)
}

fn as_json(server: &ServerRoster, status: &StatusV1) -> Value {
    let tools: Vec<Value> = server
        .tools
        .iter()
        .map(
            |tool| json!({"tool": tool.reference.tool, "name": tool.name, "description": tool.description()}),
        )
        .collect();
    json!({"server": server.name, "status": status_of(server, status), "tools": tools})
}

pub(super) fn as_text(server: &ServerRoster, status: &StatusV1) -> String {
    let word = status_of(server, status);
    if !server.known {
        let next = if server.disabled { String::new() } else { format!(": wharf connect {}", server.name) };
        return format!("{} ({word}){next}\n", server.name);
    }
    let mut text = format!("{} ({} tools, {word})\n", server.name, server.tools.len());
    for tool in &server.tools {
        let description = render::cut_words(&render::one_line(tool.description()), DESCRIPTION_CHARS);
        let _written = writeln!(text, "  {}  {description}", tool.name);
    }
    text
}

fn status_of(server: &ServerRoster, status: &StatusV1) -> String {
    let found = status.servers.iter().find(|entry| entry.name == server.name);
    found.map_or_else(|| "not-connected".to_owned(), |entry| entry.status.as_str().to_owned())
}
