use mcp_types::ServerName;
use proptest::prelude::*;

use super::*;

fn tools(names: &[&str]) -> Vec<ToolRef> {
    let server = ServerName::new("my-srv").unwrap();
    names.iter().map(|name| ToolRef { server: server.clone(), tool: name.parse().unwrap() }).collect()
}

fn shown(expose: &ExposeSpec, names: &[&str]) -> Vec<String> {
    let filter = Filter::new(expose, &tools(names));
    let shown = names.iter().enumerate().filter(|(position, _)| filter.shows(*position));
    shown.map(|(_, name)| (*name).to_owned()).collect()
}

fn patterns(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn adapter_12_exclude_comes_after_include() {
    let names = ["get-a", "get-b", "set-a"];
    let rows: [(&[&str], &[&str], &[&str]); 5] = [
        (&[], &[], &["get-a", "get-b", "set-a"]),
        (&["get-*"], &[], &["get-a", "get-b"]),
        (&["get-*"], &["*-b"], &["get-a"]),
        (&[], &["*"], &[]),
        (&["nothing"], &[], &[]),
    ];
    for (include, exclude, expected) in rows {
        let expose =
            ExposeSpec { include: patterns(include), exclude: patterns(exclude), ..ExposeSpec::default() };
        assert_eq!(shown(&expose, &names), expected, "{include:?} {exclude:?}");
    }
}

#[test]
fn adapter_12_every_spelling_selects() {
    let rows = [
        "get-a",
        "my-srv_get-a",
        "mcp__my-srv_get-a",
        "mcp__my-srv__get-a",
        "my_srv_get_a",
        "get_a",
        "mcp__my_srv__get_?",
        "*_get-a",
        "g?t-a",
    ];
    for pattern in rows {
        let expose = ExposeSpec { include: patterns(&[pattern]), ..ExposeSpec::default() };
        assert_eq!(shown(&expose, &["get-a", "get-b_"]), ["get-a"], "{pattern}");
    }
}

#[test]
fn adapter_12_an_older_spelling_yields_to_a_present_one() {
    let expose = ExposeSpec { include: patterns(&["get_a"]), ..ExposeSpec::default() };
    assert_eq!(shown(&expose, &["get-a"]), ["get-a"]);
    assert_eq!(shown(&expose, &["get-a", "get_a"]), ["get_a"]);
    let upper = ExposeSpec { include: patterns(&["GET-A"]), ..ExposeSpec::default() };
    assert!(shown(&upper, &["get-a"]).is_empty());
}

#[test]
fn adapter_15_words_of_all_matching_entries_are_joined() {
    let keywords = vec![
        ("get-*".to_owned(), patterns(&[" fetch ", "", "read"])),
        ("*-a".to_owned(), patterns(&["read", "alpha"])),
        ("set-*".to_owned(), patterns(&["write"])),
    ];
    let filter = Filter::new(&ExposeSpec { keywords, ..ExposeSpec::default() }, &tools(&["get-a", "set-b"]));
    assert_eq!(
        (filter.keywords(0), filter.keywords(1)),
        (patterns(&["fetch", "read", "alpha"]), patterns(&["write"]))
    );
}

#[test]
fn adapter_12_tools_for_app_views_alone_are_hidden() {
    let rows = [
        (r#"{"name":"t"}"#, false),
        (r#"{"name":"t","_meta":{"ui":{}}}"#, false),
        (r#"{"name":"t","_meta":{"ui":{"visibility":["model","app"]}}}"#, false),
        (r#"{"name":"t","_meta":{"ui":{"visibility":["model"]}}}"#, false),
        (r#"{"name":"t","_meta":{"ui":{"visibility":["app"]}}}"#, true),
        (r#"{"name":"t","_meta":{"ui":{"visibility":[]}}}"#, true),
        (r#"{"name":"t","_meta":{"ui":{"visibility":"model"}}}"#, true),
        (r#"{"name":"t","_meta":{"ui":{"visibility":["model",7]}}}"#, true),
    ];
    for (text, expected) in rows {
        assert_eq!(is_hidden_from_models(&ToolSpec::parse(text).unwrap()), expected, "{text}");
    }
}

fn by_definition(pattern: &[char], name: &[char]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some(('*', rest)), None) => by_definition(rest, name),
        (Some(('*', rest)), Some((_, left))) => by_definition(rest, name) || by_definition(pattern, left),
        (Some((expected, rest)), Some((found, left))) => {
            (*expected == '?' || expected == found) && by_definition(rest, left)
        }
        (None, Some(_)) | (Some(_), None) => false,
    }
}

proptest! {
    #[test]
    fn a_glob_matches_by_its_definition(pattern in "[abä*?]{0,6}", name in "[abä]{0,8}") {
        let expected = by_definition(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>());
        prop_assert_eq!(Glob::new(&pattern).matches(&name), expected);
    }
}
