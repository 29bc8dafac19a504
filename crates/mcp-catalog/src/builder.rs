//! Building a roster. Parts of servers that did not change are taken over as they are.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_types::{Diagnostic, PublicToolName, ServerName, Severity, ToolName, ToolRef, Version};

use crate::expose::ExposeSpec;
use crate::filter::{Filter, is_hidden_from_models};
use crate::listing::ServerListing;
use crate::naming::{folded, outward_name, resource_tool_name};
use crate::roster::{Roster, RosterTool, ServerRoster, ToolKind};

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
        let mut by_name: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        let mut by_folded: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        for (index, server) in roster.servers.iter().enumerate() {
            roster.by_server.insert(server.name.clone(), index);
            roster.problems.extend(server.problems.iter().cloned());
            if server.disabled {
                continue;
            }
            for (position, tool) in server.tools.iter().enumerate() {
                by_name.entry(tool.name.to_string()).or_default().push((index, position));
                by_folded.entry(folded(tool.name.as_str())).or_default().push((index, position));
            }
        }
        roster.by_name = by_name;
        roster.by_folded = by_folded;
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
    let mut candidates: Vec<(ToolName, ToolKind)> = Vec::new();
    for tool in listing.tools.iter().filter(|tool| !is_hidden_from_models(tool)) {
        candidates.push((tool.name().clone(), ToolKind::Tool(Arc::clone(tool))));
    }
    if part.expose.expose_resources {
        for resource in &listing.resources {
            if let Ok(name) = ToolName::new(resource_tool_name(resource.display_name())) {
                candidates.push((name, ToolKind::Resource(Arc::clone(resource))));
            }
        }
    }
    let references: Vec<ToolRef> = candidates
        .iter()
        .map(|(tool, _)| ToolRef { server: part.name.clone(), tool: tool.clone() })
        .collect();
    let filter = Filter::new(&part.expose, &references);
    let mut taken: HashMap<String, ToolName> = HashMap::new();
    for ((tool, kind), reference) in candidates.into_iter().zip(references) {
        if !filter.shows(&reference) {
            continue;
        }
        let outward = outward_name(part.expose.prefix, &part.name, tool.as_str());
        if let Some(first) = taken.get(&outward) {
            part.problems.push(collision_inside(&part.name, &outward, first, &tool));
            continue;
        }
        let Ok(name) = PublicToolName::new(&outward) else { continue };
        taken.insert(outward, tool);
        let keywords = filter.keywords(&reference);
        part.tools.push(Arc::new(RosterTool { reference, name, kind, keywords }));
    }
    part
}

fn collision_inside(server: &ServerName, outward: &str, first: &ToolName, second: &ToolName) -> Diagnostic {
    Diagnostic::new(
        "tool_name_collision",
        Severity::Warning,
        format!("server {server} lists {first:?} and {second:?}, which are both shown as {outward}; the first is kept"),
    )
    .for_server(server.as_str())
}

/// Reports outward names that several servers share: they can be called only with the server given.
fn collisions(roster: &Roster) -> Vec<Diagnostic> {
    let mut shared: Vec<(&String, Vec<String>)> = roster
        .by_name
        .iter()
        .filter(|(_, places)| places.len() > 1)
        .map(|(name, places)| {
            let servers = places.iter().filter_map(|(server, _)| roster.servers.get(*server));
            (name, servers.map(|server| server.name.to_string()).collect())
        })
        .collect();
    shared.sort();
    shared
        .into_iter()
        .map(|(name, servers)| {
            Diagnostic::new(
                "ambiguous_tool_name",
                Severity::Info,
                format!("{name} is offered by {}", servers.join(" and ")),
            )
            .with_hint("name the server in calls, or set `toolPrefix` to `server`")
        })
        .collect()
}
