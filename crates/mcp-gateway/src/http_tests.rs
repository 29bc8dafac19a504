use std::net::SocketAddr;
use std::time::Duration;

use mcp_testkit::{Answer, Script};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::*;
use crate::testing::{Bench, initialize_params, text_of};

struct Served {
    bench: Bench,
    address: SocketAddr,
    shutdown: CancellationToken,
    task: JoinSet<Result<(), GatewayError>>,
}

struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    /// Gives the JSON-RPC message with an id, out of the event stream.
    fn message(&self) -> Value {
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
        let mut messages = data.filter_map(|data| serde_json::from_str::<Value>(data.trim()).ok());
        messages
            .find(|message| message.get("id").is_some())
            .unwrap_or_else(|| panic!("no answer in {}", self.body))
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

impl Served {
    async fn new(script: Script, options: HttpOptions) -> Self {
        let bench = Bench::connected(script).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shutdown = CancellationToken::new();
        let mut task = JoinSet::new();
        task.spawn(serve_http(bench.runtime.clone(), listener, options, shutdown.clone()));
        Self { bench, address, shutdown, task }
    }

    async fn echo(options: HttpOptions) -> Self {
        Self::new(Script::new().simple_tool("echo"), options).await
    }

    async fn exchange(&self, request: &str) -> Reply {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        // A refused body may be answered by a reset after the answer.
        drop(stream.read_to_end(&mut bytes).await);
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Reply { status, head: head.to_owned(), body: body.to_owned() }
    }

    async fn get(&self, path: &str, headers: &str) -> Reply {
        let host = self.address;
        self.exchange(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n"))
            .await
    }

    async fn post_as(&self, host: &str, headers: &str, body: &str) -> Reply {
        let length = body.len();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        );
        self.exchange(&request).await
    }

    async fn post(&self, headers: &str, message: &Value) -> Reply {
        self.post_as(&self.address.to_string(), headers, &message.to_string()).await
    }

    async fn initialize(&self, headers: &str) -> Reply {
        self.post(headers, &initialize()).await
    }

    /// Opens a session and gives the headers of its later requests.
    async fn open(&self) -> String {
        let reply = self.initialize("").await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        let session = reply.header("mcp-session-id").unwrap();
        let headers = format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n");
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.post(&headers, &initialized).await.status, 202);
        headers
    }

    async fn ended(&mut self) -> Result<(), GatewayError> {
        self.task.join_next().await.unwrap().unwrap()
    }
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize_params("2025-11-25")})
}

fn call(arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "mcp", "arguments": arguments}})
}

#[tokio::test]
async fn a_session_calls_a_tool() {
    let served = Served::echo(HttpOptions::default()).await;
    let session = served.open().await;
    let list =
        served.post(&session, &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).await.message();
    assert_eq!(list["result"]["tools"][0]["name"], "mcp");
    let answer =
        served.post(&session, &call(&json!({"tool": "demo_echo", "args": {"a": 1}}))).await.message();
    assert_eq!(text_of(&answer["result"]), "{\"a\":1}");
}

#[tokio::test]
async fn p7_a_result_passes_http_without_loss() {
    let result =
        json!({"content": [{"type": "hologram", "depth": [1.5]}], "_meta": {"a": {"b": 1}}, "later": null});
    let script = Script::new().simple_tool("echo").answer("echo", Answer::Result(result.clone()));
    let served = Served::new(script, HttpOptions::default()).await;
    let session = served.open().await;
    let answer = served.post(&session, &call(&json!({"tool": "demo_echo"}))).await.message();
    assert_eq!(answer["result"], result);
}

#[tokio::test]
async fn progress_goes_out_on_the_stream_of_its_request() {
    let answer = Answer::Progress(3, Box::new(Answer::text("done")));
    let served =
        Served::new(Script::new().simple_tool("echo").answer("echo", answer), HttpOptions::default()).await;
    let session = served.open().await;
    let mut request = call(&json!({"tool": "demo_echo"}));
    request["params"]["_meta"] = json!({"progressToken": 9});
    let reply = served.post(&session, &request).await;
    assert_eq!(reply.body.matches("\"progressToken\":9").count(), 3, "{}", reply.body);
}

#[tokio::test]
async fn s7_10_a_foreign_host_is_refused() {
    let served = Served::echo(HttpOptions::default()).await;
    assert_eq!(served.post_as("evil.example", "", &initialize().to_string()).await.status, 403);
    assert_eq!(served.post_as("localhost:1", "", &initialize().to_string()).await.status, 200);
}

#[tokio::test]
async fn s7_10_a_foreign_origin_is_refused_and_a_named_one_is_not() {
    let strict = Served::echo(HttpOptions::default()).await;
    assert_eq!(strict.initialize("Origin: https://evil.example\r\n").await.status, 403);
    assert_eq!(strict.initialize("Origin: null\r\n").await.status, 403);
    let allowed_origins = vec!["http://localhost:5173".to_owned()];
    let open = Served::echo(HttpOptions { allowed_origins, ..HttpOptions::default() }).await;
    assert_eq!(open.initialize("Origin: http://localhost:5173\r\n").await.status, 200);
    assert_eq!(open.initialize("Origin: http://localhost:9999\r\n").await.status, 403);
}

