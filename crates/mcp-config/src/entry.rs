//! One merged raw entry to one usable server, or to the reasons why not.

use std::time::Duration;

use mcp_types::{Place, ServerName};

use crate::diagnose::{Findings, shown, unknown_key};
use crate::field::{self, FieldReader};
use crate::interpolate::Dialect;
use crate::keys::{self, Scope, Support};
use crate::own_entry::starts_wharf;
use crate::parse::{Node, Value};
use crate::policy::{self, PolicyFloor};
use crate::raw::{Fields, RawServer, place};
use crate::snapshot::{Lifecycle, ServerEntry, ToolPrefix, TransportEntry};
use crate::source::{Layer, SourceFile};
use crate::transport;

/// From this value on, `timeout` in a shared file counts milliseconds.
const MILLISECONDS_FROM: f64 = 1000.0;

/// Reads one server. Any error in it makes it `None`; the findings say why.
pub(crate) fn read(server: &RawServer, floor: &PolicyFloor, findings: &mut Findings) -> Option<ServerEntry> {
    let mut reader = FieldReader::new(Scope::Server, &server.fields, Findings::about(&server.name));
    let entry = read_fields(server, floor, &mut reader);
    let is_good = !server.rejected && reader.failed.is_empty();
    findings.absorb(reader.findings);
    entry.filter(|_| is_good)
}

fn read_fields(server: &RawServer, floor: &PolicyFloor, reader: &mut FieldReader<'_>) -> Option<ServerEntry> {
    let (source, layer) = source_of(server)?;
    let name = match ServerName::new(&server.name) {
        Ok(name) => name,
        Err(error) => {
            reader.findings.error("bad_server_name", source, error.to_string(), "rename the entry");
            return None;
        }
    };
    let transport = transport::read(reader);
    if transport.is_none() && reader.failed.is_empty() && !server.rejected {
        tell_no_transport(server, reader);
    }
    let approval = policy::server_approval(reader, floor);
    let approve_tools = policy::server_approve_tools(reader, floor);
    let (max_in_flight, rate_findings) = rate_limit(reader);
    reader.findings.absorb(rate_findings);
    let entry = ServerEntry {
        name,
        lifecycle: reader
            .read("lifecycle", |node, expected| {
                field::one_of(node, expected, Lifecycle::WORDS, Lifecycle::parse)
            })
            .unwrap_or(Lifecycle::Lazy),
        idle_timeout_minutes: reader.read("idleTimeout", field::minutes),
        request_timeout: request_timeout(reader),
        startup_timeout: reader.read("startupTimeoutMs", milliseconds),
        max_timeout: reader.read("maxTimeoutMs", milliseconds),
        disabled: disabled(reader),
        required: reader.read("required", field::switch).unwrap_or(false),
        expose_resources: reader.read("exposeResources", field::switch),
        tool_prefix: reader.read("toolPrefix", tool_prefix),
        include_tools: reader.read("includeTools", field::texts).unwrap_or_default(),
        exclude_tools: reader.read("excludeTools", field::texts).unwrap_or_default(),
        search_keywords: reader.read("searchKeywords", field::text_lists).unwrap_or_default(),
        approve_tools,
        approval,
        max_in_flight,
        max_message_bytes: reader.read("maxMessageBytes", field::count),
        dialect: Dialect::Wharf,
        layer,
        source,
        provenance: std::mem::take(&mut reader.provenance),
        transport: transport?,
    };
    if let TransportEntry::Stdio { command, args, .. } = &entry.transport
        && starts_wharf(command, args)
    {
        let hint = "this is the entry by which other programs reach Wharf; Wharf leaves it out";
        reader.findings.info("own_entry", entry.source, "the entry starts Wharf itself".to_owned(), hint);
        return None;
    }
    Some(entry)
}

/// The entry that says how the server is reached, else the lowest one.
fn source_of(server: &RawServer) -> Option<(Place, Layer)> {
    let transport = ["command", "url", "socket"].iter().find_map(|key| server.fields.last(key));
    let of_transport = |file: &SourceFile| transport.is_some_and(|field| *field.file == *file);
    let entry =
        server.entries.iter().find(|(file, _)| of_transport(file)).or_else(|| server.entries.first())?;
    Some((place(&entry.0, entry.1), entry.0.layer))
}

fn tell_no_transport(server: &RawServer, reader: &mut FieldReader<'_>) {
    let Some((file, at)) = server.entries.last() else { return };
    let place = place(file, *at);
    if server.fields.0.keys().all(|key| key == "disabled") && server.fields.has("disabled") {
        let message = "the entry switches a server that no file defines".to_owned();
        reader.findings.info("nothing_to_switch", place, message, "remove it, or define the server");
        return;
    }
    let message = format!("server `{}` has neither `command` nor `url`", shown(&server.name));
    reader.findings.error(
        "no_transport",
        place,
        message,
        "give it `command` for a local server or `url` for a remote one",
    );
}

