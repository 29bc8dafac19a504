//! What one roster has that another has not.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcp_types::{ServerName, ToolRef};

use crate::listing::ServerListing;
use crate::roster::{Roster, RosterTool, ServerRoster};

/// The difference of two rosters. Disabled servers count as absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RosterDiff {
    /// Tools of the new roster alone, in its order.
    pub added: Vec<ToolRef>,
    /// Tools of the old roster alone, in its order.
    pub removed: Vec<ToolRef>,
    /// Tools of both whose outward name or definition differs, in the order of the new roster.
    pub changed: Vec<ToolRef>,
    /// Servers whose resources or resource templates differ.
    pub resources_changed: Vec<ServerName>,
    /// Servers whose prompts differ.
    pub prompts_changed: Vec<ServerName>,
}

impl RosterDiff {
    /// Tells whether nothing differs.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Compares two rosters.
pub fn diff(old: &Roster, new: &Roster) -> RosterDiff {
    let mut diff = RosterDiff::default();
    for server in new.servers() {
        let before = old.server(server.name.as_str());
        if before.is_some_and(|before| Arc::ptr_eq(before, server)) {
            continue;
        }
        compare_tools(before.map(Arc::as_ref), Some(server), &mut diff);
        compare_listings(&server.name, before.map(Arc::as_ref), Some(server), &mut diff);
    }
    for server in old.servers().filter(|server| new.server(server.name.as_str()).is_none()) {
        compare_tools(Some(server), None, &mut diff);
        compare_listings(&server.name, Some(server), None, &mut diff);
    }
    diff
}

fn compare_tools(old: Option<&ServerRoster>, new: Option<&ServerRoster>, diff: &mut RosterDiff) {
    let (old, new) = (tools(old), tools(new));
    let mut left: BTreeMap<&ToolRef, &RosterTool> =
        old.iter().map(|tool| (&tool.reference, tool.as_ref())).collect();
    for tool in new {
        match left.remove(&tool.reference) {
            None => diff.added.push(tool.reference.clone()),
            Some(before) if before.name == tool.name && before.kind == tool.kind => {}
            Some(_) => diff.changed.push(tool.reference.clone()),
        }
    }
    let gone = old.iter().filter(|tool| left.contains_key(&tool.reference));
    diff.removed.extend(gone.map(|tool| tool.reference.clone()));
}

fn compare_listings(
    name: &ServerName,
    old: Option<&ServerRoster>,
    new: Option<&ServerRoster>,
    diff: &mut RosterDiff,
) {
    let nothing = ServerListing::default();
    let (old, new) = (listing(old).unwrap_or(&nothing), listing(new).unwrap_or(&nothing));
    if old.resources != new.resources || old.resource_templates != new.resource_templates {
        diff.resources_changed.push(name.clone());
    }
    if old.prompts != new.prompts {
        diff.prompts_changed.push(name.clone());
    }
}

fn tools(server: Option<&ServerRoster>) -> &[Arc<RosterTool>] {
    server.filter(|server| !server.disabled).map_or(&[], |server| &server.tools)
}

fn listing(server: Option<&ServerRoster>) -> Option<&ServerListing> {
    server.filter(|server| !server.disabled)?.listing.as_deref()
}

#[cfg(test)]
#[path = "diff_tests.rs"]
mod tests;
