use mcp_testkit::{Answer, Script};
use mcp_types::SessionId;
use serde_json::json;

use super::*;
use crate::testing::Bench;

fn script() -> Script {
    Script::new()
        .simple_tool("echo")
        .simple_tool("fail")
        .answer("fail", Answer::ToolError("no such file".to_owned()))
        .instructions("Be gentle.")
}

async fn ask(bench: &Bench, parameters: Value) -> ToolOutput {
    let caller = Caller { runtime: bench.runtime.clone(), session: SessionId::new("test"), progress: None };
    let Value::Object(parameters) = parameters else { panic!("parameters are an object") };
    dispatch(&caller, parameters).await
}

async fn text(bench: &Bench, parameters: Value) -> String {
    let output = ask(bench, parameters).await;
    assert!(!output.is_error, "{}", output.joined_text());
    output.joined_text()
}

async fn code(bench: &Bench, parameters: Value) -> String {
    let output = ask(bench, parameters).await;
    assert!(output.is_error, "{}", output.joined_text());
    let structured: Value = serde_json::from_str(output.structured_content.unwrap().get()).unwrap();
    structured["error"]["code"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn adapter_13_6_status_connects_nothing() {
    let bench = Bench::new(script()).await;
    insta::assert_snapshot!(text(&bench, json!({})).await, @r#"
    MCP: 0/1 server, 0 tools
    ○ demo (not connected)
    mcp({server: "name"}) lists tools, mcp({search: "words"}) finds them.
    "#);
    assert_eq!(bench.connector.dials("demo"), 0);
}

#[tokio::test]
async fn adapter_13_7_a_list_connects_nothing() {
    let bench = Bench::new(script()).await;
    assert_eq!(code(&bench, json!({"server": "demo"})).await, "not_connected");
    assert_eq!(bench.connector.dials("demo"), 0);
}

#[tokio::test]
async fn adapter_13_15_connect_gives_the_list_and_refreshes_what_is_connected() {
    let bench = Bench::new(script()).await;
    let list = text(&bench, json!({"connect": "demo"})).await;
    insta::assert_snapshot!(list, @r"
    demo (2 tools):
    - demo_echo - The tool echo.
    - demo_fail - The tool fail.
    Instructions: Be gentle.
    ");
    assert_eq!(text(&bench, json!({"connect": "demo"})).await, list);
    assert_eq!(bench.connector.dials("demo"), 2);
}

#[tokio::test]
async fn adapter_13_11_a_call_connects_what_it_needs() {
    let bench = Bench::new(script()).await;
    assert_eq!(text(&bench, json!({"tool": "demo_echo", "args": "{\"n\": 1}"})).await, "{\"n\":1}");
    assert_eq!(bench.connector.dials("demo"), 1);
}

#[tokio::test]
async fn s4_own_names_count_where_the_server_is_fixed() {
    let bench = Bench::connected(script()).await;
    assert_eq!(text(&bench, json!({"tool": "echo", "server": "demo"})).await, "{}");
    assert_eq!(code(&bench, json!({"tool": "echo"})).await, "tool_not_found");
}

#[tokio::test]
async fn adapter_13_13_a_failing_tool_shows_what_it_expects() {
    let bench = Bench::connected(script()).await;
    let output = ask(&bench, json!({"tool": "demo_fail"})).await;
    assert!(output.is_error);
    insta::assert_snapshot!(output.joined_text(), @r"
    Error: no such file
    Expected parameters:
    { text?: string; }
    ");
}

#[tokio::test]
async fn s4_a_failure_is_a_result_with_a_code() {
    let bench = Bench::connected(script()).await;
    assert_eq!(code(&bench, json!({"tool": "demo_ecko"})).await, "tool_not_found");
    assert_eq!(code(&bench, json!({"server": "dema"})).await, "server_not_found");
    assert_eq!(code(&bench, json!({"connect": "nowhere"})).await, "server_not_found");
    assert_eq!(code(&bench, json!({"search": ""})).await, "empty_query");
    assert_eq!(code(&bench, json!({"search": "(", "regex": true})).await, "invalid_pattern");
    assert_eq!(code(&bench, json!({"tool": "demo_echo", "args": "["})).await, "invalid_arguments");
    assert_eq!(code(&bench, json!({"args": {"a": 1}})).await, "invalid_request");
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_a_failure_with_a_code() {
    let bench = Bench::with_servers(script(), &["ghost"]).await;
    assert_eq!(code(&bench, json!({"connect": "ghost"})).await, "connect_failed");
}

#[tokio::test]
async fn adapter_13_8_a_search_without_hits_is_no_failure() {
    let bench = Bench::connected(script()).await;
    assert!(text(&bench, json!({"search": "zebra"})).await.starts_with("No tools matching \"zebra\"."));
    let found = text(&bench, json!({"search": "echo", "includeSchemas": false})).await;
    assert_eq!(found, "Found 1 tool matching \"echo\":\n- demo_echo - The tool echo.");
}

#[tokio::test]
async fn describe_learns_an_unknown_list() {
    let bench = Bench::new(script()).await;
    insta::assert_snapshot!(text(&bench, json!({"describe": "demo_echo"})).await, @r"
    demo_echo
    Server: demo
    The tool echo.
    Shape: { text?: string; }
    ");
}

#[tokio::test]
async fn instructions_are_given_in_full() {
    let bench = Bench::connected(script()).await;
    assert_eq!(text(&bench, json!({"instructions": "demo"})).await, "Be gentle.");
}
