//! One server: from its entry, or from its definition by code, to the spec that the actors keep.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mcp_actors::MountSpec;
use mcp_catalog::ExposeSpec;
use mcp_config::{ConfigSnapshot, ServerEntry, TransportEntry};
use mcp_transport::{
    ConnectSpec, Failure, HttpSpec, ProtocolEra, StdioSpec, Timeouts, TransportLimits, TransportSpec,
};
use mcp_types::{Digest, ServerName};

use super::text::Texts;
use super::{expose, lifecycle};
use crate::definition::{ServerDefinition, Transport};
use crate::lifecycle::START_WAIT;
use crate::mounts::Source;

/// An attempt to start goes on for this many times what a caller waits: slow is not failed.
const START_LIMIT_FACTOR: u32 = 5;
/// Calls that may run at one server at once, where nothing else is said.
const MAX_IN_FLIGHT: usize = 64;

/// A server on its way to being mounted.
pub(super) struct Blueprint {
    pub(super) spec: MountSpec,
    /// Why it cannot be connected as it stands.
    pub(super) refusal: Option<Failure>,
    /// Digest of what its catalogue entry depends on.
    pub(super) hash: String,
    /// How long a caller waits for its start.
    pub(super) start_wait: Duration,
}

/// Lowers all servers: those of files in their order, then those defined by code, which replace files of their name.
pub(super) fn blueprints(config: &ConfigSnapshot, source: &Source) -> Vec<Blueprint> {
    let by_code = &source.builder.definitions;
    let from_files =
        config.servers.iter().filter(|entry| !by_code.iter().any(|(name, _)| *name == entry.name));
    let mut blueprints: Vec<Blueprint> = from_files.map(|entry| from_entry(entry, config, source)).collect();
    blueprints.extend(by_code.iter().map(|(name, definition)| from_definition(name, definition, source)));
    blueprints
}

fn from_entry(entry: &ServerEntry, config: &ConfigSnapshot, source: &Source) -> Blueprint {
    let mut texts = Texts::new(entry.dialect, &source.environment);
    let transport = transport(&entry.transport, &mut texts, source);
    let mut limits = TransportLimits::default();
    if let Some(bytes) = entry.max_message_bytes {
        limits.max_message_bytes = bytes;
    }
    let start_wait = entry.startup_timeout.unwrap_or(START_WAIT);
    let defaults = Timeouts::default();
    let request =
        source.builder.request_timeout.or(entry.request_timeout).or(config.settings.request_timeout);
    let timeouts = Timeouts {
        startup: start_wait * START_LIMIT_FACTOR,
        request: request.unwrap_or(defaults.request),
        max_total: entry.max_timeout.unwrap_or(defaults.max_total),
        list: defaults.list,
    };
    let hash = hash_of(&transport);
    let connect = ConnectSpec {
        server: entry.name.clone(),
        transport,
        timeouts,
        limits,
        client: source.builder.client.clone(),
        era: ProtocolEra::Legacy,
    };
    let spec = MountSpec {
        connect: Arc::new(connect),
        lifecycle: lifecycle::of_entry(entry, &config.settings),
        expose: expose::of_entry(entry, &config.settings),
        disabled: entry.disabled,
        required: entry.required,
        source: entry.source.to_string(),
        max_in_flight: entry.max_in_flight.unwrap_or(MAX_IN_FLIGHT),
        seed: None,
    };
    Blueprint { spec, refusal: texts.into_refusal(), hash, start_wait }
}

fn transport(entry: &TransportEntry, texts: &mut Texts<'_>, source: &Source) -> TransportSpec {
    let default_cwd = source.builder.discover.clone();
    match entry {
        TransportEntry::Stdio { command, args, env, cwd, inherit_env } => TransportSpec::Stdio(StdioSpec {
            command: texts.path(command),
            args: args.iter().map(|argument| texts.path(argument)).collect(),
            env: env
                .iter()
                .map(|(name, value)| (name.clone(), texts.secret(&format!("env {name}"), value)))
                .collect(),
            cwd: cwd.as_ref().map(|cwd| PathBuf::from(texts.path(cwd))).or(default_cwd),
            base_env: source.environment.for_children(*inherit_env),
        }),
        TransportEntry::Http { url, headers, bearer, bearer_env } => TransportSpec::Http(HttpSpec {
            url: texts.url(url),
            headers: headers
                .iter()
                .map(|(name, value)| (name.clone(), texts.secret(&format!("header {name}"), value)))
                .collect(),
            bearer: match bearer {
                Some(token) => Some(texts.secret("bearer", token)),
                None => bearer_env.as_ref().and_then(|name| texts.variable(name)),
            },
        }),
        other => {
            texts.refuse(format!("this version cannot reach {other:?}"));
            TransportSpec::Http(HttpSpec { url: String::new(), headers: Vec::new(), bearer: None })
        }
    }
}

fn from_definition(name: &ServerName, definition: &ServerDefinition, source: &Source) -> Blueprint {
    let transport = match &definition.transport {
        Transport::Stdio { command, args, env, cwd } => TransportSpec::Stdio(StdioSpec {
            command: command.clone(),
            args: args.clone(),
            env: env.clone(),
            cwd: cwd.clone().or_else(|| source.builder.discover.clone()),
            base_env: source.environment.for_children(true),
        }),
        Transport::Http { url, headers, bearer } => TransportSpec::Http(HttpSpec {
            url: url.clone(),
            headers: headers.clone(),
            bearer: bearer.clone(),
        }),
    };
    let mut timeouts = Timeouts { startup: START_WAIT * START_LIMIT_FACTOR, ..Timeouts::default() };
    if let Some(request) = source.builder.request_timeout {
        timeouts.request = request;
    }
    let hash = hash_of(&transport);
    let connect = ConnectSpec {
        server: name.clone(),
        transport,
        timeouts,
        limits: TransportLimits::default(),
        client: source.builder.client.clone(),
        era: ProtocolEra::Legacy,
    };
    let spec = MountSpec {
        connect: Arc::new(connect),
        lifecycle: lifecycle::of_definition(definition),
        expose: ExposeSpec { prefix: definition.prefix.unwrap_or_default(), ..ExposeSpec::default() },
        disabled: false,
        required: definition.required,
        source: "code".to_owned(),
        max_in_flight: definition.max_in_flight.unwrap_or(MAX_IN_FLIGHT),
        seed: None,
    };
    Blueprint { spec, refusal: None, hash, start_wait: START_WAIT }
}

/// Digests what a listing depends on. The inherited environment is left out: it differs from shell to shell.
fn hash_of(transport: &TransportSpec) -> String {
    let shown = match transport {
        TransportSpec::Stdio(stdio) => {
            let env: Vec<(&str, &str)> =
                stdio.env.iter().map(|(name, value)| (name.as_str(), value.expose().as_str())).collect();
            serde_json::json!({"command": stdio.command, "args": stdio.args, "env": env, "cwd": stdio.cwd})
        }
        TransportSpec::Http(http) => {
            let headers: Vec<(&str, &str)> =
                http.headers.iter().map(|(name, value)| (name.as_str(), value.expose().as_str())).collect();
            let bearer = http.bearer.as_ref().map(|token| token.expose().as_str());
            serde_json::json!({"url": http.url, "headers": headers, "bearer": bearer})
        }
        _ => serde_json::Value::Null,
    };
    Digest::of_value(&shown).to_hex()
}
