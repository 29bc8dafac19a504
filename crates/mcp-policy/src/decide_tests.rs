use std::sync::Arc;

use mcp_types::{Digest, ServerName, SessionId, ToolName};
use proptest::prelude::*;

use super::*;
use crate::grants::GrantScope;
use crate::rules::ServerRules;

fn patterns(texts: &[&str]) -> Vec<Pattern> {
    texts.iter().map(|text| Pattern::new(text).unwrap()).collect()
}

fn facts(server: &str, tool: &str) -> Facts {
    Facts {
        tool: ToolRef { server: ServerName::new(server).unwrap(), tool: ToolName::new(tool).unwrap() },
        names: vec![tool.to_owned(), format!("{server}_{tool}"), format!("mcp__{server}__{tool}")],
        read_only: false,
        arguments: Digest::of_json("{}"),
        definition: Digest::of_json("{\"name\":1}"),
        session: SessionId::new("s"),
        narrowed: Vec::new(),
    }
}

fn with_server(server: &str, rules: ServerRules) -> PolicyRules {
    PolicyRules { servers: [(ServerName::new(server).unwrap(), rules)].into(), ..PolicyRules::default() }
}

fn is_denied(decision: &Decision) -> bool {
    matches!(decision, Decision::Deny { code: ErrorCode::NotAllowed, .. })
}

#[test]
fn without_rules_everything_runs() {
    assert_eq!(decide(&PolicyRules::default(), &Grants::default(), &facts("a", "b")), Decision::Allow);
    assert!(PolicyRules::default().admits_everything());
}

#[test]
fn t_pol_01_an_allow_list_denies_what_it_does_not_name() {
    let rules = PolicyRules { allow: Some(patterns(&["mcp__nexus__*"])), ..PolicyRules::default() };
    assert_eq!(decide(&rules, &Grants::default(), &facts("nexus", "search")), Decision::Allow);
    assert!(is_denied(&decide(&rules, &Grants::default(), &facts("other", "search"))));
    let empty = PolicyRules { allow: Some(Vec::new()), ..PolicyRules::default() };
    assert!(is_denied(&decide(&empty, &Grants::default(), &facts("nexus", "search"))));
}

#[test]
fn t_apr_03_the_allow_list_settles_before_anyone_is_asked() {
    let mut rules = with_server("a", ServerRules { approval: ApprovalMode::Always, approve_tools: None });
    rules.allow = Some(patterns(&["other"]));
    assert!(is_denied(&decide(&rules, &Grants::default(), &facts("a", "b"))));
}

#[test]
fn t_pol_04_a_caller_only_narrows() {
    let rules = PolicyRules { allow: Some(patterns(&["a_*"])), ..PolicyRules::default() };
    let mut wide = facts("b", "c");
    wide.narrowed = vec![Arc::from(patterns(&["*"]))];
    assert!(is_denied(&decide(&rules, &Grants::default(), &wide)));
    let mut narrow = facts("a", "c");
    narrow.narrowed = vec![Arc::from(patterns(&["a_*"])), Arc::from(patterns(&["a_d"]))];
    assert!(is_denied(&decide(&rules, &Grants::default(), &narrow)));
}

#[test]
fn t_apr_01_the_truth_table_of_approval() {
    let rows = [
        (ApprovalMode::Never, true, false, None),
        (ApprovalMode::Policy, false, false, None),
        (ApprovalMode::Policy, true, false, Some(AskReason::Mutating)),
        (ApprovalMode::Policy, true, true, None),
        (ApprovalMode::Always, false, true, Some(AskReason::Always)),
    ];
    for (approval, approve_mutating, read_only, expected) in rows {
        let mut rules = with_server("a", ServerRules { approval, approve_tools: None });
        rules.approve_mutating = approve_mutating;
        let facts = Facts { read_only, ..facts("a", "b") };
        let expected = expected.map_or(Decision::Allow, |reason| Decision::Ask { reason });
        assert_eq!(
            decide(&rules, &Grants::default(), &facts),
            expected,
            "{approval:?} {approve_mutating} {read_only}"
        );
    }
}

