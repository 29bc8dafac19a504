//! The HTTP transport against real servers on loopback.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::response::Response;
use mcp_types::{Arguments, Epoch, HeadlessHost, Secret, ServerName, ToolName, ToolOutput};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::*;
use crate::connect_spec::{ClientInfo, ConnectSpec, HttpSpec, ProtocolEra, Timeouts, TransportLimits};
use crate::event::{EventSink, ListKind, SessionEvent};
use crate::session::{Progress, RequestOptions};

/// One request as the server saw it.
#[derive(Debug, Clone)]
struct Seen {
    method: String,
    path: String,
    headers: http::HeaderMap,
    body: Value,
}

impl Seen {
    fn rpc(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

struct Mock {
    url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    _server: JoinSet<()>,
}

impl Mock {
    /// Starts a server. `answer` may decline; then the request is answered as a good server does.
    async fn start(answer: impl Fn(&Seen) -> Option<Response> + Clone + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let app = axum::Router::new().fallback(move |request: Request| {
            let (answer, log) = (answer.clone(), Arc::clone(&log));
            async move {
                let (parts, body) = request.into_parts();
                let bytes = axum::body::to_bytes(body, 1 << 20).await.unwrap();
                let seen = Seen {
                    method: parts.method.to_string(),
                    path: parts.uri.path().to_owned(),
                    headers: parts.headers,
                    body: serde_json::from_slice(&bytes).unwrap_or_default(),
                };
                log.lock().unwrap().push(seen.clone());
                answer(&seen).unwrap_or_else(|| well_behaved(&seen))
            }
        });
        let mut server = JoinSet::new();
        server.spawn(async move {
            axum::serve(listener, app).await.unwrap();
        });
        Self { url, seen, _server: server }
    }

    fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

fn reply(status: u16, content_type: &str, body: impl Into<Body>) -> Response {
    let mut response = Response::builder().status(status);
    if !content_type.is_empty() {
        response = response.header("content-type", content_type);
    }
    response.body(body.into()).unwrap()
}

fn result(seen: &Seen, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, seen.body["id"])
}

const INITIALIZED: &str = r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"x":1.50},"serverInfo":{"name":"mock","version":"1"}}"#;

