use serde_json::json;

use super::*;
use crate::tool::fixture::{listing, roster, roster_of};

fn listed(server: &str, connected: bool) -> Result<String, ErrorCode> {
    text(roster().server(server).unwrap(), connected).map_err(|error| error.code())
}

#[test]
fn adapter_13_7_a_list_has_a_line_per_tool() {
    insta::assert_snapshot!(listed("docs", true).unwrap(), @"
    docs (2 tools):
    - docs_search_pages - Searches the pages. Understands phrases in quotes...
    - docs_read_intro - The first page.
    Instructions: Read the intro first. Then search.
    ");
}

#[test]
fn adapter_13_7_a_sleeping_server_says_so() {
    let text = listed("docs", false).unwrap();
    assert_eq!(text.lines().next(), Some("docs (2 tools, not connected, cached):"));
}

#[test]
fn adapter_13_7_what_was_never_connected_cannot_be_listed() {
    assert_eq!(listed("new", false), Err(ErrorCode::NotConnected));
    assert_eq!(listed("off", false), Err(ErrorCode::ServerDisabled));
}

#[test]
fn adapter_13_7_a_server_without_tools_says_so() {
    let roster = roster_of(vec![("bare", Some(listing(&[])), false)]);
    let bare = roster.server("bare").unwrap();
    assert_eq!(text(bare, true).unwrap(), "bare has no tools.");
    assert_eq!(text(bare, false).unwrap(), "bare has no tools, not connected, cached.");
}

#[test]
fn adapter_13_7_long_instructions_are_cut_and_pointed_to() {
    let mut chatty = listing(&[json!({"name": "t"})]);
    chatty.instructions = Some("word ".repeat(200));
    let roster = roster_of(vec![("chatty", Some(chatty), false)]);
    let text = text(roster.server("chatty").unwrap(), true).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[2].len() < 330 && lines[2].ends_with("word..."), "{text}");
    assert_eq!(lines[3], "In full: mcp({instructions: \"chatty\"})");
}
