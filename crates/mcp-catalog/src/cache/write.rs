//! From entries to bytes.

use std::collections::BTreeMap;

use mcp_types::ServerName;
use serde::Serialize;

use super::{CacheEntry, FORMAT, Header, Kind, VERSION};

#[derive(Serialize)]
struct ServerLine<'a> {
    server: &'a ServerName,
    spec_hash: &'a str,
    cached_at_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_info: &'a Option<(String, String)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: &'a Option<String>,
    definitions: usize,
}

/// Gives the bytes of a catalogue. The same entries give the same bytes.
pub fn encode(entries: &BTreeMap<ServerName, CacheEntry>) -> Vec<u8> {
    let mut text = json(&Header { format: FORMAT.to_owned(), version: VERSION });
    text.push('\n');
    for (server, entry) in entries {
        let listing = &entry.listing;
        let definitions = listing.tools.len()
            + listing.resources.len()
            + listing.resource_templates.len()
            + listing.prompts.len();
        text.push_str(&json(&ServerLine {
            server,
            spec_hash: &entry.spec_hash,
            cached_at_ms: entry.cached_at_ms,
            server_info: &listing.server_info,
            instructions: &listing.instructions,
            definitions,
        }));
        text.push('\n');
        write_all(&mut text, Kind::Tool, listing.tools.iter().map(|tool| tool.text()));
        write_all(&mut text, Kind::Resource, listing.resources.iter().map(|resource| resource.raw().get()));
        write_all(
            &mut text,
            Kind::ResourceTemplate,
            listing.resource_templates.iter().map(|template| template.raw().get()),
        );
        write_all(&mut text, Kind::Prompt, listing.prompts.iter().map(|prompt| prompt.raw().get()));
    }
    text.into_bytes()
}

fn write_all<'a>(text: &mut String, kind: Kind, definitions: impl Iterator<Item = &'a str>) {
    for definition in definitions {
        text.push(kind.letter());
        if definition.contains('\n') {
            text.push_str(&json(&definition));
        } else {
            text.push_str(definition);
        }
        text.push('\n');
    }
}

/// Our own lines always can be written; were one not, it would be read as broken and lose its server.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