fn well_behaved(seen: &Seen) -> Response {
    match (seen.method.as_str(), seen.rpc()) {
        ("POST", "initialize") => {
            let mut response = reply(200, "application/json", result(seen, INITIALIZED));
            response.headers_mut().insert("mcp-session-id", "s-1".parse().unwrap());
            response
        }
        ("POST", method) if method.starts_with("notifications/") => reply(202, "", ""),
        ("POST", _) => {
            reply(200, "application/json", result(seen, r#"{"content":[{"type":"text","text":"ok"}]}"#))
        }
        ("DELETE", _) => reply(200, "", ""),
        _ => reply(405, "", ""),
    }
}

fn events(chunks: Vec<String>) -> Response {
    let stream =
        futures::stream::iter(chunks.into_iter().map(|chunk| Ok::<_, Infallible>(Bytes::from(chunk))));
    reply(200, "text/event-stream", Body::from_stream(stream))
}

fn on_call(
    answer: impl Fn(&Seen) -> Response + Clone + Send + Sync + 'static,
) -> impl Fn(&Seen) -> Option<Response> + Clone + Send + Sync + 'static {
    move |seen| (seen.rpc() == "tools/call").then(|| answer(seen))
}

fn request_with(http: HttpSpec, limits: TransportLimits, events: EventSink) -> ConnectRequest {
    let spec = ConnectSpec {
        server: ServerName::new("mock").unwrap(),
        transport: TransportSpec::Http(http),
        timeouts: Timeouts { startup: Duration::from_secs(10), ..Timeouts::default() },
        limits,
        client: ClientInfo { name: "test".to_owned(), version: "0".to_owned() },
        era: ProtocolEra::Legacy,
    };
    ConnectRequest { spec: Arc::new(spec), epoch: Epoch::new(1), events, host: Arc::new(HeadlessHost) }
}

fn plain(url: &str) -> HttpSpec {
    HttpSpec { url: url.to_owned(), headers: Vec::new(), bearer: None }
}

async fn open(url: &str) -> Result<Session, Failure> {
    connect(request_with(plain(url), TransportLimits::default(), EventSink::ignore())).await
}

async fn call(session: &Session, options: RequestOptions) -> Result<ToolOutput, Failure> {
    session.call_tool(&ToolName::new("t").unwrap(), &Arguments::empty(), options).await
}

#[tokio::test]
async fn a_json_reply_keeps_every_field_as_it_was_written() {
    let written = r#"{"content":[{"type":"text","text":"hi","extra":1.50}],"future":{"n":12345678901234567890.10},"isError":false}"#;
    let mock = Mock::start(on_call(move |seen| reply(200, "application/json", result(seen, written)))).await;
    let session = open(&mock.url).await.unwrap();
    let output = call(&session, RequestOptions::default()).await.unwrap();
    let text = serde_json::to_string(&output.to_object()).unwrap();
    assert!(text.contains(r#""extra":1.50"#) && text.contains("12345678901234567890.10"), "{text}");
    assert_eq!(session.facts().capabilities.raw.get("x").unwrap().get(), "1.50");
    session.close(Duration::from_secs(1)).await;
}

#[tokio::test]
async fn the_session_id_and_the_revision_travel_and_the_session_is_deleted() {
    let mock = Mock::start(|_| None).await;
    let spec = HttpSpec {
        headers: vec![("X-Key".to_owned(), Secret::new("k".to_owned()))],
        bearer: Some(Secret::new("token".to_owned())),
        ..plain(&mock.url)
    };
    let request = request_with(spec, TransportLimits::default(), EventSink::ignore());
    let session = connect(request).await.unwrap();
    call(&session, RequestOptions::default()).await.unwrap();
    session.close(Duration::from_secs(1)).await;
    let seen = mock.seen();
    for request in &seen {
        assert_eq!(request.header("authorization"), Some("Bearer token"), "{request:?}");
        assert_eq!(request.header("x-key"), Some("k"), "{request:?}");
        if request.rpc() != "initialize" {
            assert_eq!(request.header("mcp-session-id"), Some("s-1"), "{request:?}");
            assert_eq!(request.header("mcp-protocol-version"), Some("2025-06-18"), "{request:?}");
        }
    }
    assert!(seen.first().unwrap().header("accept").unwrap().contains("text/event-stream"));
    assert_eq!(seen.last().unwrap().method, "DELETE");
}

#[tokio::test]
async fn an_event_stream_brings_progress_before_its_result() {
    let mock = Mock::start(on_call(|seen| {
        let token = &seen.body["params"]["_meta"]["progressToken"];
        let progress = json!({"jsonrpc":"2.0","method":"notifications/progress",
            "params":{"progressToken":token,"progress":1,"total":2,"message":"half"}});
        events(vec![
            ": hello\n\nid: 1\ndata:\n\n".to_owned(),
            format!("event: message\ndata: {progress}\n\n"),
            format!("data: {}\n\n", result(seen, r#"{"content":[{"type":"text","text":"done","y":1.0}]}"#)),
        ])
    }))
    .await;
    let session = open(&mock.url).await.unwrap();
    let (sender, mut progress) = mpsc::channel(4);
    let options = RequestOptions {
        progress: Some(Arc::new(move |step: Progress| sender.try_send(step).unwrap())),
        ..RequestOptions::default()
    };
    let output = call(&session, options).await.unwrap();
    assert_eq!(output.joined_text(), "done");
    let step = Progress { progress: 1.0, total: Some(2.0), message: Some("half".to_owned()) };
    assert_eq!(progress.try_recv().unwrap(), step);
    session.close(Duration::from_secs(1)).await;
}

#[tokio::test]
async fn an_initialize_answered_by_an_event_stream_opens_a_session() {
    let mock = Mock::start(|seen| {
        (seen.rpc() == "initialize").then(|| events(vec![format!("data: {}\n\n", result(seen, INITIALIZED))]))
    })
    .await;
    let session = open(&mock.url).await.unwrap();
    assert_eq!(session.facts().server_name, "mock");
    assert_eq!(session.facts().capabilities.raw.get("x").unwrap().get(), "1.50");
    call(&session, RequestOptions::default()).await.unwrap();
}

#[tokio::test]
async fn a_server_that_refuses_our_revision_is_asked_for_its_own() {
    let mock = Mock::start(|seen| {
        let refused = seen.rpc() == "initialize" && seen.body["params"]["protocolVersion"] == "2025-11-25";
        let error = json!({"jsonrpc":"2.0","id":seen.body["id"],"error":{"code":-32602,
            "message":"Unsupported protocol version","data":{"supported":["2025-06-18"]}}});
        refused.then(|| reply(400, "application/json", error.to_string()))
    })
    .await;
    let session = open(&mock.url).await.unwrap();
    assert_eq!(session.facts().protocol_version, "2025-06-18");
}

#[tokio::test]
async fn a_401_asks_for_a_sign_in_with_or_without_a_challenge() {
    for challenge in [None, Some("Bearer resource_metadata=\"https://x/\"")] {
        let mock = Mock::start(move |_| {
            let mut response = reply(401, "application/json", r#"{"error":"unauthorized"}"#);
            if let Some(challenge) = challenge {
                response.headers_mut().insert("www-authenticate", challenge.parse().unwrap());
            }
            Some(response)
        })
        .await;
        let failure = open(&mock.url).await.unwrap_err();
        let expect = FailureClass::AuthRequired { challenge: challenge.map(str::to_owned) };
        assert_eq!(failure.class, expect, "{failure}");
    }
}

#[tokio::test]
async fn a_401_on_the_second_request_is_the_reason_of_the_failed_start() {
    let mock =
        Mock::start(|seen| (seen.rpc() == "notifications/initialized").then(|| reply(401, "", ""))).await;
    let failure = open(&mock.url).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::AuthRequired { challenge: None }, "{failure}");
}

#[tokio::test]
async fn fc_013_a_lost_session_is_told_apart_and_not_renewed_in_silence() {
    let answers: [fn(&Seen) -> Response; 4] = [
        |_| {
            reply(
                404,
                "application/json",
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"x"}}"#,
            )
        },
        |_| reply(400, "text/plain", "Bad Request: No valid session ID provided"),
        |_| {
            let error = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}"#;
            reply(400, "application/json", error)
        },
        |seen| {
            let error = json!({"jsonrpc":"2.0","id":seen.body["id"],"error":{"code":-32000,"message":"Server not initialized"}});
            events(vec![format!("data: {error}\n\n")])
        },
    ];
    for answer in answers {
        let mock = Mock::start(on_call(answer)).await;
        let session = open(&mock.url).await.unwrap();
        let failure = call(&session, RequestOptions::default()).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::SessionExpired, "{failure}");
        assert!(!session.is_closed());
        let handshakes = mock.seen().iter().filter(|seen| seen.rpc() == "initialize").count();
        assert_eq!(handshakes, 1);
    }
}

#[tokio::test]
async fn a_json_rpc_error_is_the_servers_word_whatever_its_status() {
    for status in [200, 400, 500] {
        let mock = Mock::start(on_call(move |_| {
            let error = r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32602,"message":"bad","data":{"a":1}}}"#;
            reply(status, "application/json", error)
        }))
        .await;
        let session = open(&mock.url).await.unwrap();
        let failure = call(&session, RequestOptions::default()).await.unwrap_err();
        let expect = FailureClass::Refused { code: -32602, data: Some(r#"{"a":1}"#.to_owned()) };
        assert_eq!(failure.class, expect, "{status}");
    }
}

#[tokio::test]
async fn a_body_over_the_limit_fails_its_call_and_the_session_lives_on() {
    let answers: [fn(&Seen) -> Response; 3] = [
        |seen| reply(200, "application/json", result(seen, &format!("\"{}\"", "x".repeat(5000)))),
        |seen| {
            let text = result(seen, &format!("\"{}\"", "x".repeat(5000)));
            let (left, right) = text.split_at(3000);
            let halves = vec![left.to_owned(), right.to_owned()];
            let body = futures::stream::iter(halves.into_iter().map(Ok::<_, Infallible>));
            reply(200, "application/json", Body::from_stream(body))
        },
        |seen| events(vec![format!("data: {}\n\n", result(seen, &format!("\"{}\"", "x".repeat(5000))))]),
    ];
    for answer in answers {
        let mock = Mock::start(on_call(answer)).await;
        let limits = TransportLimits { max_message_bytes: 4096, ..TransportLimits::default() };
        let session = connect(request_with(plain(&mock.url), limits, EventSink::ignore())).await.unwrap();
        let failure = call(&session, RequestOptions::default()).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::TooLarge { limit: 4096 }, "{failure}");
        assert_eq!(session.pending_requests(), 0);
        session.list_tools().await.unwrap_err();
        assert!(!session.is_closed());
    }
}

