use mcp_testkit::{Answer, Script};
use serde_json::{Value, json};

use crate::testing::{Bench, LineClient, text_of};

fn script() -> Script {
    Script::new().simple_tool("echo")
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap()
}

#[tokio::test]
async fn p_132_a_known_version_is_taken_and_another_gets_our_newest() {
    let bench = Bench::new(script()).await;
    let rows = [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ];
    for (asked, given) in rows {
        let mut client = LineClient::unopened(&bench.runtime);
        let answer = client.initialize(asked).await;
        assert_eq!(answer["protocolVersion"], given, "{asked}");
        assert_eq!(answer["serverInfo"]["name"], "wharf");
        assert_eq!(answer["capabilities"], json!({"tools": {"listChanged": true}}));
        client.leave().await.unwrap();
    }
}

#[tokio::test]
async fn before_initialize_only_a_ping_is_answered_and_nothing_kills_the_session() {
    let bench = Bench::new(script()).await;
    let mut client = LineClient::unopened(&bench.runtime);
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    client.send(json!({"jsonrpc": "2.0", "id": "unasked", "result": {}})).await;
    assert_eq!(client.request("ping", json!({})).await, json!({}));
    assert_eq!(code(&client.request("tools/list", json!({})).await), -32600);
    assert_eq!(code(&client.request("server/discover", json!({})).await), -32601);
    assert_eq!(code(&client.request("initialize", json!({})).await), -32602);
    assert_eq!(client.initialize("2025-11-25").await["protocolVersion"], "2025-11-25");
    client.leave().await.unwrap();
}

#[tokio::test]
async fn a_session_lists_one_tool_and_runs_its_modes() {
    let bench = Bench::connected(script()).await;
    let mut client = LineClient::open(&bench.runtime).await;
    let list = client.request("tools/list", json!({})).await;
    assert_eq!(list["tools"].as_array().unwrap().len(), 1);
    assert_eq!(list["tools"][0]["name"], "mcp");
    assert!(text_of(&client.mcp(json!({})).await).starts_with("MCP: 1/1 server, 1 tool\n✓ demo (1 tool)"));
    assert!(text_of(&client.mcp(json!({"search": "echo"})).await).starts_with("Found 1 tool"));
    assert!(
        text_of(&client.mcp(json!({"describe": "demo_echo"})).await).starts_with("demo_echo\nServer: demo")
    );
    let answer = client.mcp(json!({"tool": "demo_echo", "args": {"text": "hi"}})).await;
    assert_eq!(answer, json!({"content": [{"type": "text", "text": "{\"text\":\"hi\"}"}]}));
    client.leave().await.unwrap();
}

#[tokio::test]
async fn requests_that_mean_nothing_get_the_right_code() {
    let bench = Bench::new(script()).await;
    let mut client = LineClient::open(&bench.runtime).await;
    let unknown = client.request("tools/call", json!({"name": "echo", "arguments": {}})).await;
    assert_eq!(
        unknown["error"],
        json!({"code": -32602, "message": "unknown tool \"echo\": the one tool here is \"mcp\""}),
    );
    let rows = [
        ("tools/call", json!({"name": "mcp", "arguments": [1]}), -32602),
        ("tools/call", json!({}), -32602),
        ("tools/list", json!({"cursor": "x"}), -32602),
        ("resources/list", json!({}), -32601),
        ("prompts/get", json!({"name": "x"}), -32601),
        ("logging/setLevel", json!({"level": "info"}), -32601),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}}),
            -32601,
        ),
        ("nonsense", json!({}), -32601),
    ];
    for (method, params, expected) in rows {
        assert_eq!(code(&client.request(method, params).await), expected, "{method}");
    }
    client.leave().await.unwrap();
}

#[tokio::test]
async fn a_failure_is_an_ordinary_result_with_structured_content() {
    let bench = Bench::connected(script()).await;
    let mut client = LineClient::open(&bench.runtime).await;
    let answer = client.mcp(json!({"server": "nowhere"})).await;
    assert_eq!(answer["isError"], true);
    assert_eq!(answer["structuredContent"]["error"]["code"], "server_not_found");
    assert!(text_of(&answer).starts_with("Error: "), "{answer}");
    client.leave().await.unwrap();
}

#[tokio::test]
async fn p7_a_result_passes_without_loss() {
    let result = json!({
        "content": [
            {"type": "text", "text": "a", "annotations": {"audience": ["user"]}},
            {"type": "hologram", "depth": 3},
            {"type": "image", "data": "AAAA", "mimeType": "image/png", "_meta": {"x": 1}}
        ],
        "structuredContent": {"n": 1.0, "list": [null, {"b": false}]},
        "_meta": {"trace": "t"},
        "futureField": [1]
    });
    let bench = Bench::connected(script().answer("echo", Answer::Result(result.clone()))).await;
    let mut client = LineClient::open(&bench.runtime).await;
    assert_eq!(client.mcp(json!({"tool": "demo_echo"})).await, result);
    client.leave().await.unwrap();
}

