use super::*;
use crate::tool::fixture::roster;

fn described(name: &str, requires_approval: bool) -> String {
    let roster = roster();
    let tool = roster.tools().find(|tool| tool.name.as_str() == name).unwrap();
    text(tool, requires_approval)
}

#[test]
fn adapter_13_10_a_tool_is_shown_with_its_whole_description() {
    insta::assert_snapshot!(described("docs_search_pages", true), @"
    docs_search_pages (requires approval)
    Server: docs
    Searches the pages.
    Understands phrases in quotes and negation with a minus sign.
    Shape: { q: string; limit?: number; }
    ");
}

#[test]
fn adapter_13_10_a_resource_is_shown_with_its_uri() {
    insta::assert_snapshot!(described("docs_read_intro", false), @"
    docs_read_intro
    Server: docs
    Resource: docs://intro
    The first page.
    No parameters.
    ");
}