#[tokio::test]
async fn a_stream_that_ends_or_speaks_nonsense_fails_its_call_at_once() {
    for (data, class) in [
        (String::new(), FailureClass::Closed),
        ("data: oops\n\n".to_owned(), FailureClass::Protocol),
        ("data: {\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}\n\n".to_owned(), FailureClass::Closed),
    ] {
        let mock = Mock::start(on_call(move |_| events(vec![data.clone()]))).await;
        let session = open(&mock.url).await.unwrap();
        let failure = call(&session, RequestOptions::default()).await.unwrap_err();
        assert_eq!(failure.class, class, "{failure}");
    }
}

#[tokio::test]
async fn a_stream_with_event_ids_is_taken_up_again() {
    let mock = Mock::start(|seen| match (seen.method.as_str(), seen.rpc(), seen.header("last-event-id")) {
        (_, "tools/call", _) => Some(events(vec!["id: e-1\nretry: 20\ndata:\n\n".to_owned()])),
        ("GET", _, Some("e-1")) => {
            let text =
                r#"{"jsonrpc":"2.0","id":1000001,"result":{"content":[{"type":"text","text":"later"}]}}"#;
            Some(events(vec![format!("id: e-2\ndata: {text}\n\n")]))
        }
        _ => None,
    })
    .await;
    let session = open(&mock.url).await.unwrap();
    let output = call(&session, RequestOptions::default()).await.unwrap();
    assert_eq!(output.joined_text(), "later");
}

