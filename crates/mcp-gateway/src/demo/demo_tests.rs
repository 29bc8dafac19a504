//! The demo over byte streams and over HTTP, driven by plain JSON lines.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::*;

/// A client that writes and reads lines.
struct Client {
    lines: tokio::io::Lines<BufReader<tokio::io::ReadHalf<DuplexStream>>>,
    writer: tokio::io::WriteHalf<DuplexStream>,
    server: JoinSet<Result<(), GatewayError>>,
    next_id: u64,
}

impl Client {
    async fn open() -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(theirs);
        let mut server = JoinSet::new();
        server.spawn(serve_demo_stream(reader, writer));
        let (reader, writer) = tokio::io::split(ours);
        let mut client = Self { lines: BufReader::new(reader).lines(), writer, server, next_id: 0 };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
        let result = client.ask("initialize", hello).await;
        assert_eq!(result["serverInfo"]["name"], "wharf-demo");
        assert!(result["instructions"].as_str().unwrap().contains("sleep"));
        client.say("notifications/initialized", json!({})).await;
        client
    }

    async fn write(&mut self, message: Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn read(&mut self) -> Value {
        serde_json::from_str(&self.lines.next_line().await.unwrap().unwrap()).unwrap()
    }

    async fn say(&mut self, method: &str, params: Value) {
        self.write(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params});
        self.write(message).await;
        self.next_id
    }

    /// Asks and gives the result; a JSON-RPC error is given whole.
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        loop {
            let mut message = self.read().await;
            if message["id"] == id {
                let result = message["result"].take();
                return if result.is_null() { message } else { result };
            }
        }
    }

    async fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": name, "arguments": arguments})).await
    }

    async fn names(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", json!({})).await;
        listed["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn echo_and_add_answer_in_text_and_structure() {
    let mut client = Client::open().await;
    let echoed = client.call("echo", json!({"message": "hé"})).await;
    assert_eq!(text(&echoed), "hé");
    assert_eq!(echoed["structuredContent"], json!({"message": "hé"}));
    assert_eq!(client.call("add", json!({"a": 2, "b": 3})).await["structuredContent"], json!({"sum": 5}));
    assert_eq!(text(&client.call("add", json!({"a": 0.5, "b": 1})).await), "1.5");
}

#[tokio::test]
async fn every_tool_has_a_description_a_schema_and_annotations() {
    let mut client = Client::open().await;
    client.call("grow", json!({})).await;
    let listed = client.ask("tools/list", json!({})).await;
    for tool in listed["tools"].as_array().unwrap() {
        assert!(tool["description"].as_str().unwrap().len() > 10, "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{tool}");
    }
}

#[tokio::test]
async fn wrong_arguments_and_failures_are_results_and_unknown_tools_are_errors() {
    let mut client = Client::open().await;
    let failed = client.call("fail", json!({"message": "because"})).await;
    assert_eq!((text(&failed), &failed["isError"]), ("because", &json!(true)));
    let wrong = client.call("echo", json!({"text": "x"})).await;
    assert_eq!(wrong["isError"], true);
    assert!(text(&wrong).contains("message"), "{wrong}");
    assert_eq!(client.call("nothing", json!({})).await["error"]["code"], -32602);
    assert_eq!(client.call("grown_1", json!({})).await["error"]["code"], -32602);
}

#[tokio::test]
async fn blob_writes_as_much_as_asked_within_its_bound() {
    let mut client = Client::open().await;
    let lines = client.call("blob", json!({"lines": 250})).await;
    assert_eq!(text(&lines).lines().count(), 250);
    let bytes = client.call("blob", json!({"bytes": 70_000})).await;
    assert_eq!(text(&bytes).len(), 70_000);
    for arguments in [json!({"bytes": u64::MAX}), json!({"lines": u64::MAX}), json!({"lines": 1, "bytes": 1})]
    {
        assert_eq!(client.call("blob", arguments.clone()).await["isError"], true, "{arguments}");
    }
}

#[tokio::test]
async fn grow_tells_that_the_list_changed_and_adds_a_tool_that_works() {
    let mut client = Client::open().await;
    let before = client.names().await;
    let id = client.send("tools/call", json!({"name": "grow"})).await;
    let (first, second) = (client.read().await, client.read().await);
    let (notice, reply) = if first["id"] == id { (second, first) } else { (first, second) };
    assert_eq!(notice["method"], "notifications/tools/list_changed");
    assert_eq!(reply["result"]["isError"], false);
    let after = client.names().await;
    assert_eq!(after.len(), before.len() + 1);
    assert_eq!(after.last().unwrap(), "grown_1");
    assert_eq!(text(&client.call("grown_1", json!({})).await), "this is tool number 1");
}

#[tokio::test]
async fn sleep_reports_progress_and_then_answers() {
    let mut client = Client::open().await;
    let params = json!({"name": "sleep", "arguments": {"ms": 20}, "_meta": {"progressToken": "p"}});
    let id = client.send("tools/call", params).await;
    let mut steps = Vec::new();
    loop {
        let message = client.read().await;
        if message["id"] == id {
            assert_eq!(text(&message["result"]), "slept for 20 ms");
            break;
        }
        assert_eq!(message["params"]["progressToken"], "p");
        steps.push(message["params"]["progress"].as_f64().unwrap());
    }
    assert!(!steps.is_empty() && steps.is_sorted(), "{steps:?}");
}

#[tokio::test]
async fn a_cancelled_sleep_stops_and_the_session_goes_on() {
    let mut client = Client::open().await;
    let params = json!({"name": "sleep", "arguments": {"ms": 600_000}});
    let id = client.send("tools/call", params).await;
    client.say("notifications/cancelled", json!({"requestId": id})).await;
    assert_eq!(text(&client.call("echo", json!({"message": "on"})).await), "on");
    // The end waits for running tools, so it comes at once only when the sleep has stopped.
    let Client { lines, writer, mut server, .. } = client;
    drop((lines, writer));
    let ended = tokio::time::timeout(Duration::from_secs(3), server.join_next()).await;
    assert!(ended.unwrap().unwrap().unwrap().is_ok());
}

#[tokio::test]
async fn counter_counts_and_environment_tells_names_alone() {
    let mut client = Client::open().await;
    assert_eq!(client.call("counter", json!({})).await["structuredContent"], json!({"count": 1}));
    assert_eq!(client.call("counter", json!({})).await["structuredContent"], json!({"count": 2}));
    let names = client.call("environment", json!({})).await["structuredContent"]["names"].clone();
    assert!(names.as_array().unwrap().contains(&json!("PATH")), "{names}");
    assert!(names.as_array().unwrap().iter().all(|name| !name.as_str().unwrap().contains('=')));
}

#[tokio::test]
async fn picture_resources_and_prompts_are_complete() {
    let mut client = Client::open().await;
    let picture = client.call("picture", json!({})).await;
    assert_eq!(
        (&picture["content"][0]["type"], &picture["content"][0]["mimeType"]),
        (&json!("image"), &json!("image/png"))
    );
    let resources = client.ask("resources/list", json!({})).await;
    assert_eq!(resources["resources"].as_array().unwrap().len(), 2);
    let templates = client.ask("resources/templates/list", json!({})).await;
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "demo://note/{id}");
    let note = client.ask("resources/read", json!({"uri": "demo://note/7"})).await;
    assert_eq!(note["contents"][0]["text"], "This is note 7.");
    let missing = client.ask("resources/read", json!({"uri": "demo://none"})).await;
    assert_eq!(missing["error"]["code"], -32002);
    assert_eq!(client.ask("prompts/list", json!({})).await["prompts"].as_array().unwrap().len(), 2);
    let greeting = client.ask("prompts/get", json!({"name": "greet", "arguments": {"name": "Ada"}})).await;
    assert!(greeting["messages"][0]["content"]["text"].as_str().unwrap().contains("Ada"));
    let incomplete = client.ask("prompts/get", json!({"name": "summarise"})).await;
    assert_eq!(incomplete["error"]["code"], -32602);
}

