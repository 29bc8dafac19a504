use mcp_types::{PromptSpec, ResourceSpec, ToolSpec, Version};
use proptest::prelude::*;

use super::*;
use crate::{ExposeSpec, PrefixMode, RosterBuilder};

fn tool(name: &str, description: &str) -> Arc<ToolSpec> {
    Arc::new(
        ToolSpec::parse(&serde_json::json!({"name": name, "description": description}).to_string()).unwrap(),
    )
}

fn with_tools(tools: &[(&str, &str)]) -> ServerListing {
    let tools = tools.iter().map(|(name, description)| tool(name, description)).collect();
    ServerListing { tools, ..ServerListing::default() }
}

fn name(text: &str) -> ServerName {
    ServerName::new(text).unwrap()
}

fn roster_of(servers: &[(&str, ServerListing, bool)], mode: PrefixMode) -> Roster {
    let mut builder = RosterBuilder::new();
    for (server, listing, disabled) in servers {
        let expose = ExposeSpec { prefix: mode, expose_resources: false, ..ExposeSpec::default() };
        builder = builder.server(name(server), expose, Some(Arc::new(listing.clone())), *disabled);
    }
    builder.build(Version::ZERO)
}

fn reference(text: &str) -> ToolRef {
    let (server, tool) = text.split_once('/').unwrap();
    ToolRef { server: name(server), tool: tool.parse().unwrap() }
}

#[test]
fn tools_are_added_removed_and_changed() {
    let old = roster_of(&[("s", with_tools(&[("a", ""), ("b", ""), ("c", "")]), false)], PrefixMode::Server);
    let new =
        roster_of(&[("s", with_tools(&[("d", ""), ("c", "other"), ("b", "")]), false)], PrefixMode::Server);
    let expected = RosterDiff {
        added: vec![reference("s/d")],
        removed: vec![reference("s/a")],
        changed: vec![reference("s/c")],
        ..RosterDiff::default()
    };
    assert_eq!(diff(&old, &new), expected);
}

#[test]
fn another_outward_name_is_a_change() {
    let servers = [("s", with_tools(&[("a", "")]), false)];
    let found = diff(&roster_of(&servers, PrefixMode::Server), &roster_of(&servers, PrefixMode::Mcp));
    assert_eq!(found, RosterDiff { changed: vec![reference("s/a")], ..RosterDiff::default() });
}

#[test]
fn a_server_switched_off_takes_everything_with_it() {
    let raw = |text: &str| serde_json::value::RawValue::from_string(text.to_owned()).unwrap();
    let listing = ServerListing {
        resources: vec![Arc::new(ResourceSpec::from_raw(raw(r#"{"uri":"a:b"}"#)).unwrap())],
        prompts: vec![Arc::new(PromptSpec::from_raw(raw(r#"{"name":"p"}"#)).unwrap())],
        ..with_tools(&[("a", "")])
    };
    let on = roster_of(&[("s", listing.clone(), false)], PrefixMode::Server);
    let off = roster_of(&[("s", listing, true)], PrefixMode::Server);
    let expected = RosterDiff {
        removed: vec![reference("s/a")],
        resources_changed: vec![name("s")],
        prompts_changed: vec![name("s")],
        ..RosterDiff::default()
    };
    assert_eq!(diff(&on, &off), expected);
    assert_eq!(diff(&on, &Roster::default()), expected);
    assert!(diff(&off, &Roster::default()).is_empty());
}

proptest! {
    #[test]
    fn a_roster_does_not_differ_from_itself(tools in proptest::collection::vec(("[a-z]{1,4}", "[a-z]{0,4}"), 0..8)) {
        let tools: Vec<(&str, &str)> = tools.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let one = roster_of(&[("s", with_tools(&tools), false)], PrefixMode::Server);
        let other = roster_of(&[("s", with_tools(&tools), false)], PrefixMode::Server);
        prop_assert!(diff(&one, &one.clone()).is_empty());
        prop_assert!(diff(&one, &other).is_empty());
    }

    #[test]
    fn both_ways_mirror_each_other(
        left in proptest::collection::btree_map("[a-d]", "[xy]", 0..4),
        right in proptest::collection::btree_map("[a-d]", "[xy]", 0..4),
    ) {
        let build = |tools: &BTreeMap<String, String>| {
            let tools: Vec<(&str, &str)> = tools.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            roster_of(&[("s", with_tools(&tools), false)], PrefixMode::Server)
        };
        let (left, right) = (build(&left), build(&right));
        let (there, back) = (diff(&left, &right), diff(&right, &left));
        prop_assert_eq!(there.added, back.removed);
        prop_assert_eq!(there.removed, back.added);
        prop_assert_eq!(there.changed, back.changed);
    }
}
