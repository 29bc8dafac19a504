//! One parsed file to raw entries: root keys, unknown and repeated keys, and other spellings.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::diagnose::{Findings, line_of, not_read_yet, shown, unknown_key};
use crate::keys::{self, Scope, Support};
use crate::parse::{Field, Node, Position, Value};
use crate::raw::{Fields, RawConfig, RawField, RawServer, place};
use crate::source::SourceFile;

/// Reads the tree of one file.
pub(crate) fn read(root: &Node, file: &Arc<SourceFile>, findings: &mut Findings) -> RawConfig {
    let mut reader = LayerReader { file, findings, foreign: BTreeSet::new(), config: RawConfig::default() };
    match root.value.as_map() {
        Some(fields) => reader.root(fields),
        None => reader.findings.error(
            "root_not_object",
            place(file, root.at),
            format!("the file holds {}, not an object", root.value.kind()),
            "write `{ \"mcpServers\": { … } }`",
        ),
    }
    reader.config
}

struct LayerReader<'a> {
    file: &'a Arc<SourceFile>,
    findings: &'a mut Findings,
    /// Keys of other programs that were told of already.
    foreign: BTreeSet<String>,
    config: RawConfig,
}

impl LayerReader<'_> {
    fn root(&mut self, fields: &[Field]) {
        if self.file.is_shared() && is_bare_map(fields) {
            return self.servers(fields);
        }
        self.repeated_keys(fields);
        for field in fields {
            match keys::find(Scope::Root, &field.key).map(|key| (key.name, key.support)) {
                Some(("mcpServers", _) | (_, Support::Alias("mcpServers"))) => self.server_map(field),
                Some(("settings", _)) => self.settings(field),
                Some((_, Support::Later)) => {
                    not_read_yet(&field.key, place(self.file, field.at), self.findings);
                }
                Some(_) => {}
                None => self.unknown(Scope::Root, field),
            }
        }
    }

    fn server_map(&mut self, field: &Field) {
        match &field.node.value {
            Value::Map(servers) => self.servers(servers),
            Value::Null => {}
            other @ (Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::List(_)) => {
                self.findings.error(
                    "wrong_type",
                    place(self.file, field.at),
                    format!("`{}` must be an object, not {}", field.key, other.kind()),
                    "write servers by name: `\"name\": { … }`",
                );
            }
        }
    }

    fn servers(&mut self, servers: &[Field]) {
        for field in servers {
            let twin = self.config.servers.iter_mut().find(|server| server.name == field.key);
            if let Some(twin) = twin {
                twin.rejected = true;
                let here = place(self.file, field.at);
                let first = twin.entries.first().map(|(file, at)| place(file, *at));
                let first = first.map(|first| line_of(&first, &here)).unwrap_or_default();
                let mut findings = Findings::about(&field.key);
                let message =
                    format!("server `{}` is defined twice; the first time on {first}", shown(&field.key));
                findings.error(
                    "duplicate_server",
                    here,
                    message,
                    "keep one of them; until then neither is used",
                );
                self.findings.absorb(findings);
                continue;
            }
            if let Some(server) = self.server(field) {
                self.config.servers.push(server);
            }
        }
    }

    fn server(&mut self, field: &Field) -> Option<RawServer> {
        let mut findings = Findings::about(&field.key);
        let mut server = RawServer {
            name: field.key.clone(),
            fields: Fields::default(),
            entries: vec![(Arc::clone(self.file), field.at)],
            rejected: false,
        };
        match &field.node.value {
            Value::Map(fields) => {
                server.rejected = repeated_within(fields, self.file, &mut findings);
                self.entry(fields, &mut server.fields, &mut findings);
            }
            Value::Null => return None,
            other @ (Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::List(_)) => {
                server.rejected = true;
                let message = format!("the entry of a server must be an object, not {}", other.kind());
                findings.error(
                    "wrong_type",
                    place(self.file, field.at),
                    message,
                    "write `{ \"command\": … }` or `{ \"url\": … }`",
                );
            }
        }
        self.findings.absorb(findings);
        Some(server)
    }

    fn entry(&mut self, fields: &[Field], into: &mut Fields, findings: &mut Findings) {
        for field in fields.iter().filter(|field| !field.node.value.is_null()) {
            match keys::find(Scope::Server, &field.key).map(|key| (key.name, key.support)) {
                None => self.unknown_in_entry(field, findings),
                Some((_, Support::Later)) if field.key != "socket" => {
                    not_read_yet(&field.key, place(self.file, field.at), findings);
                }
                Some((_, Support::Alias(of))) => self.put_alias(field, of, into, findings),
                Some(_) => self.put(field.key.clone(), field, field.node.clone(), into),
            }
        }
        self.put_bearer(fields, into);
        split_command(into);
        self.put_enabled(into, findings);
    }

    fn put(&self, key: String, field: &Field, node: Node, into: &mut Fields) {
        if !into.has(&key) {
            into.push(key, RawField { node, at: field.at, file: Arc::clone(self.file), repeated: false });
        }
    }

    fn put_alias(&self, field: &Field, of: &str, into: &mut Fields, findings: &mut Findings) {
        let here = place(self.file, field.at);
        match into.last(of) {
            Some(other) => {
                let message = format!(
                    "`{}` and `{of}` on {} say the same thing",
                    field.key,
                    line_of(&other.place(), &here)
                );
                findings.warning("same_meaning", here, message, "keep one of them; the first one counts");
            }
            None => self.put(of.to_owned(), field, field.node.clone(), into),
        }
    }

    /// `bearer` is short for the token and for the way to sign in.
    fn put_bearer(&self, fields: &[Field], into: &mut Fields) {
        if let Some(bearer) = fields.iter().find(|field| field.key == "bearer" && !field.node.value.is_null())
        {
            let node = Node { at: bearer.node.at, value: Value::Text("bearer".to_owned()) };
            self.put("auth".to_owned(), bearer, node, into);
        }
    }

    /// `enabled: false` of other programs switches off; everything else about it is the default.
    fn put_enabled(&self, into: &mut Fields, findings: &mut Findings) {
        let Some(enabled) = into.last("enabled").cloned() else { return };
        into.remove("enabled");
        match enabled.node.value {
            Value::Bool(enabled_value) => {
                if !into.has("disabled") {
                    let node = Node { at: enabled.node.at, value: Value::Bool(!enabled_value) };
                    into.push("disabled".to_owned(), RawField { node, ..enabled });
                }
            }
            other @ (Value::Null | Value::Number(_) | Value::Text(_) | Value::List(_) | Value::Map(_)) => {
                let message = format!("`enabled` must be true or false, not {}", other.kind());
                let here = place(self.file, enabled.at);
                findings.warning("wrong_type", here, message, "the server counts as enabled");
            }
        }
    }

    fn settings(&mut self, field: &Field) {
        let Some(fields) = field.node.value.as_map() else {
            if !field.node.value.is_null() {
                let message = format!("`settings` must be an object, not {}", field.node.value.kind());
                self.findings.error("wrong_type", place(self.file, field.at), message, "");
            }
            return;
        };
        repeated_within(fields, self.file, self.findings);
        for field in fields.iter().filter(|field| !field.node.value.is_null()) {
            match keys::find(Scope::Setting, &field.key).map(|key| key.support) {
                None => self.unknown(Scope::Setting, field),
                Some(Support::Later) => not_read_yet(&field.key, place(self.file, field.at), self.findings),
                Some(_) => {
                    let repeated = fields.iter().filter(|other| other.key == field.key).count() > 1;
                    if self.config.settings.all(&field.key).iter().any(|other| other.repeated) {
                        continue;
                    }
                    let (node, file) = (field.node.clone(), Arc::clone(self.file));
                    self.config
                        .settings
                        .push(field.key.clone(), RawField { node, at: field.at, file, repeated });
                }
            }
        }
    }

    fn unknown_in_entry(&mut self, field: &Field, findings: &mut Findings) {
        if !self.is_foreign(&field.key) {
            unknown_key(Scope::Server, &field.key, place(self.file, field.at), findings);
        } else if self.foreign.insert(field.key.clone()) {
            self.tell_foreign(field);
        }
    }

    fn unknown(&mut self, scope: Scope, field: &Field) {
        if !self.is_foreign(&field.key) {
            unknown_key(scope, &field.key, place(self.file, field.at), self.findings);
        } else if self.foreign.insert(field.key.clone()) {
            self.tell_foreign(field);
        }
    }

    fn is_foreign(&self, key: &str) -> bool {
        self.file.is_shared() && keys::is_foreign(key)
    }

    /// Once per key and file: a shared file is full of them.
    fn tell_foreign(&mut self, field: &Field) {
        let message = format!("`{}` belongs to another program and has no effect here", field.key);
        self.findings.info("foreign_key", place(self.file, field.at), message, "");
    }

    fn repeated_keys(&mut self, fields: &[Field]) {
        let _told = repeated_here(fields, self.file, self.findings);
    }
}

