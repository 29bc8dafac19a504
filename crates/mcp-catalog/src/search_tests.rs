use mcp_types::{ToolSpec, Version};
use proptest::prelude::*;

use super::*;
use crate::{ExposeSpec, RosterBuilder, ServerListing};

fn tool(name: &str, description: &str) -> Arc<ToolSpec> {
    Arc::new(
        ToolSpec::parse(&serde_json::json!({"name": name, "description": description}).to_string()).unwrap(),
    )
}

/// A server: its name, its tools with descriptions, its keywords by pattern.
type Server<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [(&'a str, &'a str)]);

fn roster(servers: &[Server<'_>]) -> Roster {
    let mut builder = RosterBuilder::new();
    for (server, tools, keywords) in servers {
        let tools = tools.iter().map(|(name, description)| tool(name, description)).collect();
        let listing = ServerListing { tools, ..ServerListing::default() };
        let keywords =
            keywords.iter().map(|(key, word)| ((*key).to_owned(), vec![(*word).to_owned()])).collect();
        let expose = ExposeSpec { keywords, ..ExposeSpec::default() };
        builder = builder.server(ServerName::new(server).unwrap(), expose, Some(Arc::new(listing)), false);
    }
    builder.build(Version::ZERO)
}

fn screenshots() -> Roster {
    roster(&[
        ("chrome-devtools", &[("take_screenshot", "Take a screenshot of the page or element.")], &[]),
        ("figma", &[("get_screenshot", "Render a node to an image.")], &[]),
    ])
}

fn scores(roster: &Roster, text: &str) -> Vec<(String, i64)> {
    let page = search(roster, &SearchQuery::new(text)).unwrap();
    page.hits.into_iter().map(|hit| (hit.tool.reference.server.to_string(), hit.score)).collect()
}

#[test]
fn adapter_34_4_scores_of_screenshots() {
    let rows: [(&str, &[(&str, i64)]); 6] = [
        ("screenshot", &[("chrome-devtools", 303), ("figma", 253)]),
        ("take screenshot", &[("chrome-devtools", 481)]),
        ("take_screenshot", &[("chrome-devtools", 481)]),
        ("screenshots page", &[("chrome-devtools", 99)]),
        ("chrome", &[("chrome-devtools", 293)]),
        ("capture screenshot", &[]),
    ];
    let roster = screenshots();
    for (text, expected) in rows {
        let expected: Vec<_> =
            expected.iter().map(|(server, score)| ((*server).to_owned(), *score)).collect();
        assert_eq!(scores(&roster, text), expected, "{text}");
    }
}

#[test]
fn adapter_34_4_keywords_count() {
    let tools: &[(&str, &str)] = &[("search_code", "Find source snippets.")];
    let plain = roster(&[("github", tools, &[])]);
    assert_eq!(scores(&plain, "grep"), []);
    for word in ["grep", "gh"] {
        let keyed = roster(&[("github", tools, &[("search_code", word)])]);
        assert_eq!(scores(&keyed, word), [("github".to_owned(), 135)], "{word}");
    }
    assert_eq!(scores(&plain, "search code"), [("github".to_owned(), 441)]);
}

#[test]
fn an_empty_search_lists_one_server_and_refuses_all() {
    let roster = screenshots();
    assert_eq!(search(&roster, &SearchQuery::new(" ")).unwrap_err(), SearchError::EmptyQuery);
    let query = SearchQuery { server: Some(ServerName::new("figma").unwrap()), ..SearchQuery::new("") };
    assert_eq!(search(&roster, &query).unwrap().total, 1);
}

#[test]
fn adapter_13_9_patterns_look_at_names_and_descriptions() {
    let roster = screenshots();
    let pattern = |text: &str| SearchQuery { regex: true, ..SearchQuery::new(text) };
    assert_eq!(search(&roster, &pattern("^FIGMA_|element")).unwrap().total, 2);
    assert!(matches!(search(&roster, &pattern("(")).unwrap_err(), SearchError::InvalidPattern { .. }));
    let long = "a".repeat(257);
    assert_eq!(
        search(&roster, &pattern(&long)).unwrap_err(),
        SearchError::QueryTooLong { length: 257, limit: 256 }
    );
}

#[test]
fn adapter_15_keywords_count_in_patterns_but_not_in_suggestions() {
    let roster =
        roster(&[("github", &[("search_code", "Find source snippets.")], &[("search_code", "ripgrep")])]);
    let pattern = SearchQuery { regex: true, ..SearchQuery::new("RIP") };
    assert_eq!(search(&roster, &pattern).unwrap().total, 1);
    assert_eq!(suggest(&roster, "ripgrep", None), []);
}

#[test]
fn adapter_15_equal_scores_are_ordered_by_name() {
    let roster = roster(&[("s", &[("b_x", ""), ("c_x", ""), ("a_x", "")], &[])]);
    let page = search(&roster, &SearchQuery::new("x")).unwrap();
    let names: Vec<_> = page.hits.iter().map(|hit| hit.tool.name.as_str()).collect();
    assert_eq!(names, ["s_a_x", "s_b_x", "s_c_x"]);
}

#[test]
fn a_page_behind_the_end_is_empty_and_the_last() {
    let query = SearchQuery { offset: 9, limit: 0, ..SearchQuery::new("screenshot") };
    let page = search(&screenshots(), &query).unwrap();
    assert_eq!((page.total, page.has_more, page.next_offset, page.hits.len()), (2, false, None, 0));
}

#[test]
fn a_search_of_one_server_finds_no_other() {
    let query =
        SearchQuery { server: Some(ServerName::new("figma").unwrap()), ..SearchQuery::new("screenshot") };
    let page = search(&screenshots(), &query).unwrap();
    assert_eq!((page.total, page.hits[0].tool.reference.server.as_str()), (1, "figma"));
}

#[test]
fn a_slip_of_the_hand_is_suggested_first() {
    let roster = screenshots();
    let names: Vec<_> =
        suggest(&roster, "figma_get_screnshot", None).iter().map(ToString::to_string).collect();
    assert_eq!(names.first().map(String::as_str), Some("figma_get_screenshot"));
}

proptest! {
    #[test]
    fn pages_cover_every_hit_once(count in 0_usize..40, limit in 1_usize..9) {
        let names: Vec<String> = (0..count).map(|number| format!("tool_{number}")).collect();
        let tools: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
        let roster = roster(&[("s", &tools, &[])]);
        let mut seen = Vec::new();
        let mut offset = Some(0);
        while let Some(start) = offset {
            let page = search(&roster, &SearchQuery { limit, offset: start, ..SearchQuery::new("tool") }).unwrap();
            prop_assert_eq!(page.has_more, page.next_offset.is_some());
            seen.extend(page.hits.into_iter().map(|hit| hit.tool.name.to_string()));
            offset = page.next_offset;
        }
        prop_assert_eq!(seen.len(), count);
        seen.sort();
        seen.dedup();
        prop_assert_eq!(seen.len(), count);
    }

    #[test]
    fn any_text_is_searched_without_harm(text in "\\PC{0,60}") {
        let _answer = search(&screenshots(), &SearchQuery::new(text.clone()));
        let _answer = search(&screenshots(), &SearchQuery { regex: true, ..SearchQuery::new(text) });
    }
}