#[tokio::test]
async fn a_stream_that_cannot_be_taken_up_again_fails_its_call() {
    let mock = Mock::start(on_call(|_| events(vec!["id: e-1\nretry: 20\ndata:\n\n".to_owned()]))).await;
    let session = open(&mock.url).await.unwrap();
    let failure = call(&session, RequestOptions::default()).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Closed, "{failure}");
    assert!(failure.message.contains("does not go on"), "{failure}");
}

#[tokio::test]
async fn a_page_is_said_to_be_no_mcp_server() {
    let mock = Mock::start(|_| Some(reply(200, "text/html; charset=utf-8", "<html>canary</html>"))).await;
    let failure = open(&mock.url).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Protocol);
    assert!(failure.message.contains("does not appear to speak MCP"), "{failure}");
    assert!(failure.message.contains("text/html") && !failure.message.contains("canary"), "{failure}");
}

#[tokio::test]
async fn a_refused_connection_names_the_host_and_nothing_secret() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let failure = open(&format!("http://user:canary@{address}/canary?key=canary")).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Unreachable);
    assert_eq!(failure.message, format!("could not connect to {address}: the connection was refused"));
}

#[tokio::test]
async fn a_bad_header_value_is_found_before_anything_is_sent() {
    let mock = Mock::start(|_| None).await;
    let spec = HttpSpec {
        headers: vec![("X-Key".to_owned(), Secret::new("canary\n".repeat(2)))],
        ..plain(&mock.url)
    };
    let request = request_with(spec, TransportLimits::default(), EventSink::ignore());
    assert!(!format!("{request:?}").contains("canary"));
    let failure = connect(request).await.unwrap_err();
    assert!(!failure.message.contains("canary"), "{failure}");
    assert!(mock.seen().is_empty());
}

