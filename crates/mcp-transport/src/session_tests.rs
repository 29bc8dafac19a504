//! Requests, their replies and their ends, over a stream in memory.

use std::time::Duration;

use futures::future::join_all;
use mcp_types::{BoxFuture, Host, HostAbilities, Root, ServerName};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::*;
use crate::test_support::{Setup, call, text_result, within};

const SECOND: Duration = Duration::from_secs(1);

fn options() -> RequestOptions {
    RequestOptions::default()
}

/// Answers the next call and gives its request.
async fn answer(server: &mut crate::test_support::Server, text: &str) -> Value {
    let request = server.receive().await;
    server.reply(&request["id"], &text_result(text)).await;
    request
}

#[tokio::test]
async fn t_call_09_replies_in_reverse_order_find_their_calls() {
    let (session, mut server) = Setup::default().open().await;
    let calls = join_all((0..10).map(|number| {
        let session = &session;
        async move {
            let arguments = Arguments::from_value(&json!({"number": number})).unwrap();
            session
                .call_tool(&ToolName::new("work").unwrap(), &arguments, options())
                .await
                .unwrap()
                .joined_text()
        }
    }));
    // T-call-10: all ten are on the wire before the first is answered.
    let serving = async {
        let mut requests = Vec::new();
        for _ in 0..10 {
            requests.push(server.receive().await);
        }
        for request in requests.iter().rev() {
            let text = request["params"]["arguments"]["number"].to_string();
            server.reply(&request["id"], &text_result(&text)).await;
        }
    };
    let (texts, ()) = tokio::join!(calls, serving);
    assert_eq!(texts, (0..10).map(|number| number.to_string()).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn t_call_07_a_late_reply_answers_nobody() {
    let (session, mut server) = Setup::default().open().await;
    let failure = call(&session, within(SECOND)).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Timeout);
    assert_eq!(failure.message, "server `demo` gave no answer within 1 s");
    let late = server.receive().await;
    let cancelled = server.receive().await;
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], late["id"]);
    server.reply(&late["id"], &text_result("late")).await;
    let (output, _) = tokio::join!(call(&session, options()), answer(&mut server, "second"));
    assert_eq!(output.unwrap().joined_text(), "second");
    assert_eq!(session.dropped_replies(), 1);
}

#[tokio::test]
async fn a_reply_with_a_wrong_id_and_a_doubled_reply_answer_nobody() {
    let (session, mut server) = Setup::default().open().await;
    for text in ["first", "second"] {
        let serving = async {
            server.reply(&json!(999), &text_result("wrong")).await;
            let request = answer(&mut server, text).await;
            server.reply(&request["id"], &text_result("doubled")).await;
        };
        let (output, ()) = tokio::join!(call(&session, options()), serving);
        assert_eq!(output.unwrap().joined_text(), text);
    }
    session.close(SECOND).await;
    assert!((3..=4).contains(&session.dropped_replies()), "{}", session.dropped_replies());
}

#[tokio::test]
async fn a_reply_that_gives_the_number_back_as_text_is_taken() {
    let (session, mut server) = Setup::default().open().await;
    let serving = async {
        let request = server.receive().await;
        server.reply(&json!(request["id"].to_string()), &text_result("ok")).await;
    };
    let (output, ()) = tokio::join!(call(&session, options()), serving);
    assert_eq!(output.unwrap().joined_text(), "ok");
}

#[tokio::test]
async fn t_call_12_a_ping_before_the_reply_is_answered_and_eats_nothing() {
    let (session, mut server) = Setup::default().open().await;
    let serving = async {
        let request = server.receive().await;
        // The same id as our request: it is a question all the same.
        server.send(&json!({"jsonrpc": "2.0", "id": request["id"], "method": "ping"})).await;
        assert_eq!(server.receive().await, json!({"jsonrpc": "2.0", "id": request["id"], "result": {}}));
        server.reply(&request["id"], &text_result("pong")).await;
    };
    let (output, ()) = tokio::join!(call(&session, options()), serving);
    assert_eq!(output.unwrap().joined_text(), "pong");
}

#[tokio::test]
async fn t_call_13_nothing_is_lost_among_notifications() {
    let (session, mut server) = Setup::default().open().await;
    let calls = async {
        for number in 0..1_000 {
            assert_eq!(call(&session, options()).await.unwrap().joined_text(), number.to_string());
        }
    };
    let serving = async {
        for number in 0..1_000 {
            server.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n").await;
            answer(&mut server, &number.to_string()).await;
        }
    };
    tokio::join!(calls, serving);
    assert_eq!(session.dropped_replies(), 0);
}