#[test]
fn t_apr_01_always_asks_for_each_call() {
    let rules = with_server("a", ServerRules { approval: ApprovalMode::Always, approve_tools: None });
    let facts = Facts { read_only: true, ..facts("a", "b") };
    let mut grants = Grants::default();
    grants.add(&facts, GrantScope::Call);
    grants.add(&facts, GrantScope::Server);
    assert_eq!(decide(&rules, &grants, &facts), Decision::Ask { reason: AskReason::Always });
}

#[test]
fn a_grant_for_a_server_covers_its_other_tools_until_it_is_forgotten() {
    let rules = PolicyRules { approve_mutating: true, ..PolicyRules::default() };
    let ask = Decision::Ask { reason: AskReason::Mutating };
    let mut grants = Grants::default();
    grants.add(&facts("a", "b"), GrantScope::Server);
    assert_eq!(decide(&rules, &grants, &facts("a", "later")), Decision::Allow);
    assert_eq!(decide(&rules, &grants, &facts("other", "b")), ask);
    grants.forget_server(&ServerName::new("a").unwrap());
    assert_eq!(decide(&rules, &grants, &facts("a", "b")), ask);
}

#[test]
fn a_grant_never_beats_the_allow_list() {
    let rules = PolicyRules { allow: Some(patterns(&["b_*"])), ..PolicyRules::default() };
    let mut grants = Grants::default();
    grants.add(&facts("a", "b"), GrantScope::Server);
    assert!(is_denied(&decide(&rules, &grants, &facts("a", "b"))));
}

#[test]
fn adapter_34_6_a_servers_own_list_replaces_the_general_one() {
    let mut rules = with_server(
        "github",
        ServerRules {
            approve_tools: Some(ApproveTools::Matching(patterns(&["delete_*"]))),
            ..ServerRules::default()
        },
    );
    rules.servers.insert(
        ServerName::new("docs").unwrap(),
        ServerRules { approve_tools: Some(ApproveTools::None), ..ServerRules::default() },
    );
    rules.approve_tools = Some(ApproveTools::Matching(patterns(&["*_create_*", "docs_*"])));
    let ask = Decision::Ask { reason: AskReason::Named };
    assert_eq!(decide(&rules, &Grants::default(), &facts("github", "delete_repo")), ask);
    assert_eq!(decide(&rules, &Grants::default(), &facts("github", "create_repo")), Decision::Allow);
    assert_eq!(decide(&rules, &Grants::default(), &facts("docs", "create_page")), Decision::Allow);
    assert_eq!(decide(&rules, &Grants::default(), &facts("other", "create_page")), ask.clone());
}

#[test]
fn a_grant_holds_for_the_same_definition_and_arguments_only() {
    let rules = PolicyRules { approve_mutating: true, ..PolicyRules::default() };
    let mut grants = Grants::default();
    let granted = facts("a", "b");
    grants.add(&granted, GrantScope::Call);
    assert_eq!(decide(&rules, &grants, &granted), Decision::Allow);
    let other_arguments = Facts { arguments: Digest::of_json("{\"x\":1}"), ..granted.clone() };
    let other_definition = Facts { definition: Digest::of_json("{}"), ..granted.clone() };
    let other_session = Facts { session: SessionId::new("t"), ..granted };
    for facts in [other_arguments, other_definition, other_session] {
        assert_eq!(decide(&rules, &grants, &facts), Decision::Ask { reason: AskReason::Mutating });
    }
}

proptest! {
    #[test]
    fn no_list_of_a_caller_ever_widens(allow in "[ab*_]{1,5}", own in "[ab*_]{1,5}", tool in "[ab_]{1,5}") {
        let Ok(pattern) = Pattern::new(&allow) else { return Ok(()) };
        let rules = PolicyRules { allow: Some(vec![pattern]), ..PolicyRules::default() };
        let plain = facts("s", &tool);
        let narrowed = Facts { narrowed: vec![Arc::from(patterns(&[&own]))], ..plain.clone() };
        if is_denied(&decide(&rules, &Grants::default(), &plain)) {
            prop_assert!(is_denied(&decide(&rules, &Grants::default(), &narrowed)));
        }
    }
}
