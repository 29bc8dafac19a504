//! What a person meets when something is wrong: the right code, the reason, the next step.

use std::time::Duration;

use serde_json::json;

use crate::support::{Home, stub_server};

#[test]
fn an_unknown_tool_names_the_near_ones() {
    let home = Home::with_stub("echo");
    home.run(&["connect", "stub"]).ok();
    let run = home.run(&["call", "stub_ehco", "text=x"]);
    assert_eq!(run.code(), 3);
    assert!(run.stderr().contains("wharf list"), "{}", run.stderr());
    let error = home.run(&["call", "stub_ech", "--json"]).json();
    assert_eq!(error["error"]["code"], "tool_not_found");
    assert_eq!(error["error"]["suggestions"], json!(["stub_echo"]));
}

#[test]
fn an_unknown_server_names_the_near_ones() {
    let home = Home::with_stub("echo");
    let run = home.run(&["list", "stubb", "--json"]);
    assert_eq!(run.code(), 3);
    assert_eq!(run.json()["error"]["suggestions"], json!(["stub"]));
}

#[test]
fn a_server_that_cannot_start_tells_command_status_and_stderr_and_harms_no_other() {
    let stub = stub_server();
    let home = Home::new(&json!({
        "broken": {"command": stub, "args": ["exit"]},
        "good": {"command": stub, "args": ["echo"]},
    }));
    let run = home.run(&["call", "broken_echo", "text=x"]);
    assert_eq!(run.code(), 6, "{}", run.stderr());
    let text = run.stderr();
    for part in ["stub-server", "3", "cannot go on"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert_eq!(home.run(&["call", "good_echo", "text=well"]).ok().stdout(), "well\n");
}

#[test]
fn a_command_that_does_not_exist_is_named() {
    let home = Home::new(&json!({"ghost": {"command": "no-such-program-anywhere"}}));
    let run = home.run(&["connect", "ghost"]);
    assert_eq!(run.code(), 6);
    assert!(run.stderr().contains("no-such-program-anywhere"), "{}", run.stderr());
}

#[test]
fn t_call_15_noise_on_standard_output_is_skipped() {
    let home = Home::with_stub("noisy");
    assert_eq!(home.run(&["call", "stub_echo", "text=clear"]).ok().stdout(), "clear\n");
}

#[test]
fn t_call_07_a_second_answer_to_the_same_call_is_dropped() {
    let home = Home::with_stub("late");
    assert_eq!(home.run(&["call", "stub_echo", "text=first"]).ok().stdout(), "first\n");
}

#[test]
fn t_call_08_an_answer_with_a_foreign_id_is_nobodys() {
    let home = Home::with_stub("wrong-id");
    assert_eq!(home.run(&["call", "stub_echo", "text=mine"]).ok().stdout(), "mine\n");
}

#[test]
fn a_broken_answer_ends_its_call_with_a_clear_error() {
    let home = Home::with_stub("garbage");
    let run = home.run(&["call", "stub_echo", "text=x", "--json"]);
    assert_eq!(run.code(), 6);
    assert_eq!(run.json()["error"]["code"], "protocol_error");
}

#[test]
fn t_call_02_a_silent_tool_is_bounded() {
    let home = Home::with_stub("silent");
    let run = home.run(&["--timeout", "1", "call", "stub_echo", "text=x", "--json"]);
    assert_eq!(run.code(), 6);
    assert_eq!(run.json()["error"]["code"], "timeout");
    home.wait_until_empty(Duration::from_secs(5));
}

#[test]
fn a_server_that_ends_in_the_call_is_an_error_of_that_call() {
    let home = Home::with_stub("crash");
    let run = home.run(&["call", "stub_echo", "text=x"]);
    assert_eq!(run.code(), 6);
    assert!(run.stderr().contains("stub"), "{}", run.stderr());
}

#[test]
fn arguments_that_are_no_object_are_a_usage_error() {
    let home = Home::with_stub("echo");
    let run = home.run(&["call", "stub_echo", "--args", "[1]"]);
    assert_eq!(run.code(), 2, "{}", run.stderr());
}

#[test]
fn a_denied_tool_is_exit_5() {
    let home = Home::new(&json!({}));
    let config = json!({"mcpServers": {"stub": {"command": stub_server(), "args": ["echo"]}}, "settings": {"allow": ["other_*"]}});
    home.write(".mcp.json", &config.to_string());
    let run = home.run(&["call", "stub_echo", "text=x", "--json"]);
    assert_eq!(run.code(), 5);
    assert_eq!(run.json()["error"]["code"], "not_allowed");
}

#[test]
fn an_approval_that_nobody_can_give_is_a_no() {
    let home =
        Home::new(&json!({"stub": {"command": stub_server(), "args": ["echo"], "approval": "always"}}));
    let run = home.run(&["call", "stub_echo", "text=x", "--json"]);
    assert_eq!(run.code(), 5);
    assert_eq!(run.json()["error"]["code"], "approval_required");
}