/// Only a literal `true` disables.
fn disabled(reader: &mut FieldReader<'_>) -> bool {
    match reader.fields.last("disabled").map(|field| &field.node.value) {
        Some(Value::Bool(_)) => reader.read("disabled", field::switch).unwrap_or(false),
        None => false,
        Some(other) => {
            let message = format!("`disabled` must be true or false, not {}", other.kind());
            reader.without_effect(
                "disabled",
                "wrong_type",
                message,
                "only `true` disables a server; this one is not",
            );
            false
        }
    }
}

/// `requestTimeoutMs` wins, whichever layer wrote it.
fn request_timeout(reader: &mut FieldReader<'_>) -> Option<Duration> {
    let exact = reader.read("requestTimeoutMs", milliseconds);
    let shared = reader.fields.last("timeout").is_some_and(|field| field.file.is_shared());
    let written = reader.fields.last("timeout").and_then(|field| field::number(&field.node, "").ok());
    let is_large = written.is_some_and(|value| value >= MILLISECONDS_FROM);
    let loose = reader.read("timeout", |node, expected| {
        field::time(node, expected, if shared && is_large { 0.001 } else { 1.0 })
    });
    let Some(loose) = loose else { return exact };
    if exact.is_some() {
        let message = "`timeout` has no effect beside `requestTimeoutMs`".to_owned();
        reader.without_effect("timeout", "field_without_effect", message, "keep one of them");
        return exact;
    }
    if is_large {
        let (seconds, other) = (loose.as_secs_f64(), if shared { 1000.0 } else { 0.001 });
        let reading = format!(
            "`timeout` is read as {seconds} s; with the other unit it would be {} s",
            seconds * other
        );
        reader.without_effect("timeout", "timeout_unit", reading, "write `requestTimeoutMs` to be clear");
    }
    if let Some(place) = reader.provenance.get("timeout").cloned() {
        reader.provenance.insert("requestTimeoutMs".to_owned(), place);
    }
    Some(loose)
}

pub(crate) fn milliseconds(node: &Node, expected: &str) -> Result<Duration, field::Flaw> {
    field::time(node, expected, 0.001)
}

pub(crate) fn tool_prefix(node: &Node, expected: &str) -> Result<ToolPrefix, field::Flaw> {
    field::one_of(node, expected, ToolPrefix::WORDS, ToolPrefix::parse)
}

/// Reads `rateLimit`; of its keys only `maxInFlight` is read yet.
fn rate_limit(reader: &mut FieldReader<'_>) -> (Option<usize>, Findings) {
    let Some(inner) = nested(reader, "rateLimit", Scope::RateLimit) else {
        return (None, Findings::default());
    };
    let mut within = FieldReader::new(Scope::RateLimit, &inner.fields, inner.findings);
    let limit = within.read("maxInFlight", field::count);
    if !within.failed.is_empty() {
        reader.failed.insert("rateLimit");
    }
    (limit, within.findings)
}

/// An object inside an entry or a setting.
pub(crate) struct Nested {
    pub(crate) fields: Fields,
    pub(crate) findings: Findings,
}

/// Opens an object whose keys have a scope of their own.
pub(crate) fn nested(reader: &mut FieldReader<'_>, key: &'static str, scope: Scope) -> Option<Nested> {
    let field = reader.fields.last(key)?;
    let map = reader.read(key, |node, _| Ok(node.value.as_map()));
    let Some(map) = map.flatten() else {
        if !reader.failed.contains(key) {
            let expected = keys::find(reader.scope, key).map(|key| key.kind.expected()).unwrap_or_default();
            let message = format!("`{key}` must be {expected}, not {}", field.node.value.kind());
            reader.refuse(key, "wrong_type", message, "");
        }
        return None;
    };
    let mut nested = Nested { fields: Fields::default(), findings: Findings::default() };
    for inner in map.iter().filter(|inner| !inner.node.value.is_null()) {
        let here = place(&field.file, inner.at);
        match keys::find(scope, &inner.key).map(|key| key.support) {
            None => unknown_key(scope, &inner.key, here, &mut nested.findings),
            Some(Support::Later) => crate::diagnose::not_read_yet(&inner.key, here, &mut nested.findings),
            Some(_) => {
                let raw = crate::raw::RawField { node: inner.node.clone(), at: inner.at, ..field.clone() };
                nested.fields.push(inner.key.clone(), raw);
            }
        }
    }
    Some(nested)
}
