//! From bytes to entries, as far as they are whole.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcp_types::{
    Diagnostic, DocumentError, PromptSpec, ResourceSpec, ResourceTemplateSpec, ServerName, Severity, ToolSpec,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{CacheEntry, FORMAT, Header, Kind, VERSION};
use crate::listing::ServerListing;

/// The most servers that are read.
const MAX_SERVERS: usize = 10_000;
/// The longest line that is read, in bytes.
const MAX_LINE_BYTES: usize = 64 << 20;
/// The most definitions that are read of one server.
const MAX_DEFINITIONS: usize = 100_000;

#[derive(Deserialize)]
struct ServerLine {
    server: ServerName,
    spec_hash: String,
    cached_at_ms: u64,
    #[serde(default)]
    server_info: Option<(String, String)>,
    #[serde(default)]
    instructions: Option<String>,
    definitions: usize,
}

/// Reads a catalogue. What is broken is told and left out, the rest is kept; of a server that stands twice the later
/// entry counts. No bytes at all are an empty catalogue.
pub fn decode(bytes: &[u8]) -> (BTreeMap<ServerName, CacheEntry>, Vec<Diagnostic>) {
    let mut entries = BTreeMap::new();
    let mut diagnostics = Vec::new();
    if bytes.is_empty() {
        return (entries, diagnostics);
    }
    let lines = lines_of(bytes);
    let Some((first, rest)) = lines.split_first() else { return (entries, diagnostics) };
    if let Some(problem) = header_problem(first) {
        diagnostics.push(problem);
        return (entries, diagnostics);
    }
    for section in sections(rest) {
        if entries.len() >= MAX_SERVERS {
            diagnostics.push(broken(format!(
                "the catalogue has more than {MAX_SERVERS} servers; the rest is not used"
            )));
            break;
        }
        match read_section(section, &mut diagnostics) {
            Ok((server, entry)) => {
                entries.insert(server, entry);
            }
            Err(reason) => {
                diagnostics.push(broken(format!("an entry of the catalogue is not used: {reason}")));
            }
        }
    }
    (entries, diagnostics)
}

/// Splits into lines, quickly where the whole is text, which it is unless something broke it.
fn lines_of(bytes: &[u8]) -> Vec<&[u8]> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.split('\n').map(str::as_bytes).collect(),
        Err(_) => bytes.split(|byte| *byte == b'\n').collect(),
    }
}

fn header_problem(line: &[u8]) -> Option<Diagnostic> {
    let header: Option<Header> = serde_json::from_slice(line).ok();
    let Some(Header { version, .. }) = header.filter(|header| header.format == FORMAT) else {
        return Some(broken("the catalogue does not begin as one and is not used".to_owned()));
    };
    if version == VERSION {
        return None;
    }
    let message =
        format!("the catalogue has version {version} and is not used; this program writes version {VERSION}");
    Some(Diagnostic::new("catalogue_version", Severity::Info, message))
}

/// Splits at the lines of servers, which alone begin with a brace. The last line is empty when the file is whole.
fn sections<'a, 'b>(lines: &'b [&'a [u8]]) -> impl Iterator<Item = &'b [&'a [u8]]> {
    let lines = match lines.split_last() {
        Some(([], rest)) => rest,
        Some(_) | None => lines,
    };
    lines.chunk_by(|_, next| !next.starts_with(b"{"))
}

fn read_section(
    lines: &[&[u8]],
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(ServerName, CacheEntry), String> {
    let (first, definitions) = lines.split_first().ok_or("it is empty")?;
    if first.len() > MAX_LINE_BYTES {
        return Err(format!("its line has {} bytes, more than {MAX_LINE_BYTES}", first.len()));
    }
    let entry: ServerLine = serde_json::from_slice(first).map_err(|error| error.to_string())?;
    if definitions.len() != entry.definitions {
        let server = &entry.server;
        return Err(format!("{server} has {} of its {} definitions", definitions.len(), entry.definitions));
    }
    let mut listing = ServerListing {
        instructions: entry.instructions,
        server_info: entry.server_info,
        tools: Vec::with_capacity(definitions.len()),
        ..ServerListing::default()
    };
    let usable = definitions.iter().take(MAX_DEFINITIONS);
    let read = usable.filter(|line| read_definition(line, &mut listing).is_some()).count();
    let lost = definitions.len() - read;
    if lost > 0 {
        let message = format!("{lost} definitions of {} in the catalogue are not used", entry.server);
        diagnostics.push(broken(message).for_server(entry.server.as_str()));
    }
    let (spec_hash, cached_at_ms) = (entry.spec_hash, entry.cached_at_ms);
    Ok((entry.server, CacheEntry { spec_hash, cached_at_ms, listing: Arc::new(listing) }))
}

fn read_definition(line: &[u8], listing: &mut ServerListing) -> Option<()> {
    let line = std::str::from_utf8(line).ok()?;
    let kind = Kind::ALL.into_iter().find(|kind| line.starts_with(kind.letter()))?;
    let text = line.get(1..).filter(|text| text.len() <= MAX_LINE_BYTES)?;
    let unfolded: Option<String> = if text.starts_with('"') { serde_json::from_str(text).ok() } else { None };
    let text = unfolded.as_deref().unwrap_or(text);
    match kind {
        Kind::Tool => listing.tools.push(Arc::new(ToolSpec::parse(text).ok()?)),
        Kind::Resource => listing.resources.push(from_raw(text, ResourceSpec::from_raw)?),
        Kind::ResourceTemplate => {
            listing.resource_templates.push(from_raw(text, ResourceTemplateSpec::from_raw)?);
        }
        Kind::Prompt => listing.prompts.push(from_raw(text, PromptSpec::from_raw)?),
    }
    Some(())
}

fn from_raw<T>(text: &str, read: impl Fn(Box<RawValue>) -> Result<T, DocumentError>) -> Option<Arc<T>> {
    read(serde_json::from_str(text).ok()?).ok().map(Arc::new)
}

fn broken(message: String) -> Diagnostic {
    Diagnostic::new("catalogue_broken", Severity::Warning, message)
        .with_hint("it is written anew when servers are connected")
}
