//! Layers to one configuration. Later wins field by field, and what belongs to one address or one command does not
//! travel to another: credentials, arguments, variables.

use mcp_types::Place;

use crate::diagnose::{Findings, line_of};
use crate::raw::{Fields, RawConfig, RawServer};

/// Fields of remote servers. A later layer with a `command` or a `socket` drops them.
const REMOTE: &[&str] = &["url", "headers", "auth", "bearerToken", "bearerTokenEnv"];
/// Fields of local servers. A later layer with a `url` or a `socket` drops them.
const LOCAL: &[&str] = &["command", "args", "env", "cwd", "inheritEnv"];
/// What is given to one address only.
const BOUND_TO_URL: &[&str] = &["headers", "bearerToken", "bearerTokenEnv"];
/// What is given to one command only.
const BOUND_TO_COMMAND: &[&str] = &["args", "env", "cwd"];

/// Lays a later layer over what is there.
pub(crate) fn overlay(below: &mut RawConfig, later: RawConfig, findings: &mut Findings) {
    below.settings.extend(later.settings);
    for server in later.servers {
        match below.servers.iter_mut().find(|known| known.name == server.name) {
            Some(known) => overlay_server(known, server, findings),
            None => below.servers.push(server),
        }
    }
}

fn overlay_server(below: &mut RawServer, later: RawServer, findings: &mut Findings) {
    let mut about = Findings::about(&below.name);
    drop_what_does_not_travel(&mut below.fields, &later.fields, &mut about);
    findings.absorb(about);
    below.fields.extend(later.fields);
    below.entries.extend(later.entries);
    below.rejected |= later.rejected;
}

/// Compares raw texts: what a variable holds is not known here, and must not matter.
fn drop_what_does_not_travel(below: &mut Fields, later: &Fields, findings: &mut Findings) {
    let written =
        |key: &str| later.last(key).and_then(|field| field.text().map(|text| (text, field.place())));
    if let Some((command, place)) = written("command") {
        let changed = below.last("command").is_none_or(|field| field.text() != Some(command));
        drop_kind(below, later);
        drop_fields(below, REMOTE, "command", &place, findings);
        drop_fields(below, &["socket"], "command", &place, findings);
        if changed {
            drop_fields(below, BOUND_TO_COMMAND, "command", &place, findings);
        }
    }
    if let Some((url, place)) = written("url") {
        let changed = below.last("url").is_none_or(|field| field.text() != Some(url));
        drop_kind(below, later);
        drop_fields(below, LOCAL, "url", &place, findings);
        drop_fields(below, &["socket"], "url", &place, findings);
        if changed {
            drop_fields(below, BOUND_TO_URL, "url", &place, findings);
        }
    }
    if let Some((_, place)) = written("socket") {
        drop_kind(below, later);
        drop_fields(below, REMOTE, "socket", &place, findings);
        drop_fields(below, LOCAL, "socket", &place, findings);
    }
}

/// The declared kind belongs to the transport it was written for.
fn drop_kind(below: &mut Fields, later: &Fields) {
    let switches = ["command", "url", "socket"].iter().any(|key| below.has(key) && !later.has(key));
    if switches {
        below.remove("type");
    }
}

fn drop_fields(below: &mut Fields, keys: &[&str], because: &str, place: &Place, findings: &mut Findings) {
    for key in keys {
        let Some(dropped) = below.last(key).map(crate::raw::RawField::place) else { continue };
        below.remove(key);
        // Replacing the transport itself is what the later layer asks for; losing what came with it may surprise.
        if !matches!(*key, "command" | "url" | "socket") {
            let message = format!(
                "`{key}` from {} is not inherited, because `{because}` is set here",
                line_of(&dropped, place)
            );
            findings.info(
                "not_inherited",
                place.clone(),
                message,
                "write it beside the new value if it belongs there",
            );
        }
    }
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
