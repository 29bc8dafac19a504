//! The printable form: every value with its origin, every secret hidden.

use std::collections::BTreeMap;

use mcp_types::Place;
use serde_json::{Map, Value, json};

use crate::redact;
use crate::settings::Settings;
use crate::snapshot::{ApproveTools, ConfigSnapshot, SecretText, ServerEntry, TransportEntry};

/// Gives every server and setting with each value and where it comes from. Secrets are hidden.
///
/// ```json
/// {"files": [{"path", "layer", "state"}],
///  "servers": [{"name", "source", "layer", "fields": {"url": {"value", "origin"}}}],
///  "settings": {"strict": {"value", "origin"}}}
/// ```
/// An origin is `file:line:column`, or `default`.
pub fn show(snapshot: &ConfigSnapshot) -> Value {
    let files: Vec<Value> = snapshot
        .files
        .iter()
        .map(|file| json!({"path": file.path.display().to_string(), "layer": file.layer.as_str(), "state": file.state.as_str()}))
        .collect();
    let servers: Vec<Value> = snapshot.servers.iter().map(server).collect();
    json!({"files": files, "servers": servers, "settings": settings(&snapshot.settings)})
}

fn server(entry: &ServerEntry) -> Value {
    let mut shown = Shown::new(&entry.provenance);
    transport(&entry.transport, &mut shown);
    shown.put("lifecycle", entry.lifecycle.as_str());
    shown.optional("idleTimeout", entry.idle_timeout_minutes);
    shown.optional("requestTimeoutMs", entry.request_timeout.map(millis));
    shown.optional("maxTimeoutMs", entry.max_timeout.map(millis));
    shown.optional("startupTimeoutMs", entry.startup_timeout.map(millis));
    shown.put("disabled", entry.disabled);
    shown.put("required", entry.required);
    shown.optional("exposeResources", entry.expose_resources);
    shown.optional("toolPrefix", entry.tool_prefix.map(crate::ToolPrefix::as_str));
    shown.list("includeTools", &entry.include_tools);
    shown.list("excludeTools", &entry.exclude_tools);
    if !entry.search_keywords.is_empty() {
        let keywords: Map<String, Value> =
            entry.search_keywords.iter().map(|(pattern, words)| (pattern.clone(), json!(words))).collect();
        shown.put("searchKeywords", keywords);
    }
    shown.put("approval", entry.approval.map_or("policy", crate::Approval::as_str));
    shown.optional("approveTools", entry.approve_tools.as_ref().map(approve_tools));
    if let Some(limit) = entry.max_in_flight {
        shown.put("rateLimit", json!({"maxInFlight": limit}));
    }
    shown.optional("maxMessageBytes", entry.max_message_bytes);
    json!({
        "name": entry.name.as_str(),
        "source": entry.source.to_string(),
        "layer": entry.layer.as_str(),
        "fields": shown.fields,
    })
}

fn transport(transport: &TransportEntry, shown: &mut Shown<'_>) {
    match transport {
        TransportEntry::Stdio { command, args, env, cwd, inherit_env } => {
            shown.put("command", command.as_str());
            shown.list("args", &redact::arguments(args));
            shown.secrets("env", env);
            shown.optional("cwd", cwd.as_deref());
            shown.put("inheritEnv", *inherit_env);
        }
        TransportEntry::Http { url, headers, bearer, bearer_env } => {
            shown.put("url", redact::url(url));
            shown.secrets("headers", headers);
            shown.optional("bearerToken", bearer.as_ref().map(|token| redact::value(token.expose())));
            shown.optional("bearerTokenEnv", bearer_env.as_deref());
        }
    }
}

fn settings(settings: &Settings) -> Map<String, Value> {
    let mut shown = Shown::new(&settings.provenance);
    shown.put("toolPrefix", settings.tool_prefix.map_or("server", crate::ToolPrefix::as_str));
    shown.put("idleTimeout", settings.idle_timeout_minutes.unwrap_or(10.0));
    shown.put("requestTimeoutMs", settings.request_timeout.map_or_else(|| json!(30_000), millis));
    shown.put("exposeResources", settings.expose_resources.unwrap_or(true));
    shown.optional("allow", settings.allow.as_ref().map(|patterns| json!(patterns)));
    shown.put("approvals", settings.approvals.as_str());
    shown.put("approveTools", settings.approve_tools.as_ref().map_or(json!(false), approve_tools));
    let guard = settings.output_guard.map_or(json!(true), |guard| match (guard.max_bytes, guard.max_lines) {
        (None, None) => json!(guard.enabled),
        (max_bytes, max_lines) => json!({"maxBytes": max_bytes, "maxLines": max_lines}),
    });
    shown.put("outputGuard", guard);
    shown.put("strict", settings.strict);
    shown.fields
}

fn approve_tools(approve: &ApproveTools) -> Value {
    match approve {
        ApproveTools::All => json!(true),
        ApproveTools::None => json!(false),
        ApproveTools::Matching(patterns) => json!(patterns),
    }
}

/// Whole milliseconds look whole.
fn millis(time: std::time::Duration) -> Value {
    match u64::try_from(time.as_millis()) {
        Ok(whole) if time.subsec_nanos().is_multiple_of(1_000_000) => whole.into(),
        _ => (time.as_secs_f64() * 1000.0).into(),
    }
}

/// Values with their origins.
struct Shown<'a> {
    provenance: &'a BTreeMap<String, Place>,
    fields: Map<String, Value>,
}

impl<'a> Shown<'a> {
    fn new(provenance: &'a BTreeMap<String, Place>) -> Self {
        Self { provenance, fields: Map::new() }
    }

    fn put(&mut self, key: &str, value: impl Into<Value>) {
        let origin = self.provenance.get(key).map_or_else(|| "default".to_owned(), ToString::to_string);
        self.fields.insert(key.to_owned(), json!({"value": value.into(), "origin": origin}));
    }

    fn optional(&mut self, key: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    fn list(&mut self, key: &str, values: &[String]) {
        if !values.is_empty() {
            self.put(key, values.to_vec());
        }
    }

    fn secrets(&mut self, key: &str, values: &[(String, SecretText)]) {
        if !values.is_empty() {
            let hidden: Map<String, Value> = values
                .iter()
                .map(|(name, value)| (name.clone(), redact::value(value.expose()).into()))
                .collect();
            self.put(key, hidden);
        }
    }
}

#[cfg(test)]
#[path = "show_tests.rs"]
mod tests;
