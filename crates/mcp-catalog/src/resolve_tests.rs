use mcp_types::{ToolSpec, Version};
use proptest::prelude::*;

use super::*;
use crate::{ExposeSpec, PrefixMode, RosterBuilder, ServerListing};

fn listing(tools: &[&str]) -> Arc<ServerListing> {
    let tools = tools
        .iter()
        .map(|name| Arc::new(ToolSpec::parse(&serde_json::json!({ "name": name }).to_string()).unwrap()))
        .collect();
    Arc::new(ServerListing { tools, ..ServerListing::default() })
}

fn name(text: &str) -> ServerName {
    ServerName::new(text).unwrap()
}

fn roster() -> Roster {
    let bare = ExposeSpec { prefix: PrefixMode::None, ..ExposeSpec::default() };
    RosterBuilder::new()
        .server(name("context7"), ExposeSpec::default(), Some(listing(&["resolve-library-id"])), false)
        .server(name("one"), bare.clone(), Some(listing(&["search"])), false)
        .server(name("two"), bare, Some(listing(&["search", "only_two"])), false)
        .server(name("off"), ExposeSpec::default(), Some(listing(&["run"])), true)
        .server(name("asleep"), ExposeSpec::default(), None, false)
        .build(Version::ZERO)
}

fn shown(server: Option<&str>, tool: &str) -> String {
    let target = CallTarget { server: server.map(name), tool: tool.to_owned() };
    match roster().resolve(&target) {
        Resolution::Found(tool) => format!("found {}", tool.reference),
        Resolution::Discover { servers } => format!("discover {servers:?}"),
        Resolution::Ambiguous { candidates } => format!("ambiguous {}", candidates.len()),
        Resolution::Disabled { server } => format!("disabled {server}"),
        Resolution::UnknownServer { suggestions } => format!("unknown server {suggestions:?}"),
        Resolution::Unknown { server, suggestions } => format!("unknown {server:?} {suggestions:?}"),
    }
}

#[test]
fn adapter_13_11_names_lead_where_they_should() {
    let rows = [
        (None, "context7_resolve-library-id", "found context7/resolve-library-id"),
        (None, "context7_resolve_library_id", "found context7/resolve-library-id"),
        (None, "search", "ambiguous 2"),
        (Some("one"), "search", "found one/search"),
        (None, "one/search", "found one/search"),
        (None, "only_two", "found two/only_two"),
        (Some("context7"), "resolve-library-id", "found context7/resolve-library-id"),
        (Some("context7"), "mcp__context7__resolve-library-id", "found context7/resolve-library-id"),
        (Some("off"), "run", "disabled off"),
        (None, "off_run", "disabled off"),
        (None, "asleep_anything", "discover [\"asleep\"]"),
        (Some("asleep"), "anything", "discover [\"asleep\"]"),
        (Some("context"), "x", "unknown server [\"context7\"]"),
        (None, "context7_resolve_libary_id", "unknown Some(\"context7\") [\"context7_resolve-library-id\"]"),
    ];
    for (server, tool, expected) in rows {
        assert_eq!(shown(server, tool), expected, "{server:?} {tool}");
    }
}

#[test]
fn near_names_of_servers_are_few_letters_away() {
    let names = ["github", "gitlab", "filesystem", "time"];
    let roster = names
        .iter()
        .fold(RosterBuilder::new(), |roster, text| {
            roster.server(name(text), ExposeSpec::default(), None, false)
        })
        .build(Version::ZERO);
    let long = "x".repeat(1_000_000);
    let rows: [(&str, &[&str]); 5] = [
        ("githb", &["github", "gitlab"]),
        ("tme", &["time"]),
        ("git", &["github", "gitlab"]),
        ("zzzzzz", &[]),
        (&long, &[]),
    ];
    for (text, expected) in rows {
        let near = roster.near_servers(text);
        assert_eq!(near.iter().map(ServerName::as_str).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn adapter_34_3_the_exact_spelling_wins() {
    let roster = RosterBuilder::new()
        .server(name("c"), ExposeSpec::default(), Some(listing(&["a-b", "a_b"])), false)
        .build(Version::ZERO);
    for tool in ["a-b", "a_b"] {
        let target = CallTarget { server: None, tool: format!("c_{tool}") };
        let Resolution::Found(found) = roster.resolve(&target) else { panic!("{tool} is not found") };
        assert_eq!(found.reference.tool.as_str(), tool);
    }
}

#[test]
fn t_nam_04_a_name_listed_twice_is_kept_once_and_told() {
    let roster = RosterBuilder::new()
        .server(name("s"), ExposeSpec::default(), Some(listing(&["a.b", "a_b"])), false)
        .build(Version::ZERO);
    assert_eq!(roster.tools().count(), 1);
    assert_eq!(roster.problems().first().map(|problem| problem.code), Some("tool_name_collision"));
}

#[test]
fn filters_take_every_spelling() {
    let patterns = ["get_*", "s_get_*", "mcp__s_get_?", "mcp__s__get_*"];
    for pattern in patterns {
        let expose = ExposeSpec { exclude: vec![pattern.to_owned()], ..ExposeSpec::default() };
        let roster = RosterBuilder::new()
            .server(name("s"), expose, Some(listing(&["get_a", "set_a"])), false)
            .build(Version::ZERO);
        let left: Vec<_> = roster.tools().map(|tool| tool.reference.tool.to_string()).collect();
        assert_eq!(left, ["set_a"], "{pattern}");
    }
}

proptest! {
    #[test]
    fn every_tool_resolves_to_itself(tools in proptest::collection::btree_set("[A-Za-z0-9_.-]{1,12}", 1..8), mode in 0_usize..4) {
        let names: Vec<&str> = tools.iter().map(String::as_str).collect();
        let expose = ExposeSpec { prefix: PrefixMode::ALL[mode], ..ExposeSpec::default() };
        let roster = RosterBuilder::new().server(name("srv"), expose, Some(listing(&names)), false).build(Version::ZERO);
        let mut seen = std::collections::BTreeSet::new();
        for tool in roster.tools() {
            prop_assert!(seen.insert(tool.name.clone()), "two tools named {}", tool.name);
            let target = CallTarget { server: None, tool: tool.name.to_string() };
            let Resolution::Found(found) = roster.resolve(&target) else { panic!("{} is not found", tool.name) };
            prop_assert_eq!(&found.reference, &tool.reference);
        }
    }
}
