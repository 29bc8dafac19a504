use proptest::prelude::*;

use super::*;

#[test]
fn t_pol_02_patterns_match_whole_names() {
    let rows = [
        ("mcp__n__*", "mcp__n__.x", true),
        ("mcp__n__*", "mcp__n__a/b", true),
        ("mcp__n__*", "mcp__n__x__y", true),
        ("*", ".x", false),
        (".*", ".x", true),
        ("*", "x", true),
        ("a?c", "abc", true),
        ("a?c", "ac", false),
        ("a[b-d]e", "ace", true),
        ("a[!b-d]e", "ace", false),
        ("a\\*", "a*", true),
        ("a\\*", "ab", false),
        ("A", "a", false),
        ("a", "ab", false),
        ("*_delete_*", "gh_delete_repo", true),
        ("[]]", "]", true),
        ("{a,b}", "a", false),
    ];
    for (pattern, name, expected) in rows {
        assert_eq!(Pattern::new(pattern).unwrap().matches(name), expected, "{pattern} on {name}");
    }
}

#[test]
fn malformed_patterns_are_refused() {
    let rows =
        [("", PatternError::Empty), ("[ab", PatternError::OpenSet), ("a\\", PatternError::DanglingEscape)];
    for (text, expected) in rows {
        assert_eq!(Pattern::new(text).unwrap_err(), expected, "{text}");
    }
}

#[test]
fn many_stars_stay_fast() {
    let pattern = Pattern::new(&"*a".repeat(200)).unwrap();
    assert!(!pattern.matches(&"b".repeat(20_000)));
}

/// The obvious matcher, exponential and right.
fn naive(tokens: &[Token], name: &[char]) -> bool {
    match (tokens, name) {
        ([], []) => true,
        ([Token::Any, rest @ ..], _) => naive(rest, name) || (!name.is_empty() && naive(tokens, &name[1..])),
        ([one, rest @ ..], [found, left @ ..]) => accepts(one, *found) && naive(rest, left),
        _ => false,
    }
}

proptest! {
    #[test]
    fn agrees_with_the_obvious_matcher(pattern in "[ab*?]{1,8}", name in "[ab]{0,8}") {
        let pattern = Pattern::new(&pattern).unwrap();
        let characters: Vec<char> = name.chars().collect();
        prop_assert_eq!(pattern.matches(&name), naive(&pattern.tokens, &characters));
    }

    #[test]
    fn a_name_matches_itself(name in "[A-Za-z0-9_/-]{1,40}") {
        prop_assert!(Pattern::new(&name).unwrap().matches(&name));
    }
}