#[tokio::test]
async fn progress_reaches_the_client_under_its_token_and_before_the_answer() {
    let answer = Answer::Progress(5, Box::new(Answer::text("done")));
    let bench = Bench::connected(script().answer("echo", answer)).await;
    let mut client = LineClient::open(&bench.runtime).await;
    let params =
        json!({"name": "mcp", "arguments": {"tool": "demo_echo"}, "_meta": {"progressToken": "mine"}});
    assert_eq!(text_of(&client.request("tools/call", params).await), "done");
    let reports: Vec<(Value, f64)> = client
        .notices
        .iter()
        .filter(|notice| notice["method"] == "notifications/progress")
        .map(|notice| {
            (notice["params"]["progressToken"].clone(), notice["params"]["progress"].as_f64().unwrap())
        })
        .collect();
    let expected: Vec<(Value, f64)> = (1..=5).map(|step| (json!("mine"), f64::from(step))).collect();
    assert_eq!(reports, expected);
    client.leave().await.unwrap();
}

#[tokio::test]
async fn x_can_01_a_cancelled_request_is_cancelled_at_the_server_and_not_answered() {
    let bench = Bench::connected(script().answer("echo", Answer::Hang)).await;
    let mut client = LineClient::open(&bench.runtime).await;
    let params = json!({"name": "mcp", "arguments": {"tool": "demo_echo"}});
    client.send(json!({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": params})).await;
    bench.demo.wait_for_calls(1).await;
    let params = json!({"requestId": "slow", "reason": "enough"});
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
    bench.demo.wait_for_cancelled(1).await;
    assert_eq!(client.request("ping", json!({})).await, json!({}));
    assert!(client.notices.iter().all(|notice| notice["id"] != "slow"), "{:?}", client.notices);
    client.leave().await.unwrap();
}

#[tokio::test]
async fn a_slow_call_does_not_hold_up_others() {
    let bench = Bench::connected(script().simple_tool("slow").answer("slow", Answer::Hang)).await;
    let mut client = LineClient::open(&bench.runtime).await;
    let params = json!({"name": "mcp", "arguments": {"tool": "demo_slow"}});
    client.send(json!({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": params})).await;
    bench.demo.wait_for_calls(1).await;
    assert_eq!(text_of(&client.mcp(json!({"tool": "demo_echo"})).await), "{}");
    client.shutdown.cancel();
    client.ended().await.unwrap();
}

#[tokio::test]
async fn a_changed_definition_is_announced() {
    let bench = Bench::new(script()).await;
    let mut client = LineClient::open(&bench.runtime).await;
    assert_eq!(client.request("ping", json!({})).await, json!({}));
    client.mcp(json!({"connect": "demo"})).await;
    let announced = |notice: &Value| notice["method"] == "notifications/tools/list_changed";
    while !client.notices.iter().any(announced) {
        let message = client.next().await.unwrap();
        client.notices.push(message);
    }
    let list = client.request("tools/list", json!({})).await;
    assert!(list["tools"][0]["description"].as_str().unwrap().contains("Servers: demo (1 tool)"), "{list}");
    client.leave().await.unwrap();
}

#[tokio::test]
async fn a_bad_line_is_answered_and_does_not_end_the_session() {
    let bench = Bench::new(script()).await;
    let mut client = LineClient::open(&bench.runtime).await;
    client.send_line("this is no JSON").await;
    assert_eq!(code(&client.next().await.unwrap()), -32700);
    client.send_line("{\"id\": 7, \"method\": 8}").await;
    let answer = client.next().await.unwrap();
    assert_eq!((answer["id"].as_i64(), code(&answer)), (Some(7), -32600));
    assert_eq!(client.request("ping", json!({})).await, json!({}));
    client.leave().await.unwrap();
}

#[tokio::test]
async fn a_client_that_leaves_before_it_opened_is_no_error() {
    let bench = Bench::new(script()).await;
    LineClient::unopened(&bench.runtime).leave().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_client_that_left_are_cancelled_after_a_while() {
    let bench = Bench::connected(script().answer("echo", Answer::Hang)).await;
    let mut client = LineClient::open(&bench.runtime).await;
    let params = json!({"name": "mcp", "arguments": {"tool": "demo_echo"}});
    client.send(json!({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": params})).await;
    bench.demo.wait_for_calls(1).await;
    client.leave().await.unwrap();
    bench.demo.wait_for_cancelled(1).await;
}

#[tokio::test]
async fn shutdown_ends_the_session() {
    let bench = Bench::new(script()).await;
    let mut client = LineClient::open(&bench.runtime).await;
    client.shutdown.cancel();
    client.ended().await.unwrap();
    assert_eq!(client.next().await, None);
}
