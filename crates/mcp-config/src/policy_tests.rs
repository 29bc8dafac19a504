use serde_json::{Value, json};

use crate::load::tests::{User, loaded};
use crate::settings::Approvals;
use crate::snapshot::{Approval, ApproveTools};

fn settings(user: &Value, project: &Value) -> crate::ConfigSnapshot {
    loaded(&User(json!({ "settings": user })), &json!({ "settings": project }))
}

#[test]
fn a_project_only_narrows_the_allow_list() {
    let rows = [
        (json!({}), json!({"allow": ["a_*"]}), Some(vec!["a_*"])),
        (json!({"allow": ["a_*"]}), json!({}), Some(vec!["a_*"])),
        (json!({"allow": ["a_*", "b_*"]}), json!({"allow": ["b_*", "c_*"]}), Some(vec!["b_*"])),
        (json!({"allow": ["a_*"]}), json!({"allow": ["*"]}), Some(vec![])),
        (json!({"allow": ["*"]}), json!({"allow": ["a_*"]}), Some(vec!["a_*"])),
        (json!({}), json!({}), None),
    ];
    for (user, project, expected) in rows {
        let expected = expected.map(|patterns| patterns.into_iter().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(settings(&user, &project).settings.allow, expected, "{user} {project}");
    }
}

#[test]
fn a_project_never_asks_less() {
    let snapshot = settings(
        &json!({"approvals": "mutating", "strict": true}),
        &json!({"approvals": "off", "strict": false}),
    );
    assert_eq!((snapshot.settings.approvals, snapshot.settings.strict), (Approvals::Mutating, true));
    assert!(snapshot.diagnostics.iter().any(|told| told.code == "only_narrows"));
    let rows = [
        (json!(["a"]), json!(["b"]), ApproveTools::Matching(vec!["a".to_owned(), "b".to_owned()])),
        (json!(["a"]), json!(false), ApproveTools::Matching(vec!["a".to_owned()])),
        (json!(true), json!(["b"]), ApproveTools::All),
        (json!(false), json!(["b"]), ApproveTools::Matching(vec!["b".to_owned()])),
    ];
    for (user, project, expected) in rows {
        let found = settings(&json!({ "approveTools": user }), &json!({ "approveTools": project }));
        assert_eq!(found.settings.approve_tools, Some(expected), "{user} {project}");
    }
}

#[test]
fn a_user_file_may_change_what_another_user_file_says() {
    let shared = json!({"settings": {"allow": ["a"], "approvals": "mutating"}});
    let user = json!({"settings": {"allow": ["b"], "approvals": "off"}});
    let snapshot = crate::load::tests::loaded_from(&[("mcp.json", &shared), ("wharf.json", &user)]);
    assert_eq!(snapshot.settings.allow, Some(vec!["b".to_owned()]));
    assert_eq!(snapshot.settings.approvals, Approvals::Off);
}

#[test]
fn t_cfg_05_a_policy_that_cannot_be_read_is_the_narrowest() {
    let snapshot = settings(
        &json!({"allow": "a_*", "approvals": "mutatng", "approveTools": 1, "strict": "no"}),
        &json!({}),
    );
    assert_eq!(snapshot.settings.allow, Some(Vec::new()));
    assert_eq!(snapshot.settings.approvals, Approvals::Mutating);
    assert_eq!(snapshot.settings.approve_tools, Some(ApproveTools::All));
    assert!(snapshot.settings.strict);
    let codes: Vec<&str> = snapshot.diagnostics.iter().map(|told| told.code).collect();
    assert_eq!(codes.iter().filter(|code| **code == "wrong_type").count(), 3, "{codes:?}");
    assert_eq!(codes.iter().filter(|code| **code == "unknown_value").count(), 1, "{codes:?}");
}

fn approval_of(user: &Value, project: &Value) -> Option<Approval> {
    loaded(&User(user.clone()), project).server("s").unwrap().approval
}

#[test]
fn an_approval_of_a_project_never_asks_less() {
    let server = |approval: &str| json!({"mcpServers": {"s": {"command": "x", "approval": approval}}});
    let mutating = json!({"settings": {"approvals": "mutating"}});
    assert_eq!(approval_of(&json!({}), &server("never")), Some(Approval::Never));
    assert_eq!(approval_of(&mutating, &server("never")), Some(Approval::Policy));
    assert_eq!(approval_of(&mutating, &server("always")), Some(Approval::Always));
    assert_eq!(approval_of(&server("always"), &server("never")), Some(Approval::Always));
    assert_eq!(approval_of(&server("never"), &server("policy")), Some(Approval::Policy));
}

#[test]
fn adapter_34_6_a_servers_list_replaces_the_general_one_unless_a_project_wrote_it() {
    let general = json!({"settings": {"approveTools": ["g_*"]}, "mcpServers": {"s": {"command": "x", "approveTools": false}}});
    assert_eq!(
        loaded(&User(general), &json!({})).server("s").unwrap().approve_tools,
        Some(ApproveTools::None)
    );
    let general = json!({"settings": {"approveTools": ["g_*"]}});
    let project = json!({"mcpServers": {"s": {"command": "x", "approveTools": false}}});
    let found = loaded(&User(general), &project).server("s").unwrap().approve_tools.clone();
    assert_eq!(found, Some(ApproveTools::Matching(vec!["g_*".to_owned()])));
}