#[tokio::test]
async fn an_oversized_body_is_refused() {
    let served = Served::echo(HttpOptions { max_body_bytes: 1000, ..HttpOptions::default() }).await;
    let body = call(&json!({"search": "x".repeat(2000)})).to_string();
    assert_eq!(served.post_as(&served.address.to_string(), "", &body).await.status, 413);
    assert_eq!(served.initialize("").await.status, 200);
}

#[tokio::test]
async fn p_135_an_unknown_session_is_not_found() {
    let served = Served::echo(HttpOptions::default()).await;
    let reply = served.post("Mcp-Session-Id: gone\r\n", &call(&json!({}))).await;
    assert_eq!(reply.status, 404);
}

#[tokio::test]
async fn p_137_an_unusable_version_header_is_a_bad_request() {
    let served = Served::echo(HttpOptions::default()).await;
    let session = served.open().await.replace("2025-11-25", "1999-01-01");
    assert_eq!(served.post(&session, &call(&json!({}))).await.status, 400);
}

#[tokio::test]
async fn a_bearer_token_is_asked_for_where_one_is_set() {
    let bearer = Some(Secret::new("right".to_owned()));
    let served = Served::echo(HttpOptions { bearer, ..HttpOptions::default() }).await;
    let refused = served.initialize("").await;
    assert_eq!((refused.status, refused.header("www-authenticate")), (401, Some("Bearer")));
    assert_eq!(served.initialize("Authorization: Bearer wrong\r\n").await.status, 401);
    assert_eq!(served.initialize("Authorization: Bearer righ\r\n").await.status, 401);
    assert_eq!(served.initialize("authorization: bearer right\r\n").await.status, 200);
    assert_eq!(served.get("/", "").await.status, 200);
}

#[tokio::test]
async fn sessions_are_bounded_in_number() {
    let served = Served::echo(HttpOptions { max_sessions: 1, ..HttpOptions::default() }).await;
    served.open().await;
    assert_eq!(served.initialize("").await.status, 500);
}

#[tokio::test]
async fn the_root_says_what_this_is() {
    let served = Served::echo(HttpOptions::default()).await;
    let reply = served.get("/", "").await;
    assert_eq!((reply.status, reply.body.as_str()), (200, ABOUT));
}

#[tokio::test]
async fn s7_10_a_listener_for_everybody_needs_to_be_asked_for() {
    let bench = Bench::new(Script::new()).await;
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let shutdown = CancellationToken::new();
    let served = serve_http(bench.runtime.clone(), listener, HttpOptions::default(), shutdown.clone()).await;
    assert!(matches!(served, Err(GatewayError::NotLoopback { .. })), "{served:?}");
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    shutdown.cancel();
    let options = HttpOptions { allow_remote: true, ..HttpOptions::default() };
    serve_http(bench.runtime, listener, options, shutdown).await.unwrap();
}

#[tokio::test]
async fn entries_that_are_no_hosts_or_origins_are_refused() {
    let rows =
        [("host", "a b", "http://a"), ("origin", "a", "localhost"), ("origin", "::1", "http://a/path")];
    for (expected, host, origin) in rows {
        let options = HttpOptions {
            allowed_hosts: vec![host.to_owned()],
            allowed_origins: vec![origin.to_owned()],
            ..HttpOptions::default()
        };
        let Err(GatewayError::InvalidAllowance { kind, .. }) = check_allowances(&options) else {
            panic!("{host} and {origin} were taken")
        };
        assert_eq!(kind, expected);
    }
}

#[tokio::test]
async fn running_calls_end_before_the_gateway_does() {
    let answer = Answer::text("late").after(Duration::from_millis(200));
    let mut served =
        Served::new(Script::new().simple_tool("echo").answer("echo", answer), HttpOptions::default()).await;
    let session = served.open().await;
    let request = call(&json!({"tool": "demo_echo"}));
    let reply = {
        let posted = served.post(&session, &request);
        let cancelled = async {
            served.bench.demo.wait_for_calls(1).await;
            served.shutdown.cancel();
        };
        futures::join!(posted, cancelled).0
    };
    assert_eq!(text_of(&reply.message()["result"]), "late");
    served.ended().await.unwrap();
    assert!(TcpStream::connect(served.address).await.is_err());
}

#[tokio::test]
async fn shutdown_ends_streams_that_wait_for_news() {
    let mut served = Served::echo(HttpOptions::default()).await;
    let session = served.open().await;
    let host = served.address;
    let mut stream = TcpStream::connect(host).await.unwrap();
    let request = format!("GET /mcp HTTP/1.1\r\nHost: {host}\r\nAccept: text/event-stream\r\n{session}\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    served.shutdown.cancel();
    served.ended().await.unwrap();
    let mut rest = Vec::new();
    drop(stream.read_to_end(&mut rest).await);
}

#[test]
fn a_bearer_token_is_compared_as_a_whole() {
    assert!(same(b"abc", b"abc"));
    assert!(!same(b"abc", b"abd"));
    assert!(!same(b"abc", b"ab"));
    assert!(!same(b"", b"a"));
}
