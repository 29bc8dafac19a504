use proptest::prelude::*;

use super::*;

fn env() -> BTreeMap<String, String> {
    [("A", "one"), ("B", "${A}"), ("EMPTY", "")].map(|(key, value)| (key.to_owned(), value.to_owned())).into()
}

fn check(text: &str, expected: &str, missing: &[&str]) {
    let expanded = expand(text, &env(), Path::new("/home/ada"), Dialect::Wharf);
    assert_eq!(
        (expanded.text.as_str(), expanded.missing),
        (expected, missing.iter().map(|name| (*name).to_owned()).collect()),
        "{text:?}"
    );
}

#[test]
fn fc_087_every_documented_spelling_is_one_variable() {
    for text in
        ["${A}", "${env:A}", "$env:A", "{env:A}", "${A:-two}", "${env:A:-two}", "${NO:-one}", "${NO:-${A}}"]
    {
        check(text, "one", &[]);
    }
    check("a ${A}-${A} b", "a one-one b", &[]);
    check("$env:A/x", "one/x", &[]);
}

#[test]
fn fc_087_what_a_variable_holds_is_not_expanded_again() {
    check("${B}", "${A}", &[]);
}

#[test]
fn fc_087_a_default_stands_for_an_unset_or_empty_variable() {
    check("${EMPTY}", "", &[]);
    check("${EMPTY:-x}", "x", &[]);
    check("${NO:-}", "", &[]);
    check("${NO:-{\"a\":{}}}", "{\"a\":{}}", &[]);
}

#[test]
fn adapter_2_1_missing_variables_are_named_once_each() {
    check("x${NO}y${NO}$env:NEIN", "xy", &["NO", "NEIN"]);
    check("${NO:-${NEIN}}", "", &["NEIN"]);
}

#[test]
fn fc_087_foreign_and_broken_spellings_stay() {
    for text in [
        "$A",
        "%A%",
        "${input:x}",
        "${",
        "${}",
        "${A",
        "$",
        "{",
        "{env:}",
        "{env:A",
        "${a-b}",
        "$env:",
        "${A:-",
        "a{b}$c",
    ] {
        check(text, text, &[]);
    }
    check("$${A}", "$one", &[]);
    assert_eq!(segments("${input:x}", Dialect::Wharf), [Segment::Foreign("${input:x}")]);
}

#[test]
fn adapter_2_4_a_tilde_is_the_home_only_at_the_start() {
    check("~", "/home/ada", &[]);
    check("~/x", "/home/ada/x", &[]);
    check("~bob/x", "~bob/x", &[]);
    check("x/~", "x/~", &[]);
    assert_eq!(expand_value("~/x", &env(), Dialect::Wharf).text, "~/x");
}

#[test]
fn adapter_2_5_and_2_6_one_mark_is_a_command_and_two_are_a_literal() {
    let source = |text| secret(text, &env(), Dialect::Wharf).source;
    assert_eq!(source("!echo ${A}"), SecretSource::Command(Secret::new("echo ${A}".to_owned())));
    assert_eq!(source("!!${A}"), SecretSource::Literal(Secret::new("!one".to_owned())));
    assert_eq!(source("!!!x"), SecretSource::Literal(Secret::new("!!x".to_owned())));
    assert_eq!(source("x!"), SecretSource::Literal(Secret::new("x!".to_owned())));
}

#[test]
fn debug_hides_the_text() {
    let expanded = expand_value("hunter2", &env(), Dialect::Wharf);
    assert!(!format!("{expanded:?}").contains("hunter2"));
}

fn join(text: &str) -> String {
    let piece = |segment: &Segment<'_>| match segment {
        Segment::Literal(text) | Segment::Foreign(text) | Segment::Variable { written: text, .. } => {
            (*text).to_owned()
        }
    };
    segments(text, Dialect::Wharf).iter().map(piece).collect()
}

proptest! {
    #[test]
    fn a_text_without_marks_stays(text in "[^${~!]*") {
        prop_assert_eq!(expand(&text, &env(), Path::new("/h"), Dialect::Wharf).text, text.clone());
        prop_assert_eq!(secret(&text, &env(), Dialect::Wharf).source, SecretSource::Literal(Secret::new(text)));
    }

    #[test]
    fn pieces_join_to_the_text(text in ".*") {
        prop_assert_eq!(join(&text), text);
    }

    #[test]
    fn pieces_of_marks_join_to_the_text(text in "[${}:A_env\\-ä~!]{0,40}") {
        prop_assert_eq!(join(&text), text);
    }
}