#[tokio::test]
async fn fc_016_a_refused_standing_stream_is_no_error() {
    for status in [200, 400, 404, 405, 406, 501] {
        let mock =
            Mock::start(move |seen| (seen.method == "GET").then(|| reply(status, "text/html", "no"))).await;
        let session = open(&mock.url).await.unwrap();
        call(&session, RequestOptions::default()).await.unwrap();
        session.close(Duration::from_secs(1)).await;
        let probes = mock.seen().iter().filter(|seen| seen.method == "GET").count();
        assert!(probes <= 1, "{status}: {probes}");
    }
}

#[tokio::test]
async fn fc_018_any_success_accepts_a_notification() {
    for (status, content_type, body) in [
        (200, "", ""),
        (200, "application/json", ""),
        (200, "application/json", "null"),
        (200, "application/json", "{}"),
        (204, "", ""),
        (202, "text/plain", "Accepted"),
    ] {
        let mock = Mock::start(move |seen| {
            (seen.rpc() == "notifications/initialized").then(|| reply(status, content_type, body))
        })
        .await;
        let session = open(&mock.url).await.unwrap();
        call(&session, RequestOptions::default()).await.unwrap();
    }
}

#[tokio::test]
async fn fc_102_a_redirect_within_the_origin_repeats_the_request_whole() {
    let mock = Mock::start(|seen| {
        (seen.path == "/mcp").then(|| {
            let mut response = reply(307, "", "");
            response.headers_mut().insert("location", "/mcp/".parse().unwrap());
            response
        })
    })
    .await;
    let session = open(&mock.url).await.unwrap();
    call(&session, RequestOptions::default()).await.unwrap();
}

#[tokio::test]
async fn fc_102_no_redirect_carries_headers_to_a_stranger() {
    let stranger = Mock::start(|_| None).await;
    let elsewhere = stranger.url.clone();
    for status in [301, 302, 303, 307, 308] {
        let location = elsewhere.clone();
        let mock = Mock::start(move |_| {
            let mut response = reply(status, "", "");
            response.headers_mut().insert("location", location.parse().unwrap());
            Some(response)
        })
        .await;
        let failure = open(&mock.url).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Protocol, "{failure}");
        assert!(failure.message.contains("redirects to http://127.0.0.1:"), "{failure}");
    }
    assert!(stranger.seen().is_empty());
}

#[tokio::test]
async fn the_standing_stream_brings_notices_in_their_order() {
    let mock = Mock::start(|seen| {
        (seen.method == "GET").then(|| {
            let notices = ["notifications/tools/list_changed", "notifications/prompts/list_changed"];
            let chunks =
                notices.map(|method| format!("data: {}\n\n", json!({"jsonrpc":"2.0","method":method})));
            let stream = futures::stream::iter(chunks.map(Ok::<_, Infallible>));
            let open = futures::StreamExt::chain(stream, futures::stream::pending());
            reply(200, "text/event-stream", Body::from_stream(open))
        })
    })
    .await;
    let (sender, mut received) = mpsc::channel(8);
    let sink = EventSink::new(move |event| drop(sender.try_send(event)));
    let session = connect(request_with(plain(&mock.url), TransportLimits::default(), sink)).await.unwrap();
    for expect in [ListKind::Tools, ListKind::Prompts] {
        let event = received.recv().await.unwrap();
        assert!(matches!(event, SessionEvent::ListChanged(kind) if kind == expect), "{event:?}");
    }
    session.close(Duration::from_secs(1)).await;
    assert!(matches!(received.recv().await.unwrap(), SessionEvent::Ended(_)));
}

#[tokio::test]
async fn a_start_that_hangs_ends_in_time() {
    let mock = Mock::start(|_| {
        Some(reply(
            200,
            "text/event-stream",
            Body::from_stream(futures::stream::pending::<Result<Bytes, Infallible>>()),
        ))
    })
    .await;
    let mut request = request_with(plain(&mock.url), TransportLimits::default(), EventSink::ignore());
    Arc::get_mut(&mut request.spec).unwrap().timeouts.startup = Duration::from_millis(100);
    assert_eq!(connect(request).await.unwrap_err().class, FailureClass::Timeout);
}
