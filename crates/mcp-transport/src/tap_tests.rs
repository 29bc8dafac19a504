//! Order and ownership on the message path.

use std::sync::Mutex;
use std::time::Duration;

use serde_json::json;

use crate::session::RequestOptions;
use crate::test_support::{Setup, call, text_result};

#[tokio::test]
async fn p5_progress_comes_in_order_and_before_the_reply() {
    let (session, mut server) = Setup::default().open().await;
    let seen = std::sync::Arc::new(Mutex::new(Vec::new()));
    let sink = std::sync::Arc::clone(&seen);
    let options = RequestOptions {
        progress: Some(std::sync::Arc::new(move |progress| sink.lock().unwrap().push(progress.progress))),
        ..RequestOptions::default()
    };
    let serving = async {
        let request = server.receive().await;
        let token = &request["params"]["_meta"]["progressToken"];
        for step in 0..2_000 {
            let params = json!({"progressToken": token, "progress": step});
            server
                .send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))
                .await;
        }
        server.reply(&request["id"], &text_result("done")).await;
    };
    let seen_at_reply = async {
        call(&session, options).await.unwrap();
        seen.lock().unwrap().clone()
    };
    let (seen, ()) = tokio::join!(seen_at_reply, serving);
    assert_eq!(seen, (0..2_000).map(f64::from).collect::<Vec<_>>());
}

#[tokio::test]
async fn notifications_reach_the_sink_in_the_order_of_the_wire() {
    let setup = Setup::default();
    let (_session, mut server) = setup.open().await;
    let notify = |method: &str, params| json!({"jsonrpc": "2.0", "method": method, "params": params});
    server.send(&notify("notifications/tools/list_changed", json!({}))).await;
    server.send(&notify("notifications/message", json!({"level": "odd", "data": 1, "extra": true}))).await;
    server.send(&notify("notifications/resources/updated", json!({"uri": "a:b"}))).await;
    server.send(&notify("notifications/prompts/list_changed", json!({}))).await;
    server.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/list_changed\"}\n").await;
    server.send(&notify("notifications/elicitation/complete", json!({"elicitationId": "x"}))).await;
    setup.log.wait_for(6).await;
    assert_eq!(
        setup.log.texts(),
        [
            "list Tools",
            r#"log {"level":"odd","data":1,"extra":true}"#,
            "updated a:b",
            "list Prompts",
            "list Resources",
            r#"other notifications/elicitation/complete {"elicitationId":"x"}"#,
        ]
    );
}

#[tokio::test]
async fn t_call_11_an_id_of_an_earlier_connection_is_nobodys() {
    let (first, mut old) = Setup { epoch: 1, ..Setup::default() }.open().await;
    let (second, mut new) = Setup { epoch: 2, ..Setup::default() }.open().await;
    let options = RequestOptions::default;
    let asked = async { (old.receive().await["id"].clone(), new.receive().await["id"].clone()) };
    let mut one = Box::pin(call(&first, options()));
    let mut two = Box::pin(call(&second, options()));
    let (old_id, new_id) = tokio::select! {
        ids = asked => ids,
        _ = &mut one => panic!("nobody answered"),
        _ = &mut two => panic!("nobody answered"),
    };
    assert_ne!(old_id, new_id);
    new.reply(&old_id, &text_result("stray")).await;
    new.reply(&new_id, &text_result("mine")).await;
    assert_eq!(two.await.unwrap().joined_text(), "mine");
    assert_eq!(second.dropped_replies(), 1);
    drop(one);
}

#[tokio::test(start_paused = true)]
async fn a_refused_revision_is_tried_again_with_the_best_of_the_server() {
    let (opening, mut server) = Setup::default().dial();
    let serving = async {
        let first = server.receive().await;
        assert_eq!(first["params"]["protocolVersion"], "2025-11-25");
        let error =
            json!({"code": -32602, "message": "no", "data": {"supported": ["2024-11-05", "2025-03-26"]}});
        server.send(&json!({"jsonrpc": "2.0", "id": first["id"], "error": error})).await;
        let second = server.receive().await;
        assert_ne!(first["id"], second["id"]);
        assert_eq!(second["params"]["protocolVersion"], "2025-03-26");
        let result = json!({
            "protocolVersion": "2025-03-26",
            "capabilities": {"tools": {}, "future": {"x": 1}},
            "serverInfo": {"name": "a", "version": "1"},
        });
        server.reply(&second["id"], &result).await;
        assert_eq!(server.receive().await["method"], "notifications/initialized");
    };
    let (session, ()) = tokio::join!(opening, serving);
    let session = session.unwrap();
    assert_eq!(session.facts().protocol_version, "2025-03-26");
    session.close(Duration::from_secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn a_refused_revision_is_tried_again_only_once() {
    let (opening, mut server) = Setup::default().dial();
    let serving = async {
        for _ in 0..2 {
            let request = server.receive().await;
            let error = json!({"code": -32602, "message": "no", "data": {"supported": ["2024-11-05"]}});
            server.send(&json!({"jsonrpc": "2.0", "id": request["id"], "error": error})).await;
        }
        server.receive_line().await
    };
    let (session, after) = tokio::join!(opening, serving);
    assert_eq!(after, None);
    let failure = session.unwrap_err();
    assert!(matches!(failure.class, crate::FailureClass::Refused { code: -32602, .. }), "{failure:?}");
}
