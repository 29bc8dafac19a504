//! Several runtimes in one process share nothing.

use std::time::Duration;

use serde_json::json;
use wharf::{Environment, ErrorCode, Runtime, ServerDefinition};

use crate::support::{Home, stub_server};

async fn runtime(home: &Home, temper: &str) -> Runtime {
    let vars = [("WHARF_TEST_MARK".to_owned(), home.path().display().to_string())];
    Runtime::builder()
        .environment(Environment::new(vars, home.path()))
        .without_cache()
        .server("stub", ServerDefinition::stdio(stub_server().display().to_string()).args([temper]))
        .unwrap()
        .build()
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_runtimes_same_names() {
    let (home_one, home_two) = (Home::new(&json!({})), Home::new(&json!({})));
    let one = runtime(&home_one, "silent").await;
    let two = runtime(&home_two, "echo").await;
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn({
        let one = one.clone();
        async move { one.call_tool("stub_echo", json!({"text": "never"})).await }
    });
    // The call of the first runtime has reached its server when the server is there.
    while one.status().connected_count == 0 {
        tokio::task::yield_now().await;
    }
    two.call_tool("stub_echo", json!({"text": "before"})).await.unwrap();
    one.shutdown(Duration::from_millis(100)).await;
    let ended = tasks.join_next().await.unwrap().unwrap().unwrap_err();
    assert!(
        matches!(ended.code(), ErrorCode::ServerUnmounted | ErrorCode::ConnectionLost | ErrorCode::Cancelled),
        "{ended:?}"
    );
    let answer = two.call_tool("stub_echo", json!({"text": "after"})).await.unwrap();
    assert_eq!(answer.output.joined_text(), "after");
    assert_eq!(home_one.processes(), Vec::<u32>::new());
    two.shutdown(Duration::from_secs(5)).await;
    assert_eq!(home_two.processes(), Vec::<u32>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_runtime_leaves_no_child() {
    let home = Home::new(&json!({}));
    let runtime = runtime(&home, "echo").await;
    runtime.call_tool("stub_echo", json!({"text": "x"})).await.unwrap();
    drop(runtime);
    home.wait_until_empty(Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crashed_server_recovers_on_the_next_call() {
    let home = Home::new(&json!({}));
    let runtime = runtime(&home, "crash").await;
    for _ in 0..3 {
        let error = runtime.call_tool("stub_echo", json!({"text": "x"})).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::ConnectionLost, "{error:?}");
    }
    runtime.shutdown(Duration::from_secs(5)).await;
}