#[tokio::test]
async fn t_call_15_noise_is_skipped_and_counted() {
    let setup = Setup::default();
    let (session, mut server) = setup.open().await;
    server.write("Listening on port 3000\n\n\r\n{not json}\n[1,2]\n").await;
    server.writer_bytes(b"\xff\xfe\n").await;
    let (output, _) = tokio::join!(call(&session, options()), answer(&mut server, "ok"));
    assert_eq!(output.unwrap().joined_text(), "ok");
    assert_eq!(session.noise_lines(), 5);
    assert_eq!(setup.log.texts(), ["noise 1", "noise 2", "noise 4"]);
}

#[tokio::test]
async fn t_call_19_an_error_reply_leaves_the_session_healthy() {
    let (session, mut server) = Setup::default().open().await;
    let serving = async {
        let request = server.receive().await;
        let error = json!({"code": -32050, "message": "out of tea", "data": {"pot": 1}});
        server.send(&json!({"jsonrpc": "2.0", "id": request["id"], "error": error})).await;
    };
    let (output, ()) = tokio::join!(call(&session, options()), serving);
    let failure = output.unwrap_err();
    assert_eq!(failure.class, FailureClass::Refused { code: -32050, data: Some(r#"{"pot":1}"#.to_owned()) });
    assert_eq!(failure.message, "server `demo` answered with error -32050: out of tea");
    let (output, _) = tokio::join!(call(&session, options()), answer(&mut server, "ok"));
    assert_eq!(output.unwrap().joined_text(), "ok");
}

#[tokio::test]
async fn t_call_22_a_dropped_call_is_cancelled_and_forgotten() {
    let (session, mut server) = Setup::default().open().await;
    let request = {
        let mut pending = Box::pin(call(&session, options()));
        tokio::select! {
            request = server.receive() => request,
            _ = &mut pending => panic!("nobody answered"),
        }
    };
    assert_eq!(session.pending_requests(), 0);
    let cancelled = server.receive().await;
    assert_eq!(
        (&cancelled["method"], &cancelled["params"]["requestId"]),
        (&json!("notifications/cancelled"), &request["id"])
    );
    let (output, _) = tokio::join!(call(&session, options()), answer(&mut server, "next"));
    assert_eq!(output.unwrap().joined_text(), "next");
}

#[tokio::test(start_paused = true)]
async fn progress_resets_the_silence_until_the_total_is_reached() {
    let (session, mut server) = Setup::default().open().await;
    let options = RequestOptions { timeout: Some(SECOND * 2), max_total: Some(SECOND * 5), progress: None };
    let started = Instant::now();
    let serving = async {
        let request = server.receive().await;
        let token = &request["params"]["_meta"]["progressToken"];
        loop {
            tokio::time::sleep(SECOND).await;
            let params = json!({"progressToken": token, "progress": 1});
            server
                .send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))
                .await;
        }
    };
    let failure = tokio::select! {
        output = call(&session, options) => output.unwrap_err(),
        () = serving => panic!("it never ends"),
    };
    assert_eq!(failure.message, "server `demo` did not finish within 5 s");
    assert_eq!(started.elapsed(), SECOND * 5);
}

/// A person who takes an hour.
struct SlowPerson;

impl Host for SlowPerson {
    fn elicit<'a>(&'a self, _: &'a ServerName, params: &'a RawValue) -> BoxFuture<'a, Option<Box<RawValue>>> {
        Box::pin(async move {
            tokio::time::sleep(SECOND * 3_600).await;
            assert_eq!(params.get(), r#"{"message":"m","future":1.50}"#);
            RawValue::from_string(r#"{"action":"accept","content":{"n":1.50}}"#.to_owned()).ok()
        })
    }

    fn roots<'a>(&'a self, _: &'a ServerName) -> BoxFuture<'a, Option<Vec<Root>>> {
        Box::pin(async { Some(vec![Root { uri: "file:///a".to_owned(), name: None }]) })
    }

    fn abilities(&self) -> HostAbilities {
        HostAbilities { elicit_form: true, roots: true, ..HostAbilities::default() }
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_in_which_the_host_is_asked_does_not_count() {
    let setup = Setup { host: Arc::new(SlowPerson), ..Setup::default() };
    let (session, mut server) = setup.open().await;
    assert_eq!(server.handshake["capabilities"], json!({"elicitation": {"form": {}}, "roots": {}}));
    let serving = async {
        let request = server.receive().await;
        server
            .write("{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"m\",\"future\":1.50}}\n")
            .await;
        assert_eq!(
            server.receive_line().await.unwrap(),
            r#"{"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{"n":1.50}}}"#
        );
        server.reply(&request["id"], &text_result("thanks")).await;
    };
    let (output, ()) = tokio::join!(call(&session, within(SECOND)), serving);
    assert_eq!(output.unwrap().joined_text(), "thanks");
}

#[tokio::test]
async fn questions_are_answered_as_declared() {
    let setup = Setup { host: Arc::new(SlowPerson), ..Setup::default() };
    let (_session, mut server) = setup.open().await;
    let rows = [
        ("roots/list", json!({}), json!({"result": {"roots": [{"uri": "file:///a"}]}})),
        ("sampling/createMessage", json!({}), json!({"error": -32601})),
        ("elicitation/create", json!({"mode": "url", "url": "https://x"}), json!({"error": -32602})),
        ("made/up", json!({}), json!({"error": -32601})),
    ];
    for (method, params, expected) in rows {
        server.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).await;
        let reply = server.receive().await;
        let found = match reply.get("result") {
            Some(result) => json!({"result": result}),
            None => json!({"error": reply["error"]["code"]}),
        };
        assert_eq!(found, expected, "{method}");
    }
}

#[tokio::test]
async fn undeclared_questions_are_refused_and_nothing_is_declared() {
    let (_session, mut server) = Setup::default().open().await;
    assert_eq!(server.handshake["capabilities"], json!({}));
    assert_eq!(server.handshake["protocolVersion"], "2025-11-25");
    for method in ["roots/list", "sampling/createMessage", "elicitation/create"] {
        server.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method})).await;
        assert_eq!(server.receive().await["error"]["code"], -32601, "{method}");
    }
}

