//! Building a roster. Parts of servers that did not change are taken over as they are.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use mcp_types::{Diagnostic, NameError, PublicToolName, ServerName, Severity, ToolName, ToolRef, Version};

use crate::expose::ExposeSpec;
use crate::filter::{Filter, is_hidden_from_models};
use crate::listing::ServerListing;
use crate::naming::{folded, joined, prefix, resource_tool_name};
use crate::roster::{Place, Places, Roster, RosterTool, ServerRoster, ToolKind};

/// Gathers the servers of a roster in configuration order.
#[derive(Debug, Default)]
#[must_use]
pub struct RosterBuilder {
    servers: Vec<Arc<ServerRoster>>,
    previous: Option<Arc<Roster>>,
}

impl RosterBuilder {
    /// Starts from nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts from nothing, but takes over what `previous` already worked out for unchanged servers.
    pub fn reusing(previous: Arc<Roster>) -> Self {
        Self { servers: Vec::new(), previous: Some(previous) }
    }

    /// Adds a server. Of two servers with one name the first stays.
    pub fn server(
        mut self,
        name: ServerName,
        expose: ExposeSpec,
        listing: Option<Arc<ServerListing>>,
        disabled: bool,
    ) -> Self {
        if self.servers.iter().any(|server| server.name == name) {
            return self;
        }
        let part = match self.unchanged(&name, &expose, listing.as_ref(), disabled) {
            Some(part) => part,
            None => Arc::new(server_part(name, expose, listing, disabled)),
        };
        self.servers.push(part);
        self
    }

    /// Builds the roster under a version.
    pub fn build(self, version: Version) -> Roster {
        let mut roster = Roster { version, servers: self.servers, ..Roster::default() };
        let tools = roster.servers.iter().map(|server| server.tools.len()).sum();
        roster.by_name.reserve(tools);
        for (index, server) in roster.servers.iter().enumerate() {
            roster.by_server.insert(server.name.clone(), index);
            roster.problems.extend(server.problems.iter().cloned());
            if server.disabled {
                continue;
            }
            for (position, tool) in server.tools.iter().enumerate() {
                let place = Place { server: index, tool: position };
                add(&mut roster.by_name, tool.name.clone(), place);
                if tool.name.as_str().contains('-') {
                    add(&mut roster.by_folded, folded(tool.name.as_str()), place);
                }
            }
        }
        roster.problems.extend(collisions(&roster));
        roster
    }

    fn unchanged(
        &self,
        name: &ServerName,
        expose: &ExposeSpec,
        listing: Option<&Arc<ServerListing>>,
        disabled: bool,
    ) -> Option<Arc<ServerRoster>> {
        let before = self.previous.as_ref()?.server(name.as_str())?;
        let same_listing = match (&before.listing, listing) {
            (None, None) => true,
            (Some(old), Some(new)) => Arc::ptr_eq(old, new),
            _ => false,
        };
        (same_listing && before.disabled == disabled && before.expose == *expose).then(|| Arc::clone(before))
    }
}

fn add<K: Eq + std::hash::Hash>(places: &mut HashMap<K, Places>, name: K, place: Place) {
    match places.entry(name) {
        Entry::Vacant(vacant) => {
            vacant.insert(Places::One(place));
        }
        Entry::Occupied(mut occupied) => occupied.get_mut().push(place),
    }
}

fn server_part(
    name: ServerName,
    expose: ExposeSpec,
    listing: Option<Arc<ServerListing>>,
    disabled: bool,
) -> ServerRoster {
    let mut part = ServerRoster {
        name,
        disabled,
        known: listing.is_some(),
        tools: Vec::new(),
        listing,
        expose,
        problems: Vec::new(),
    };
    let Some(listing) = part.listing.clone() else { return part };
    let (references, kinds) = candidates(&mut part, &listing);
    let filter = Filter::new(&part.expose, &references);
    let prefix = prefix(part.expose.prefix, &part.name);
    let mut taken: HashMap<PublicToolName, usize> = HashMap::with_capacity(references.len());
    for (position, (reference, kind)) in references.into_iter().zip(kinds).enumerate() {
        if !filter.shows(position) {
            continue;
        }
        let name = match PublicToolName::new(joined(prefix.as_deref(), reference.tool.as_str())) {
            Ok(name) => name,
            Err(error) => {
                part.problems.push(skipped(&part.name, &error));
                continue;
            }
        };
        if let Some(first) = taken.get(&name).and_then(|first| part.tools.get(*first)) {
            let problem = collision_inside(&part.name, &name, &first.reference.tool, &reference.tool);
            part.problems.push(problem);
            continue;
        }
        taken.insert(name.clone(), part.tools.len());
        part.tools.push(Arc::new(RosterTool { reference, name, kind, keywords: filter.keywords(position) }));
    }
    part
}

/// Gives whatever a server may show: its tools for models, then the tools that read its resources.
fn candidates(part: &mut ServerRoster, listing: &ServerListing) -> (Vec<ToolRef>, Vec<ToolKind>) {
    let mut references = Vec::with_capacity(listing.tools.len());
    let mut kinds = Vec::with_capacity(listing.tools.len());
    for tool in listing.tools.iter().filter(|tool| !is_hidden_from_models(tool)) {
        references.push(ToolRef { server: part.name.clone(), tool: tool.name().clone() });
        kinds.push(ToolKind::Tool(Arc::clone(tool)));
    }
    if !part.expose.expose_resources {
        return (references, kinds);
    }
    for resource in &listing.resources {
        match ToolName::new(resource_tool_name(resource.display_name())) {
            Ok(tool) => {
                references.push(ToolRef { server: part.name.clone(), tool });
                kinds.push(ToolKind::Resource(Arc::clone(resource)));
            }
            Err(error) => part.problems.push(skipped(&part.name, &error)),
        }
    }
    (references, kinds)
}

fn skipped(server: &ServerName, error: &NameError) -> Diagnostic {
    Diagnostic::new(
        "tool_skipped",
        Severity::Warning,
        format!("an entry of server {server} is not shown: {error}"),
    )
    .for_server(server.as_str())
}

fn collision_inside(
    server: &ServerName,
    outward: &PublicToolName,
    first: &ToolName,
    second: &ToolName,
) -> Diagnostic {
    Diagnostic::new(
        "tool_name_collision",
        Severity::Warning,
        format!("server {server} lists {first:?} and {second:?}, which are both shown as {outward}; the first is kept"),
    )
    .for_server(server.as_str())
}

/// Reports outward names that several servers share: they can be called only with the server given.
fn collisions(roster: &Roster) -> Vec<Diagnostic> {
    let mut shared: Vec<(&PublicToolName, &[Place])> = roster
        .by_name
        .iter()
        .map(|(name, places)| (name, places.as_slice()))
        .filter(|(_, places)| places.len() > 1)
        .collect();
    shared.sort_by_key(|(name, _)| *name);
    shared
        .into_iter()
        .map(|(name, places)| {
            let servers = places.iter().filter_map(|place| roster.servers.get(place.server));
            let servers: Vec<&str> = servers.map(|server| server.name.as_str()).collect();
            Diagnostic::new(
                "ambiguous_tool_name",
                Severity::Info,
                format!("{name} is offered by {}", servers.join(" and ")),
            )
            .with_hint("name the server in calls, or set `toolPrefix` to `server`")
        })
        .collect()
}

#[cfg(test)]
#[path = "builder_tests.rs"]
mod tests;
