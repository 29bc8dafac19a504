use mcp_types::{CallTarget, ResourceSpec, ToolSpec};
use serde_json::{Value, json};

use super::*;
use crate::{PrefixMode, Resolution};

fn tool(value: &Value) -> Arc<ToolSpec> {
    Arc::new(ToolSpec::parse(&value.to_string()).unwrap())
}

fn listing(tools: &[&str], resources: &[&str]) -> Arc<ServerListing> {
    let resource = |name: &&str| {
        let raw =
            serde_json::value::to_raw_value(&json!({"uri": format!("a:{name}"), "name": name})).unwrap();
        Arc::new(ResourceSpec::from_raw(raw).unwrap())
    };
    Arc::new(ServerListing {
        tools: tools.iter().map(|name| tool(&json!({ "name": name }))).collect(),
        resources: resources.iter().map(resource).collect(),
        ..ServerListing::default()
    })
}

fn name(text: &str) -> ServerName {
    ServerName::new(text).unwrap()
}

fn names(roster: &Roster) -> Vec<&str> {
    roster.tools().map(|tool| tool.name.as_str()).collect()
}

fn codes(roster: &Roster) -> Vec<&str> {
    roster.problems().iter().map(|problem| problem.code).collect()
}

#[test]
fn adapter_12_resources_are_tools_unless_told_otherwise() {
    let listing = listing(&["read_intro", "a"], &["Intro", "Outro", "outro!"]);
    let shown = RosterBuilder::new()
        .server(name("s"), ExposeSpec::default(), Some(Arc::clone(&listing)), false)
        .build(Version::ZERO);
    // The tool of the server comes first, so the resource of the same name is not shown.
    assert_eq!(names(&shown), ["s_read_intro", "s_a", "s_read_outro"]);
    assert_eq!(codes(&shown), ["tool_name_collision", "tool_name_collision"]);
    let outro = shown.tools().last().unwrap();
    assert!(matches!(&outro.kind, ToolKind::Resource(resource) if resource.uri() == "a:Outro"));
    assert_eq!(outro.description(), "a:Outro");

    let hidden = ExposeSpec { expose_resources: false, ..ExposeSpec::default() };
    let without = RosterBuilder::new().server(name("s"), hidden, Some(listing), false).build(Version::ZERO);
    assert_eq!(names(&without), ["s_read_intro", "s_a"]);
}

#[test]
fn a_resource_whose_name_is_too_long_is_left_out_and_told() {
    let long = "x".repeat(600);
    let roster = RosterBuilder::new()
        .server(name("s"), ExposeSpec::default(), Some(listing(&["a"], &[&long])), false)
        .build(Version::ZERO);
    assert_eq!((names(&roster), codes(&roster)), (vec!["s_a"], vec!["tool_skipped"]));
}

#[test]
fn adapter_12_tools_for_app_views_are_not_in_the_roster() {
    let tools = vec![
        tool(&json!({"name": "for_app", "_meta": {"ui": {"visibility": ["app"]}}})),
        tool(&json!({"name": "for_both"})),
    ];
    let listing = Arc::new(ServerListing { tools, ..ServerListing::default() });
    let roster = RosterBuilder::new()
        .server(name("s"), ExposeSpec::default(), Some(listing), false)
        .build(Version::ZERO);
    assert_eq!(names(&roster), ["s_for_both"]);
    let target = CallTarget { server: Some(name("s")), tool: "for_app".to_owned() };
    assert!(matches!(roster.resolve(&target), Resolution::Unknown { .. }));
}

#[test]
fn t_nam_03_names_shared_by_servers_are_told_and_both_kept() {
    let bare = ExposeSpec { prefix: PrefixMode::None, ..ExposeSpec::default() };
    let roster = RosterBuilder::new()
        .server(name("b"), bare.clone(), Some(listing(&["search"], &[])), false)
        .server(name("a"), bare.clone(), Some(listing(&["search"], &[])), false)
        .server(name("off"), bare, Some(listing(&["search"], &[])), true)
        .build(Version::ZERO);
    assert_eq!(names(&roster), ["search", "search"]);
    let messages: Vec<_> = roster.problems().iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(messages, ["search is offered by b and a"]);
}

#[test]
fn servers_stand_in_their_order_and_the_first_of_a_name_stays() {
    let roster = RosterBuilder::new()
        .server(name("z"), ExposeSpec::default(), None, false)
        .server(name("a"), ExposeSpec::default(), Some(listing(&["x"], &[])), true)
        .server(name("z"), ExposeSpec::default(), Some(listing(&["y"], &[])), false)
        .build(Version::new(7));
    let servers: Vec<_> =
        roster.servers().map(|server| (server.name.as_str(), server.known, server.disabled)).collect();
    assert_eq!(servers, [("z", false, false), ("a", true, true)]);
    assert_eq!((roster.version(), roster.tools().count()), (Version::new(7), 0));
}

#[test]
fn unchanged_parts_are_taken_over() {
    let (same, other) = (listing(&["x"], &[]), listing(&["x"], &[]));
    let build = |previous: Option<&Arc<Roster>>, listing: &Arc<ServerListing>, prefix: PrefixMode| {
        let builder =
            previous.map_or_else(RosterBuilder::new, |previous| RosterBuilder::reusing(Arc::clone(previous)));
        let expose = ExposeSpec { prefix, ..ExposeSpec::default() };
        Arc::new(builder.server(name("s"), expose, Some(Arc::clone(listing)), false).build(Version::ZERO))
    };
    let first = build(None, &same, PrefixMode::Server);
    let part = |roster: &Roster| Arc::clone(roster.server("s").unwrap());
    let rows = [
        (&same, PrefixMode::Server, true),
        (&other, PrefixMode::Server, false),
        (&same, PrefixMode::Mcp, false),
    ];
    for (listing, prefix, expected) in rows {
        let next = build(Some(&first), listing, prefix);
        assert_eq!(Arc::ptr_eq(&part(&first), &part(&next)), expected, "{prefix:?}");
    }
}