#[tokio::test]
async fn documents_pass_both_ways_as_written() {
    let (session, mut server) = Setup::default().open().await;
    let arguments = r#"{"big":12345678901234567890123,"f":1.50,"é":"\u00e9"}"#;
    let result = r#"{"content":[{"type":"hologram","depth":1.50},{"type":"text","text":"a"}],"structuredContent":{"n":10000000000000000000001},"_meta":{"k":1}}"#;
    let serving = async {
        let line = server.receive_line().await.unwrap();
        assert!(line.contains(arguments), "{line}");
        let request: Value = serde_json::from_str(&line).unwrap();
        server
            .write(&format!("{{\"result\":{result},\"id\":{},\"jsonrpc\":\"2.0\"}}\n", request["id"]))
            .await;
    };
    let name = ToolName::new("work").unwrap();
    let arguments = Arguments::parse(arguments).unwrap();
    let (output, ()) = tokio::join!(session.call_tool(&name, &arguments, options()), serving);
    assert_eq!(serde_json::to_string(&output.unwrap()).unwrap(), result);
}

#[tokio::test]
async fn a_batch_is_taken_message_by_message() {
    let (session, mut server) = Setup::default().open().await;
    let serving = async {
        let (one, two) = (server.receive().await, server.receive().await);
        let reply = |request: &Value, text| json!({"jsonrpc": "2.0", "id": request["id"], "result": text_result(text)});
        server.send(&json!([reply(&two, "two"), reply(&one, "one")])).await;
    };
    let (one, two, ()) = tokio::join!(call(&session, options()), call(&session, options()), serving);
    assert_eq!((one.unwrap().joined_text().as_str(), two.unwrap().joined_text().as_str()), ("one", "two"));
}

#[tokio::test]
async fn p3_a_reply_beyond_the_limit_fails_its_call_alone() {
    let mut setup = Setup::default();
    setup.spec.limits.max_message_bytes = 10_000;
    let (session, mut server) = setup.open().await;
    let large = "x".repeat(100_000);
    let (output, _) = tokio::join!(call(&session, options()), answer(&mut server, &large));
    assert_eq!(output.unwrap_err().class, FailureClass::TooLarge { limit: 10_000 });
    let (output, _) = tokio::join!(call(&session, options()), answer(&mut server, "ok"));
    assert_eq!(output.unwrap().joined_text(), "ok");
}

#[tokio::test]
async fn a_broken_reply_fails_its_call_at_once() {
    let (session, mut server) = Setup::default().open().await;
    let serving = async {
        let request = server.receive().await;
        server
            .write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{broken}}}}\n", request["id"]))
            .await;
    };
    let (output, ()) = tokio::join!(call(&session, options()), serving);
    assert_eq!(output.unwrap_err().class, FailureClass::Protocol);
}

