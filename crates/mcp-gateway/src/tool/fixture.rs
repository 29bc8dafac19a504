//! A small catalogue for tests of texts.

use std::sync::Arc;

use mcp_catalog::{ExposeSpec, Roster, RosterBuilder, ServerListing};
use mcp_types::{ResourceSpec, ServerName, ToolSpec, Version};
use serde_json::{Value, json};

pub(crate) fn tool(value: &Value) -> Arc<ToolSpec> {
    Arc::new(ToolSpec::parse(&value.to_string()).unwrap())
}

fn resource(value: &Value) -> Arc<ResourceSpec> {
    let raw = serde_json::value::to_raw_value(value).unwrap();
    Arc::new(ResourceSpec::from_raw(raw).unwrap())
}

pub(crate) fn listing(tools: &[Value]) -> ServerListing {
    ServerListing { tools: tools.iter().map(tool).collect(), ..ServerListing::default() }
}

/// Builds a roster of servers by name; a server without listing was never connected.
pub(crate) fn roster_of(servers: Vec<(&str, Option<ServerListing>, bool)>) -> Roster {
    let mut builder = RosterBuilder::new();
    for (name, listing, disabled) in servers {
        let name = ServerName::new(name).unwrap();
        builder = builder.server(name, ExposeSpec::default(), listing.map(Arc::new), disabled);
    }
    builder.build(Version::new(1))
}

fn docs() -> ServerListing {
    ServerListing {
        resources: vec![resource(
            &json!({"uri": "docs://intro", "name": "Intro", "description": "The first page."}),
        )],
        instructions: Some("Read the intro first.\nThen search.".to_owned()),
        ..listing(&[json!({
            "name": "search_pages",
            "description": "Searches the pages.\nUnderstands phrases in quotes and negation with a minus sign.",
            "inputSchema": {
                "type": "object",
                "properties": {"q": {"type": "string", "description": "the words"}, "limit": {"type": "integer"}},
                "required": ["q"]
            }
        })])
    }
}

/// One server with a tool and a resource, one that was never connected, one that is disabled.
pub(crate) fn roster() -> Roster {
    let off = listing(&[json!({"name": "x"}), json!({"name": "y"})]);
    roster_of(vec![("docs", Some(docs()), false), ("new", None, false), ("off", Some(off), true)])
}
