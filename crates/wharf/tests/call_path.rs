//! The call path on a scripted server: names, approvals, deadlines, definitions and the one terminal event.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

use std::sync::Arc;
use std::time::Duration;

use mcp_testkit::{Answer, FakeConnector, FakeHost, Script, ScriptHandle};
use serde_json::json;
use wharf::{
    ApprovalAnswer, Arguments, CallEnd, CallEvent, CallRequest, CallTarget, Environment, ErrorCode, Event,
    Origin, Runtime, ServerDefinition, SessionId, Subscription,
};

struct World {
    runtime: Runtime,
    script: ScriptHandle,
    connector: FakeConnector,
}

async fn world(script: Script, config: serde_json::Value, host: FakeHost) -> World {
    let home = tempfile::tempdir().unwrap();
    let connector = FakeConnector::new();
    let script = connector.serve("srv", script);
    let mut builder = Runtime::builder()
        .environment(Environment::new([], home.path()))
        .without_cache()
        .connector(Arc::new(connector.clone()))
        .host(host);
    let file = home.path().join("wharf.json");
    if config.is_null() {
        builder = builder.server("srv", ServerDefinition::stdio("unused")).unwrap();
    } else {
        mcp_fs::write_atomic(&file, config.to_string().as_bytes(), mcp_fs::Mode::Default, false).unwrap();
        builder = builder.only_config(file);
    }
    World { runtime: builder.build().await.unwrap(), script, connector }
}

async fn plain(script: Script) -> World {
    world(script, serde_json::Value::Null, FakeHost::new()).await
}

fn asking(approval: &str) -> serde_json::Value {
    json!({"mcpServers": {"srv": {"command": "unused", "approval": approval}}})
}

/// Gives how the next call ends, and that it began before.
async fn next_call(events: &mut Subscription) -> CallEnd {
    let mut begun = 0;
    while let Some(event) = events.next().await {
        if let Event::Call(CallEvent::Started { .. }) = event {
            begun += 1;
        } else if let Event::Call(CallEvent::Finished { end, .. }) = event {
            assert_eq!(begun, 1, "one start for each end");
            return end;
        }
    }
    panic!("the bus ended");
}

#[tokio::test]
async fn a_tool_of_a_server_that_was_never_asked_is_found_by_its_prefix() {
    let world = plain(Script::new().simple_tool("echo").answer("echo", Answer::text("hi"))).await;
    let answer = world.runtime.call_tool("srv_echo", json!({})).await.unwrap();
    assert_eq!(answer.output.joined_text(), "hi");
    assert_eq!(world.connector.dials("srv"), 1);
}

#[tokio::test]
async fn every_call_has_one_start_and_one_end() {
    let script = Script::new()
        .simple_tool("good")
        .simple_tool("bad")
        .simple_tool("refused")
        .answer("bad", Answer::ToolError("no".into()))
        .answer("refused", Answer::Refuse { code: -32602, message: "no such thing".into() });
    let world = plain(script).await;
    let mut events = world.runtime.subscribe();
    let rows = [
        ("srv_good", CallEnd::Done),
        ("srv_bad", CallEnd::ToolError),
        ("srv_refused", CallEnd::Failed(ErrorCode::ServerError)),
        ("srv_none", CallEnd::Failed(ErrorCode::ToolNotFound)),
    ];
    for (tool, expected) in rows {
        let _outcome = world.runtime.call_tool(tool, json!({})).await;
        assert_eq!(next_call(&mut events).await, expected, "{tool}");
    }
}

#[tokio::test]
async fn t_call_22_a_dropped_call_is_cancelled_at_the_server_and_ends_once() {
    let world = plain(Script::new().simple_tool("slow").answer("slow", Answer::Hang)).await;
    let mut events = world.runtime.subscribe();
    {
        let call = world.runtime.call_tool("srv_slow", json!({}));
        tokio::select! {
            _ = call => panic!("the call ended"),
            () = world.script.wait_for_calls(1) => {}
        }
    }
    world.script.wait_for_cancelled(1).await;
    assert_eq!(next_call(&mut events).await, CallEnd::Failed(ErrorCode::Cancelled));
    world.script.set_answer("slow", Answer::text("still here"));
    let answer = world.runtime.call_tool("srv_slow", json!({})).await.unwrap();
    assert_eq!((answer.output.joined_text().as_str(), world.connector.dials("srv")), ("still here", 1));
}

