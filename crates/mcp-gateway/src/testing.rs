//! A runtime over scripted servers, and a client that speaks raw lines to the gateway.

use std::sync::Arc;

use mcp_testkit::{FakeConnector, Script, ScriptHandle};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use wharf::{Environment, Runtime, ServerDefinition};

use crate::GatewayError;
use crate::stdio::serve_stream;

/// A runtime with one scripted server, `demo`.
pub(crate) struct Bench {
    pub(crate) runtime: Runtime,
    pub(crate) connector: FakeConnector,
    pub(crate) demo: ScriptHandle,
}

impl Bench {
    pub(crate) async fn new(script: Script) -> Self {
        Self::with_servers(script, &["demo"]).await
    }

    /// A bench with these servers; all but `demo` cannot be reached.
    pub(crate) async fn with_servers(script: Script, names: &[&str]) -> Self {
        let connector = FakeConnector::new();
        let demo = connector.serve("demo", script);
        let mut builder = Runtime::builder()
            .environment(Environment::new([], "/nowhere"))
            .without_cache()
            .connector(Arc::new(connector.clone()));
        for name in names {
            builder = builder.server(name, ServerDefinition::stdio("unused")).unwrap();
        }
        Self { runtime: builder.build().await.unwrap(), connector, demo }
    }

    /// A bench whose server is connected, so that its tools are known.
    pub(crate) async fn connected(script: Script) -> Self {
        let bench = Self::new(script).await;
        bench.runtime.connect("demo").await.unwrap();
        bench
    }
}

/// A client of [`serve_stream`] over an in-memory stream.
pub(crate) struct LineClient {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    serving: JoinSet<Result<(), GatewayError>>,
    pub(crate) shutdown: CancellationToken,
    /// Notifications that came while an answer was awaited.
    pub(crate) notices: Vec<Value>,
}

impl LineClient {
    pub(crate) fn unopened(runtime: &Runtime) -> Self {
        let (client, server) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(server);
        let shutdown = CancellationToken::new();
        let mut serving = JoinSet::new();
        serving.spawn(serve_stream(runtime.clone(), reader, writer, "test", shutdown.clone()));
        let (reader, writer) = tokio::io::split(client);
        Self { lines: BufReader::new(reader).lines(), writer, serving, shutdown, notices: Vec::new() }
    }

    pub(crate) async fn open(runtime: &Runtime) -> Self {
        let mut client = Self::unopened(runtime);
        client.initialize("2025-11-25").await;
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    pub(crate) async fn initialize(&mut self, version: &str) -> Value {
        self.request("initialize", initialize_params(version)).await
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.send_line(&message.to_string()).await;
    }

    pub(crate) async fn send_line(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// Gives the next message; `None` when the gateway has closed the stream.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.unwrap()?;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// Sends a request whose id is its method, and gives its answer without the envelope.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        self.send(json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params})).await;
        self.answer(method).await
    }

    /// Waits for the answer to a request: its result, or an object with its error.
    pub(crate) async fn answer(&mut self, id: &str) -> Value {
        loop {
            let message = self.next().await.expect("the gateway closed the stream");
            if message.get("id") != Some(&json!(id)) {
                self.notices.push(message);
                continue;
            }
            return message.get("result").cloned().unwrap_or_else(|| json!({"error": message["error"]}));
        }
    }

    /// Calls the one tool.
    pub(crate) async fn mcp(&mut self, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": "mcp", "arguments": arguments})).await
    }

    /// Leaves, and waits for the gateway to end.
    pub(crate) async fn leave(mut self) -> Result<(), GatewayError> {
        self.writer.shutdown().await.unwrap();
        self.serving.join_next().await.unwrap().unwrap()
    }

    /// Waits for the gateway to end by itself.
    pub(crate) async fn ended(&mut self) -> Result<(), GatewayError> {
        self.serving.join_next().await.unwrap().unwrap()
    }
}

pub(crate) fn initialize_params(version: &str) -> Value {
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
}

pub(crate) fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}