#[tokio::test(start_paused = true)]
async fn p11_the_end_of_the_stream_fails_what_waits_and_is_told_once() {
    let setup = Setup::default();
    let (session, mut server) = setup.open().await;
    let (output, ()) = tokio::join!(call(&session, options()), async move {
        server.receive().await;
        drop(server);
    });
    assert_eq!(output.unwrap_err(), Failure::lost());
    assert!(session.is_closed());
    assert_eq!(call(&session, options()).await.unwrap_err(), Failure::lost());
    session.close(SECOND).await;
    assert_eq!(setup.log.ends(), [Failure::lost()]);
}

#[tokio::test(start_paused = true)]
async fn a_close_fails_every_pending_request_of_every_clone() {
    let setup = Setup::default();
    let (session, mut server) = setup.open().await;
    let clone = session.clone();
    let (output, report) = tokio::join!(call(&clone, options()), async {
        server.receive().await;
        session.close(SECOND).await
    });
    assert_eq!(output.unwrap_err(), Failure::closed());
    assert_eq!(report, CloseReport::default());
    assert_eq!(session.close(SECOND).await, report);
    assert_eq!(setup.log.ends(), [Failure::closed()]);
    while server.receive_line().await.is_some() {}
}

#[tokio::test]
async fn dropping_the_last_handle_ends_the_session() {
    let setup = Setup::default();
    let (session, mut server) = setup.open().await;
    drop(session);
    assert_eq!(server.receive_line().await, None);
    setup.log.wait_for(1).await;
    assert_eq!(setup.log.ends(), [Failure::closed()]);
}

#[tokio::test(start_paused = true)]
async fn a_host_that_never_answers_does_not_hold_up_a_lost_session() {
    let setup = Setup { host: Arc::new(SlowPerson), ..Setup::default() };
    let (session, mut server) = setup.open().await;
    let started = Instant::now();
    let (output, ()) = tokio::join!(call(&session, options()), async move {
        server.receive().await;
        server.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {"message": "m"}})).await;
        drop(server);
    });
    assert_eq!(output.unwrap_err(), Failure::lost());
    assert!(started.elapsed() < SECOND, "{:?}", started.elapsed());
}

#[tokio::test(start_paused = true)]
async fn t_call_17_a_start_without_answer_ends_in_its_time() {
    let mut setup = Setup::default();
    setup.spec.timeouts.startup = SECOND * 7;
    let (opening, mut server) = setup.dial();
    let started = Instant::now();
    let failure = opening.await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Timeout);
    assert_eq!(failure.message, "server `demo` did not finish its start within 7 s");
    assert_eq!(started.elapsed(), SECOND * 7);
    assert!(server.receive_line().await.is_some());
    assert_eq!(server.receive_line().await, None);
    assert_eq!(setup.log.texts(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn only_revisions_with_a_handshake_are_accepted() {
    for (revision, accepted) in [
        ("2024-11-05", true),
        ("2025-03-26", true),
        ("2025-06-18", true),
        ("2025-11-25", true),
        ("2026-07-28", false),
        ("1999-01-01", false),
    ] {
        let (opening, mut server) = Setup::default().dial();
        let serving = async {
            let request = server.receive().await;
            let info = json!({"name": "a", "version": "1"});
            let result = json!({"protocolVersion": revision, "capabilities": {}, "serverInfo": info});
            server.reply(&request["id"], &result).await;
            server
        };
        let (session, _server) = tokio::join!(opening, serving);
        match session {
            Ok(session) => {
                assert_eq!((session.facts().protocol_version.as_str(), accepted), (revision, true));
            }
            Err(failure) => {
                assert_eq!((failure.class, accepted), (FailureClass::Protocol, false), "{revision}");
            }
        }
    }
}

#[tokio::test]
async fn the_facts_are_in_the_words_of_the_server() {
    let capabilities =
        json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}, "future": {"x": 1.5}});
    let (session, _server) = Setup { capabilities: capabilities.clone(), ..Setup::default() }.open().await;
    let facts = session.facts();
    assert_eq!((facts.server_name.as_str(), facts.server_version.as_str()), ("by-hand", "3"));
    let declared = &facts.capabilities;
    assert!(
        declared.tools && declared.tools_list_changed && declared.resources && declared.resources_subscribe
    );
    assert!(!declared.prompts && !declared.resources_list_changed);
    assert_eq!(serde_json::to_value(&declared.raw).unwrap(), capabilities);
}