/// A shared file may be the map of servers itself.
fn is_bare_map(fields: &[Field]) -> bool {
    let is_server = |field: &Field| {
        field.node.value.as_map().is_some_and(|entry| {
            entry
                .iter()
                .any(|field| matches!(field.key.as_str(), "command" | "url" | "serverUrl" | "httpUrl"))
        })
    };
    !fields.is_empty()
        && fields.iter().all(|field| keys::find(Scope::Root, &field.key).is_none() && is_server(field))
}

/// A command written as a list is the program and its first arguments.
fn split_command(into: &mut Fields) {
    let Some(command) = into.last("command").cloned() else { return };
    let Value::List(parts) = &command.node.value else { return };
    let Some((program, arguments)) = parts.split_first() else { return };
    let mut arguments = arguments.to_vec();
    match into.last("args").map(|args| &args.node.value) {
        Some(Value::List(more)) => arguments.extend(more.iter().cloned()),
        Some(_) => return,
        None => {}
    }
    let at = into.last("args").map_or(command.at, |args| args.at);
    let args = Node { at, value: Value::List(arguments) };
    into.remove("command");
    into.remove("args");
    into.push("args".to_owned(), RawField { node: args, at, ..command.clone() });
    into.push("command".to_owned(), RawField { node: program.clone(), ..command });
}

