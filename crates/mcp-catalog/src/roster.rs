//! The roster: every tool under its outward name, and the server it belongs to. Immutable, versioned.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use mcp_types::{Diagnostic, PublicToolName, ResourceSpec, ServerName, ToolRef, ToolSpec, Version};
use serde_json::value::RawValue;

use crate::expose::{ExposeSpec, PrefixMode};
use crate::listing::ServerListing;
use crate::naming::folded;

/// What a roster entry runs.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolKind {
    /// A tool of the server.
    Tool(Arc<ToolSpec>),
    /// The reading of one resource.
    Resource(Arc<ResourceSpec>),
}

/// One callable entry.
#[derive(Debug, Clone, PartialEq)]
pub struct RosterTool {
    /// Its identity.
    pub reference: ToolRef,
    /// Its outward name.
    pub name: PublicToolName,
    /// What it runs.
    pub kind: ToolKind,
    /// Words under which it is found besides its own.
    pub keywords: Vec<String>,
}

impl RosterTool {
    /// Gives the description; a resource without one is described by its URI.
    pub fn description(&self) -> &str {
        match &self.kind {
            ToolKind::Tool(tool) => tool.description().or(tool.title()).unwrap_or_default(),
            ToolKind::Resource(resource) => resource.description().unwrap_or(resource.uri()),
        }
    }

    /// Gives the input schema; a resource takes no arguments.
    pub fn input_schema(&self) -> Option<&RawValue> {
        match &self.kind {
            ToolKind::Tool(tool) => tool.input_schema(),
            ToolKind::Resource(_) => None,
        }
    }
}

/// One server's part.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerRoster {
    /// The server.
    pub name: ServerName,
    /// True when it is switched off.
    pub disabled: bool,
    /// True when its list is known, from a connection or from the catalogue.
    pub known: bool,
    /// What is shown of it, in its own order.
    pub tools: Vec<Arc<RosterTool>>,
    /// What it listed.
    pub listing: Option<Arc<ServerListing>>,
    pub(crate) expose: ExposeSpec,
    pub(crate) problems: Vec<Diagnostic>,
}

impl ServerRoster {
    /// Gives how its outward names begin.
    pub fn prefix_mode(&self) -> PrefixMode {
        self.expose.prefix
    }
}

/// Every tool, by outward name and by server.
///
/// ```
/// use mcp_catalog::{ExposeSpec, RosterBuilder};
/// let server = mcp_types::ServerName::new("time")?;
/// let roster = RosterBuilder::new().server(server, ExposeSpec::default(), None, false).build(mcp_types::Version::ZERO);
/// assert!(roster.server("time").is_some_and(|server| !server.known));
/// # Ok::<(), mcp_types::NameError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Roster {
    pub(crate) version: Version,
    pub(crate) servers: Vec<Arc<ServerRoster>>,
    pub(crate) by_server: BTreeMap<ServerName, usize>,
    /// Tools of the enabled servers by outward name; several where servers collide.
    pub(crate) by_name: HashMap<PublicToolName, Places>,
    /// Those whose name folding changes, by folded name.
    pub(crate) by_folded: HashMap<String, Places>,
    pub(crate) problems: Vec<Diagnostic>,
}

impl Roster {
    /// Gives the version under which it was published.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Walks the servers in configuration order, disabled ones included.
    pub fn servers(&self) -> impl Iterator<Item = &Arc<ServerRoster>> {
        self.servers.iter()
    }

    /// Gives one server's part.
    pub fn server(&self, name: &str) -> Option<&Arc<ServerRoster>> {
        self.by_server.get(name).and_then(|index| self.servers.get(*index))
    }

    /// Walks the tools of the enabled servers.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<RosterTool>> {
        self.servers.iter().filter(|server| !server.disabled).flat_map(|server| &server.tools)
    }

    /// Gives what could not be shown as it was told: collisions and unusable names.
    pub fn problems(&self) -> &[Diagnostic] {
        &self.problems
    }

    /// Gives the tools of an outward name.
    pub(crate) fn named(&self, name: &str) -> Vec<&Arc<RosterTool>> {
        self.at(self.by_name.get(name).map_or(&[], Places::as_slice))
    }

    /// Gives the tools whose outward name differs from this one in hyphens and underscores at most.
    pub(crate) fn named_like(&self, name: &str) -> Vec<&Arc<RosterTool>> {
        let folded = folded(name);
        let unchanged = self.by_name.get(folded.as_str()).map_or(&[][..], Places::as_slice);
        let changed = self.by_folded.get(&folded).map_or(&[][..], Places::as_slice);
        let mut places = [unchanged, changed].concat();
        places.sort_unstable();
        self.at(&places)
    }

    fn at(&self, places: &[Place]) -> Vec<&Arc<RosterTool>> {
        places.iter().filter_map(|place| self.servers.get(place.server)?.tools.get(place.tool)).collect()
    }
}

/// Where a tool stands in a roster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) server: usize,
    pub(crate) tool: usize,
}

/// The places of one name: one, unless servers collide.
#[derive(Debug, Clone)]
pub(crate) enum Places {
    One(Place),
    Several(Vec<Place>),
}

impl Places {
    pub(crate) fn as_slice(&self) -> &[Place] {
        match self {
            Self::One(place) => std::slice::from_ref(place),
            Self::Several(places) => places,
        }
    }

    pub(crate) fn push(&mut self, place: Place) {
        match self {
            Self::One(first) => *self = Self::Several(vec![*first, place]),
            Self::Several(places) => places.push(place),
        }
    }
}
