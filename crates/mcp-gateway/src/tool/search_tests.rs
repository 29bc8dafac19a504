use super::*;
use crate::tool::fixture::roster;

fn query(text: &str, limit: usize) -> SearchQuery {
    SearchQuery { limit, ..SearchQuery::new(text) }
}

fn found(query: &SearchQuery, style: Style) -> String {
    let page = mcp_catalog::search(&roster(), query).unwrap();
    hits(query, &page, style, |tool| tool.reference.tool.as_str() == "search_pages")
}

#[test]
fn adapter_13_8_hits_are_shown_in_full() {
    insta::assert_snapshot!(found(&query("docs", 12), Style::Full), @r#"
    Found 2 tools matching "docs":

    docs_read_intro
    The first page.
    No parameters.

    docs_search_pages (requires approval)
    Searches the pages. Understands phrases in quotes and negation with a minus sign.
    Shape: { q: string; limit?: number; }
    "#);
}

#[test]
fn adapter_13_8_a_page_says_where_the_next_one_begins() {
    insta::assert_snapshot!(found(&query("docs", 1), Style::Names), @r#"
    Found 2 tools matching "docs":
    - docs_read_intro - The first page.
    1 of 2 — offset: 1 for more
    "#);
}

#[test]
fn adapter_13_8_no_hit_names_what_was_not_searched() {
    let roster = roster();
    insta::assert_snapshot!(nothing(&query("zebra", 12), &unknown_servers(&roster, None), &["slow".to_owned()]), @r#"
    No tools matching "zebra". Try other words, or list a server: mcp({server: "name"}).
    Not searched, their tools are not known yet: new
    Next: mcp({connect: "new"})
    Still connecting, search again soon: slow
    "#);
}

#[test]
fn a_search_of_one_server_names_it() {
    let docs = ServerName::new("docs").unwrap();
    let query = SearchQuery { server: Some(docs.clone()), ..query("zebra", 12) };
    let unknown = unknown_servers(&roster(), Some(&docs));
    assert_eq!(
        nothing(&query, &unknown, &[]),
        "No tools matching \"zebra\" on docs. Try other words, or list a server: mcp({server: \"name\"}).",
    );
}
