use serde_json::json;

use super::*;
use crate::tool::fixture::{listing, roster, roster_of};

/// The o200k encoding takes about 4 characters of this text for a token; measured: 193 tokens for 785 characters.
fn check_tokens(roster: &Roster, limit: usize) {
    let text = render(roster);
    let tokens = text.chars().count() / 4;
    assert!(tokens + 20 < limit, "about {tokens} tokens:\n{text}");
}

#[test]
fn s4_the_definition_without_servers_costs_less_than_250_tokens() {
    check_tokens(&roster_of(Vec::new()), 250);
}

#[test]
fn s4_the_definition_with_20_servers_costs_less_than_350_tokens() {
    let names: Vec<String> = (0..20).map(|number| format!("a-server-with-a-long-name-{number}")).collect();
    let servers = names.iter().map(|name| (name.as_str(), Some(listing(&[json!({"name": "t"})])), false));
    check_tokens(&roster_of(servers.collect()), 350);
}

#[test]
fn adapter_13_5_the_description_names_servers_and_no_tool() {
    insta::assert_snapshot!(description(&roster()), @r#"
    Search, describe and call the tools of the mounted MCP servers. They are not listed here: search first.
    Servers: docs (2 tools), new
    Modes: {search:"words"} finds tools, {describe:"tool"} shows parameters, {tool:"name",args:{}} calls, {server:"name"} lists tools, {instructions:"server"}, {connect:"server"}, {} status.
    The first given counts: tool, connect, describe, instructions, search, server.
    "#);
}

#[test]
fn servers_beyond_the_budget_are_counted() {
    let names: Vec<String> = (0..40).map(|number| format!("server-{number}")).collect();
    let servers = names.iter().map(|name| (name.as_str(), Some(listing(&[])), false)).collect();
    let roster = roster_of(servers);
    let servers: Vec<&Arc<ServerRoster>> = roster.servers().collect();
    let line = servers_line(&servers);
    assert!(line.starts_with("server-0 (0 tools), server-1 (0), "), "{line}");
    assert!(line.ends_with(", 23 more"), "{line}");
}

#[test]
fn s4_the_same_catalogue_gives_the_same_bytes() {
    assert_eq!(render(&roster()), render(&roster()));
}