#[tokio::test(start_paused = true)]
async fn one_deadline_spans_the_whole_call_but_not_the_question() {
    let script =
        Script::new().simple_tool("slow").answer("slow", Answer::text("done").after(Duration::from_secs(4)));
    let host = FakeHost::new().approve(ApprovalAnswer::Once).thinking(Duration::from_hours(1));
    let world = world(script, asking("always"), host).await;
    let request = |seconds| CallRequest {
        target: CallTarget { server: None, tool: "srv_slow".to_owned() },
        arguments: Arguments::empty(),
        origin: Origin::Library,
        session: SessionId::new("test"),
        timeout: Some(Duration::from_secs(seconds)),
    };
    assert_eq!(world.runtime.call(request(3)).await.unwrap_err().code(), ErrorCode::Timeout);
    assert_eq!(world.runtime.call(request(5)).await.unwrap().output.joined_text(), "done");
}

#[tokio::test]
async fn t_apr_02_an_approval_that_nobody_can_give_is_a_no_and_sends_nothing() {
    let world = world(Script::new().simple_tool("echo"), asking("always"), FakeHost::new()).await;
    let error = world.runtime.call_tool("srv_echo", json!({})).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ApprovalRequired);
    assert!(world.script.calls().is_empty());
}

#[tokio::test]
async fn a_declined_call_sends_nothing_and_the_person_saw_what_would_be_sent() {
    let host = FakeHost::new().approve(ApprovalAnswer::Deny);
    let world = world(Script::new().simple_tool("echo"), asking("always"), host.clone()).await;
    let error = world.runtime.call_tool("srv_echo", json!({"text": "secret plan"})).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ApprovalDenied);
    assert!(world.script.calls().is_empty());
    let asked = host.asked_approvals();
    assert_eq!(
        asked.first().map(|question| question.arguments.raw().get()),
        Some(r#"{"text":"secret plan"}"#)
    );
}

#[tokio::test]
async fn a_grant_for_the_session_asks_again_for_another_payload() {
    let config = json!({
        "mcpServers": {"srv": {"command": "unused"}},
        "settings": {"approvals": "mutating"},
    });
    let host = FakeHost::new().approve(ApprovalAnswer::Session);
    let world = world(Script::new().simple_tool("echo"), config, host.clone()).await;
    for (text, questions) in [("a", 1), ("a", 1), ("b", 2)] {
        world.runtime.call_tool("srv_echo", json!({ "text": text })).await.unwrap();
        assert_eq!(host.asked_approvals().len(), questions, "{text}");
    }
}

#[tokio::test]
async fn t_pol_04_an_agent_sees_only_what_its_list_admits() {
    let world = plain(Script::new().simple_tool("read").simple_tool("write")).await;
    world.runtime.connect("srv").await.unwrap();
    let agent = world.runtime.agent("reader").allow(["mcp__srv__read"]).unwrap();
    assert_eq!(agent.call("srv_write", json!({})).await.unwrap_err().code(), ErrorCode::NotAllowed);
    agent.call("srv_read", json!({})).await.unwrap();
    world.runtime.call_tool("srv_write", json!({})).await.unwrap();
}

#[tokio::test]
async fn t_unm_07_a_call_in_flight_ends_when_its_server_is_unmounted() {
    let world = plain(Script::new().simple_tool("slow").answer("slow", Answer::Hang)).await;
    let unmount = async {
        world.script.wait_for_calls(1).await;
        world.runtime.unmount("srv").await.unwrap();
    };
    let (outcome, ()) = tokio::join!(world.runtime.call_tool("srv_slow", json!({})), unmount);
    assert_eq!(outcome.unwrap_err().code(), ErrorCode::ServerUnmounted);
    assert_eq!(world.connector.live("srv"), 0);
}

#[tokio::test]
async fn a_large_result_is_cut_and_the_reason_for_no_file_is_told() {
    let world =
        plain(Script::new().simple_tool("big").answer("big", Answer::text("x".repeat(200_000)))).await;
    let answer = world.runtime.call_tool("srv_big", json!({})).await.unwrap();
    let report = answer.guard.unwrap();
    assert!(report.truncated && answer.output.joined_text().len() <= 51_200);
    assert_eq!(report.write_error.as_deref(), Some("this runtime keeps no files"));
}

#[tokio::test]
async fn an_error_repeats_only_the_beginning_of_a_huge_name() {
    let world = plain(Script::new().simple_tool("echo")).await;
    let error = world.runtime.call_tool(&"x".repeat(1_000_000), json!({})).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ToolNotFound);
    assert!(error.message().len() < 300 && error.tool().is_some_and(|tool| tool.len() < 300));
    let error = world.runtime.server_name(&"x".repeat(1_000_000)).unwrap_err();
    assert!(error.message().len() < 300);
}
