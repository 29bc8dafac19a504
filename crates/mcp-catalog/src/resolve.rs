//! From what a caller wrote to the one tool that is meant, or to why there is none.

use std::sync::Arc;

use mcp_types::{CallTarget, PublicToolName, ServerName};

use crate::naming::{folded, prefix};
use crate::roster::{Roster, RosterTool, ServerRoster};
use crate::search::suggest;

/// What a name leads to.
#[derive(Debug, Clone)]
pub enum Resolution {
    /// The tool.
    Found(Arc<RosterTool>),
    /// Not known; these servers may offer it, best first, but were never asked.
    Discover {
        /// The servers to connect before looking again.
        servers: Vec<ServerName>,
    },
    /// Several servers offer it.
    Ambiguous {
        /// The tools of that name.
        candidates: Vec<Arc<RosterTool>>,
    },
    /// The server given, or the only one that offers it, is switched off.
    Disabled {
        /// That server.
        server: ServerName,
    },
    /// There is no such server.
    UnknownServer {
        /// Near names.
        suggestions: Vec<ServerName>,
    },
    /// There is no such tool.
    Unknown {
        /// The server, where it was given or is the start of the name.
        server: Option<ServerName>,
        /// Near names, best first.
        suggestions: Vec<PublicToolName>,
    },
}

impl Resolution {
    /// Gives the tool, or why there is none.
    ///
    /// # Errors
    /// Every resolution but [`Resolution::Found`].
    pub fn into_found(self) -> Result<Arc<RosterTool>, Self> {
        if let Self::Found(tool) = self { Ok(tool) } else { Err(self) }
    }
}

impl Roster {
    /// Resolves what a caller wrote.
    ///
    /// With a server given, its own tool names count besides the outward ones. `server/tool` gives the server too.
    /// Without one, exact outward names come before those that differ in hyphens and underscores.
    pub fn resolve(&self, target: &CallTarget) -> Resolution {
        match &target.server {
            Some(server) => self.resolve_on(server.as_str(), &target.tool),
            None => self.resolve_anywhere(&target.tool),
        }
    }

    fn resolve_on(&self, server: &str, tool: &str) -> Resolution {
        let Some(server) = self.server(server) else {
            return Resolution::UnknownServer { suggestions: self.near_servers(server) };
        };
        if server.disabled {
            return Resolution::Disabled { server: server.name.clone() };
        }
        if let Some(found) = find_on(server, tool) {
            return Resolution::Found(Arc::clone(found));
        }
        if !server.known {
            return Resolution::Discover { servers: vec![server.name.clone()] };
        }
        Resolution::Unknown {
            server: Some(server.name.clone()),
            suggestions: suggest(self, tool, Some(&server.name)),
        }
    }

    fn resolve_anywhere(&self, tool: &str) -> Resolution {
        for found in [self.named(tool), self.named_like(tool)] {
            match found.as_slice() {
                [] => {}
                [one] => return Resolution::Found(Arc::clone(one)),
                several => {
                    return Resolution::Ambiguous {
                        candidates: several.iter().map(|tool| Arc::clone(tool)).collect(),
                    };
                }
            }
        }
        if let Some((server, own)) = tool.split_once('/')
            && self.server(server).is_some()
        {
            return self.resolve_on(server, own);
        }
        if let Some(server) = self.disabled_with(tool) {
            return Resolution::Disabled { server };
        }
        let possible = self.servers_by_prefix(tool);
        let unknown: Vec<ServerName> =
            possible.iter().filter(|server| !server.known).map(|server| server.name.clone()).collect();
        if !unknown.is_empty() {
            return Resolution::Discover { servers: unknown };
        }
        let server = possible.first().map(|server| server.name.clone());
        Resolution::Unknown { suggestions: suggest(self, tool, server.as_ref()), server }
    }

    /// Gives the enabled servers whose prefix begins the name, longest prefix first; without one, the servers that
    /// show their tools without a prefix and were never asked.
    fn servers_by_prefix(&self, tool: &str) -> Vec<&Arc<ServerRoster>> {
        let tool = folded(tool);
        let mut matching: Vec<(usize, &Arc<ServerRoster>)> = self
            .servers()
            .filter(|server| !server.disabled)
            .filter_map(|server| {
                let prefix = prefix(server.prefix_mode(), &server.name)?;
                tool.starts_with(&format!("{}_", folded(&prefix))).then_some((prefix.len(), server))
            })
            .collect();
        matching.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
        if matching.is_empty() {
            let bare = self.servers().filter(|server| !server.disabled && !server.known);
            return bare.filter(|server| prefix(server.prefix_mode(), &server.name).is_none()).collect();
        }
        matching.into_iter().map(|(_, server)| server).collect()
    }

    fn disabled_with(&self, tool: &str) -> Option<ServerName> {
        let mut disabled = self.servers().filter(|server| server.disabled);
        let named = |server: &&Arc<ServerRoster>| {
            find_on(server, tool).is_some_and(|found| folded(found.name.as_str()) == folded(tool))
                || prefix(server.prefix_mode(), &server.name)
                    .is_some_and(|prefix| folded(tool).starts_with(&format!("{}_", folded(&prefix))))
        };
        disabled.find(named).map(|server| server.name.clone())
    }

    /// Gives at most five servers with names near to an unknown one, in configuration order. The text may be any.
    pub fn near_servers(&self, wanted: &str) -> Vec<ServerName> {
        let wanted = folded(&wanted.to_lowercase());
        let near = |name: &str| {
            let name = folded(&name.to_lowercase());
            name.contains(&wanted) || wanted.contains(&name) || differs_by_little(&name, &wanted)
        };
        self.servers()
            .filter(|server| near(server.name.as_str()))
            .map(|server| server.name.clone())
            .take(5)
            .collect()
    }
}

/// Finds a tool of one server: outward name, own name, then the same with hyphens and underscores taken alike.
fn find_on<'a>(server: &'a ServerRoster, tool: &str) -> Option<&'a Arc<RosterTool>> {
    let wanted = folded(tool);
    let tools = &server.tools;
    let by = |matches: &dyn Fn(&RosterTool) -> bool| tools.iter().find(|candidate| matches(candidate));
    by(&|candidate| candidate.name.as_str() == tool)
        .or_else(|| by(&|candidate| candidate.reference.tool.as_str() == tool))
        .or_else(|| by(&|candidate| folded(candidate.name.as_str()) == wanted))
        .or_else(|| by(&|candidate| folded(candidate.reference.tool.as_str()) == wanted))
        .or_else(|| {
            by(&|candidate| {
                crate::naming::spellings(&candidate.reference).iter().any(|name| folded(name) == wanted)
            })
        })
}

/// True when one inserted, dropped, changed or swapped letter or two make one text of the other.
fn differs_by_little(left: &str, right: &str) -> bool {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    if left.len().abs_diff(right.len()) > 2 {
        return false;
    }
    let start = left.iter().zip(&right).take_while(|(one, other)| one == other).count();
    let end = left.iter().rev().zip(right.iter().rev()).take_while(|(one, other)| one == other).count();
    let rest = left.len().max(right.len()).saturating_sub(start + end);
    rest <= 2
}

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;
