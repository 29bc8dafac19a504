//! The catalogue as bytes: what servers listed, remembered between runs.
//!
//! The first line says format and version; each further line is one server's entry, complete in itself, so that a
//! broken line loses only its server. Documents stand as their server wrote them; one that was written over several
//! lines stands as a JSON string, which keeps its entry on one line.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcp_types::{
    Diagnostic, DocumentError, PromptSpec, ResourceSpec, ResourceTemplateSpec, ServerName, Severity, ToolSpec,
};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::listing::ServerListing;

/// The version that is written, and the only one that is read.
const VERSION: u32 = 1;
const FORMAT: &str = "mcp-catalog";
/// How long an entry may be used, in milliseconds: seven days.
pub const MAX_AGE_MS: u64 = 7 * 24 * 60 * 60 * 1_000;
/// The most servers that are read.
const MAX_SERVERS: usize = 10_000;
/// The longest entry that is read, in bytes.
const MAX_ENTRY_BYTES: usize = 64 << 20;
/// The most documents of one kind that are read of one server.
const MAX_DOCUMENTS: usize = 50_000;

/// What is remembered of one server.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheEntry {
    /// Hash of the definition the server was listed under.
    pub spec_hash: String,
    /// When it was listed, in milliseconds of the Unix epoch.
    pub cached_at_ms: u64,
    /// What it listed.
    pub listing: Arc<ServerListing>,
}

impl CacheEntry {
    /// Tells whether the entry may be used for a server of this hash: the hash is the same and the entry is at most
    /// seven days old. One from further in the future than that is wrong about its time and not used either.
    pub fn is_valid(&self, hash: &str, now_ms: u64) -> bool {
        self.spec_hash == hash && now_ms.abs_diff(self.cached_at_ms) <= MAX_AGE_MS
    }
}

#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
}

#[derive(Serialize)]
struct WrittenEntry<'a> {
    server: &'a ServerName,
    spec_hash: &'a str,
    cached_at_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_info: &'a Option<(String, String)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: &'a Option<String>,
    tools: Documents<'a>,
    #[serde(skip_serializing_if = "Documents::is_empty")]
    resources: Documents<'a>,
    #[serde(skip_serializing_if = "Documents::is_empty")]
    resource_templates: Documents<'a>,
    #[serde(skip_serializing_if = "Documents::is_empty")]
    prompts: Documents<'a>,
}

#[derive(Deserialize)]
struct ReadEntry<'a> {
    server: ServerName,
    spec_hash: String,
    cached_at_ms: u64,
    #[serde(default)]
    server_info: Option<(String, String)>,
    #[serde(default)]
    instructions: Option<String>,
    #[serde(default, borrow)]
    tools: Vec<&'a RawValue>,
    #[serde(default, borrow)]
    resources: Vec<&'a RawValue>,
    #[serde(default, borrow)]
    resource_templates: Vec<&'a RawValue>,
    #[serde(default, borrow)]
    prompts: Vec<&'a RawValue>,
}

struct Documents<'a>(Vec<&'a RawValue>);

impl Documents<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Documents<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for document in &self.0 {
            if document.get().contains('\n') {
                list.serialize_element(document.get())?;
            } else {
                list.serialize_element(document)?;
            }
        }
        list.end()
    }
}

/// Gives the bytes of a catalogue. The same entries give the same bytes.
pub fn encode(entries: &BTreeMap<ServerName, CacheEntry>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_line(&mut bytes, &Header { format: FORMAT.to_owned(), version: VERSION });
    for (server, entry) in entries {
        let listing = &entry.listing;
        write_line(
            &mut bytes,
            &WrittenEntry {
                server,
                spec_hash: &entry.spec_hash,
                cached_at_ms: entry.cached_at_ms,
                server_info: &listing.server_info,
                instructions: &listing.instructions,
                tools: Documents(listing.tools.iter().map(|tool| tool.raw()).collect()),
                resources: Documents(listing.resources.iter().map(|resource| resource.raw()).collect()),
                resource_templates: Documents(
                    listing.resource_templates.iter().map(|template| template.raw()).collect(),
                ),
                prompts: Documents(listing.prompts.iter().map(|prompt| prompt.raw()).collect()),
            },
        );
    }
    bytes
}

/// A value that cannot be written leaves no half line behind; of ours there is none.
fn write_line(bytes: &mut Vec<u8>, value: &impl Serialize) {
    let start = bytes.len();
    match serde_json::to_writer(&mut *bytes, value) {
        Ok(()) => bytes.push(b'\n'),
        Err(_) => bytes.truncate(start),
    }
}