#[tokio::test]
async fn a_client_that_leaves_ends_the_server() {
    let Client { lines, writer, mut server, .. } = Client::open().await;
    drop((lines, writer));
    assert!(server.join_next().await.unwrap().unwrap().is_ok());
}

/// Posts an `initialize` with one more header and gives the status line.
async fn post(address: std::net::SocketAddr, host: &str, header: &str) -> String {
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}})
    .to_string();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: {host}\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\nconnection: close\r\n{header}content-length: {}\r\n\r\n{hello}",
        hello.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).await.unwrap();
    String::from_utf8_lossy(&status).into_owned()
}

#[tokio::test]
async fn fc_084_http_answers_loopback_hosts_and_no_web_page_until_it_is_cancelled() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let cancel = CancellationToken::new();
    let mut server = JoinSet::new();
    server.spawn(serve_demo_http(listener, cancel.clone()));
    assert_eq!(post(address, &address.to_string(), "").await, "HTTP/1.1 200");
    assert_eq!(post(address, "evil.example", "").await, "HTTP/1.1 403");
    assert_eq!(post(address, &address.to_string(), "origin: https://evil.example\r\n").await, "HTTP/1.1 403");
    cancel.cancel();
    assert!(server.join_next().await.unwrap().unwrap().is_ok());
}
