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
        ("[a\\-c]", "b", false),
        ("[a\\-c]", "-", true),
        ("[a-]", "-", true),
        ("[^]a]", "a", false),
        ("[.]x", ".x", false),
        ("\\.x", ".x", true),
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

/// The obvious matcher over the text of a pattern: it shares no code with the real one, is exponential, and right.
fn naive(pattern: &[char], name: &[char]) -> bool {
    match (pattern, name) {
        ([], _) => name.is_empty(),
        (['*', rest @ ..], _) => (0..=name.len()).any(|taken| naive(rest, &name[taken..])),
        (_, []) => false,
        (['?', rest @ ..], [_, left @ ..]) => naive(rest, left),
        (['[', rest @ ..], [found, left @ ..]) => {
            let (accepted, rest) = naive_set(rest, *found);
            accepted && naive(rest, left)
        }
        (['\\', one, rest @ ..] | [one, rest @ ..], [found, left @ ..]) => one == found && naive(rest, left),
    }
}

fn naive_set(set: &[char], found: char) -> (bool, &[char]) {
    let (negated, mut rest) = match set {
        ['!' | '^', rest @ ..] => (true, rest),
        _ => (false, set),
    };
    let mut hit = false;
    let mut is_first = true;
    while is_first || rest[0] != ']' {
        is_first = false;
        let (from, after) = naive_member(rest);
        if after[0] == '-' && after[1] != ']' {
            let (to, after) = naive_member(&after[1..]);
            hit |= from <= found && found <= to;
            rest = after;
        } else {
            hit |= from == found;
            rest = after;
        }
    }
    (hit != negated, &rest[1..])
}

fn naive_member(set: &[char]) -> (char, &[char]) {
    if set[0] == '\\' { (set[1], &set[2..]) } else { (set[0], &set[1..]) }
}

fn pattern_text() -> impl Strategy<Value = String> {
    let pieces = vec![
        "a", "b", "c", "*", "?", "-", "\\*", "\\?", "\\[", "[ab]", "[!a]", "[^a]", "[a-c]", "[!a-b]",
        "[a\\-c]", "[]a]", "[!]]", "[a-]", "[-a]", "[c-a]", "[\\]]", "[*?]",
    ];
    proptest::collection::vec(proptest::sample::select(pieces), 1..7).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn agrees_with_the_obvious_matcher(text in pattern_text(), name in "[abc*?\\[\\]-]{0,7}") {
        let pattern = Pattern::new(&text).unwrap();
        let expected = naive(&text.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>());
        prop_assert_eq!(pattern.matches(&name), expected);
    }

    #[test]
    fn any_text_is_a_pattern_or_an_error(text in ".{0,20}", name in ".{0,20}") {
        if let Ok(pattern) = Pattern::new(&text) {
            pattern.matches(&name);
        }
    }

    #[test]
    fn a_name_matches_itself(name in "[A-Za-z0-9_/-]{1,40}") {
        prop_assert!(Pattern::new(&name).unwrap().matches(&name));
    }
}