/// Tells of keys written twice in an object or in one inside it. True when there were any.
fn repeated_within(fields: &[Field], file: &SourceFile, findings: &mut Findings) -> bool {
    let mut found = repeated_here(fields, file, findings);
    for field in fields {
        found |= repeated_inside(&field.node, file, findings);
    }
    found
}

fn repeated_inside(node: &Node, file: &SourceFile, findings: &mut Findings) -> bool {
    match &node.value {
        Value::Map(fields) => repeated_within(fields, file, findings),
        Value::List(nodes) => {
            nodes.iter().fold(false, |found, node| found | repeated_inside(node, file, findings))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => false,
    }
}

fn repeated_here(fields: &[Field], file: &SourceFile, findings: &mut Findings) -> bool {
    let mut first: std::collections::BTreeMap<&str, Position> = std::collections::BTreeMap::new();
    let mut found = false;
    for field in fields {
        let Some(earlier) = first.get(field.key.as_str()) else {
            first.insert(&field.key, field.at);
            continue;
        };
        found = true;
        let here = place(file, field.at);
        let message = format!(
            "`{}` is written twice; the first time on {}",
            shown(&field.key),
            line_of(&place(file, *earlier), &here)
        );
        findings.error("duplicate_key", here, message, "keep one of them");
    }
    found
}
