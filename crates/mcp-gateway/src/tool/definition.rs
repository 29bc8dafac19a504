//! The definition of the tool: all that a model carries of the mounted servers from turn to turn.
//!
//! It must stay under 250 tokens without servers and under 350 with twenty, whatever their names are: the line of
//! the servers has a budget of bytes.

use std::sync::Arc;

use serde_json::{Value, json};
use wharf::{Roster, ServerRoster};

use crate::text::Count;
use crate::tool::TOOL_NAME;

/// Bytes that the names of servers and their counts may take.
const SERVERS_BUDGET: usize = 260;

const PURPOSE: &str =
    "Search, describe and call the tools of the mounted MCP servers. They are not listed here: search first.";
const MODES: &str = "Modes: {search:\"words\"} finds tools, {describe:\"tool\"} shows parameters, \
{tool:\"name\",args:{}} calls, {server:\"name\"} lists tools, {instructions:\"server\"}, {connect:\"server\"}, \
{} status.\nThe first given counts: tool, connect, describe, instructions, search, server.";

/// Gives the element of `tools/list`.
pub(crate) fn definition(roster: &Roster) -> Value {
    json!({
        "name": TOOL_NAME,
        "description": description(roster),
        "inputSchema": {
            "type": "object",
            "properties": {
                "tool": {"type": "string"},
                "args": {"type": ["object", "string"]},
                "connect": {"type": "string"},
                "describe": {"type": "string"},
                "instructions": {"type": "string"},
                "search": {"type": "string"},
                "regex": {"type": "boolean"},
                "includeSchemas": {"type": "boolean"},
                "limit": {"type": "integer"},
                "offset": {"type": "integer"},
                "server": {"type": "string"}
            }
        }
    })
}

/// Gives the definition as it goes over the wire.
pub(crate) fn render(roster: &Roster) -> String {
    definition(roster).to_string()
}

fn description(roster: &Roster) -> String {
    let enabled: Vec<&Arc<ServerRoster>> = roster.servers().filter(|server| !server.disabled).collect();
    if enabled.is_empty() {
        return format!("{PURPOSE}\n{MODES}");
    }
    format!("{PURPOSE}\nServers: {}\n{MODES}", servers_line(&enabled))
}

/// Names the servers in their order until the budget is spent; the noun stands once, with the first count.
fn servers_line(servers: &[&Arc<ServerRoster>]) -> String {
    let mut line = String::new();
    let mut noun_said = false;
    for (index, server) in servers.iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        let entry = match (server.known, noun_said) {
            (false, _) => format!("{separator}{}", server.name),
            (true, false) => format!("{separator}{} ({})", server.name, Count(server.tools.len(), "tool")),
            (true, true) => format!("{separator}{} ({})", server.name, server.tools.len()),
        };
        if line.len() + entry.len() > SERVERS_BUDGET {
            return line + &format!("{separator}{} more", servers.len() - index);
        }
        noun_said |= server.known;
        line.push_str(&entry);
    }
    line
}

#[cfg(test)]
#[path = "definition_tests.rs"]
mod tests;