/// Reads a catalogue. What is broken is told and left out, the rest is kept; of a server that stands twice the later
/// entry counts. No bytes at all are an empty catalogue.
pub fn decode(bytes: &[u8]) -> (BTreeMap<ServerName, CacheEntry>, Vec<Diagnostic>) {
    let mut entries = BTreeMap::new();
    let mut diagnostics = Vec::new();
    let mut lines = lines_of(bytes).into_iter().enumerate().filter(|(_, line)| *line != Ok(""));
    let Some((_, first)) = lines.next() else { return (entries, diagnostics) };
    if let Err(problem) = check_header(first) {
        diagnostics.push(problem);
        return (entries, diagnostics);
    }
    for (index, line) in lines {
        if entries.len() >= MAX_SERVERS {
            diagnostics.push(broken(format!("the catalogue has more than {MAX_SERVERS} servers; the rest is not used")));
            break;
        }
        match read_entry(line, &mut diagnostics) {
            Ok((server, entry)) => {
                entries.insert(server, entry);
            }
            Err(reason) => {
                diagnostics.push(broken(format!("line {} of the catalogue is not used: {reason}", index + 1)));
            }
        }
    }
    (entries, diagnostics)
}

/// Splits into lines. The whole is checked at once where it is text, which it is unless something broke it.
fn lines_of(bytes: &[u8]) -> Vec<Result<&str, std::str::Utf8Error>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.split('\n').map(Ok).collect(),
        Err(_) => bytes.split(|byte| *byte == b'\n').map(std::str::from_utf8).collect(),
    }
}

fn check_header(line: Result<&str, std::str::Utf8Error>) -> Result<(), Diagnostic> {
    let header: Option<Header> = line.ok().and_then(|line| serde_json::from_str(line).ok());
    match header {
        Some(header) if header.format == FORMAT && header.version == VERSION => Ok(()),
        Some(header) if header.format == FORMAT => Err(Diagnostic::new(
            "catalogue_version",
            Severity::Info,
            format!("the catalogue has version {} and is not used; this program writes version {VERSION}", header.version),
        )),
        Some(_) | None => Err(broken("the catalogue does not begin as one and is not used".to_owned())),
    }
}

fn read_entry(
    line: Result<&str, std::str::Utf8Error>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(ServerName, CacheEntry), String> {
    let line = line.map_err(|error| error.to_string())?;
    if line.len() > MAX_ENTRY_BYTES {
        return Err(format!("it has {} bytes, more than {MAX_ENTRY_BYTES}", line.len()));
    }
    let entry: ReadEntry<'_> = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let mut lost = 0;
    let listing = ServerListing {
        tools: documents(&entry.tools, ToolSpec::from_raw, &mut lost),
        resources: documents(&entry.resources, ResourceSpec::from_raw, &mut lost),
        resource_templates: documents(&entry.resource_templates, ResourceTemplateSpec::from_raw, &mut lost),
        prompts: documents(&entry.prompts, PromptSpec::from_raw, &mut lost),
        instructions: entry.instructions,
        server_info: entry.server_info,
    };
    if lost > 0 {
        let message = format!("{lost} definitions of {} in the catalogue are not used", entry.server);
        diagnostics.push(broken(message).for_server(entry.server.as_str()));
    }
    let (spec_hash, cached_at_ms) = (entry.spec_hash, entry.cached_at_ms);
    Ok((entry.server, CacheEntry { spec_hash, cached_at_ms, listing: Arc::new(listing) }))
}

fn documents<T>(
    documents: &[&RawValue],
    read: impl Fn(Box<RawValue>) -> Result<T, DocumentError>,
    lost: &mut usize,
) -> Vec<Arc<T>> {
    let mut read_documents = Vec::with_capacity(documents.len().min(MAX_DOCUMENTS));
    for document in documents.iter().take(MAX_DOCUMENTS) {
        match whole_document(document).and_then(|raw| read(raw).ok()) {
            Some(document) => read_documents.push(Arc::new(document)),
            None => *lost += 1,
        }
    }
    *lost += documents.len().saturating_sub(MAX_DOCUMENTS);
    read_documents
}

fn whole_document(document: &RawValue) -> Option<Box<RawValue>> {
    if !document.get().starts_with('"') {
        return Some(document.to_owned());
    }
    let text: String = serde_json::from_str(document.get()).ok()?;
    RawValue::from_string(text).ok()
}

fn broken(message: String) -> Diagnostic {
    Diagnostic::new("catalogue_broken", Severity::Warning, message)
        .with_hint("it is written anew when servers are connected")
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
