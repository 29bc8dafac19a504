//! A server by hand: tests read what the client sent and write what they like.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_types::{Arguments, Epoch, HeadlessHost, Host, ServerName, ToolName, ToolOutput};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex, split,
};
use tokio::sync::watch;

use crate::classify::Failure;
use crate::connect_spec::{
    BaseEnv, ClientInfo, ConnectSpec, ProtocolEra, StdioSpec, Timeouts, TransportLimits, TransportSpec,
};
use crate::connector::ConnectRequest;
use crate::event::{EventSink, SessionEvent};
use crate::session::{RequestOptions, Session};
use crate::stream::open_stream;

/// A spec for in-memory streams.
pub(crate) fn spec() -> ConnectSpec {
    ConnectSpec {
        server: ServerName::new("demo").unwrap(),
        transport: TransportSpec::Stdio(StdioSpec {
            command: "demo".to_owned(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: None,
            base_env: Arc::new(BaseEnv::default()),
        }),
        timeouts: Timeouts::default(),
        limits: TransportLimits::default(),
        client: ClientInfo { name: "tests".to_owned(), version: "1".to_owned() },
        era: ProtocolEra::Legacy,
    }
}

/// Remembers the events of a session.
#[derive(Clone)]
pub(crate) struct EventLog {
    events: Arc<Mutex<Vec<SessionEvent>>>,
    count: watch::Sender<usize>,
}

impl EventLog {
    pub(crate) fn new() -> Self {
        Self { events: Arc::default(), count: watch::Sender::new(0) }
    }

    pub(crate) fn sink(&self) -> EventSink {
        let log = self.clone();
        EventSink::new(move |event| {
            log.events.lock().unwrap().push(event);
            log.count.send_modify(|count| *count += 1);
        })
    }

    pub(crate) async fn wait_for(&self, count: usize) {
        self.count.subscribe().wait_for(|seen| *seen >= count).await.unwrap();
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        self.events.lock().unwrap().iter().map(describe).collect()
    }

    pub(crate) fn ends(&self) -> Vec<Failure> {
        let events = self.events.lock().unwrap();
        let ends = events.iter().filter_map(|event| {
            let SessionEvent::Ended(failure) = event else { return None };
            Some(failure.clone())
        });
        ends.collect()
    }
}

fn describe(event: &SessionEvent) -> String {
    match event {
        SessionEvent::ListChanged(kind) => format!("list {kind:?}"),
        SessionEvent::ResourceUpdated { uri } => format!("updated {uri}"),
        SessionEvent::Log { raw } => format!("log {}", raw.get()),
        SessionEvent::Other { method, params } => {
            format!("other {method} {}", params.as_ref().map_or("-", |raw| raw.get()))
        }
        SessionEvent::NoiseSkipped { lines } => format!("noise {lines}"),
        SessionEvent::Ended(failure) => format!("ended {failure}"),
    }
}

/// What a test session is opened with.
pub(crate) struct Setup {
    pub(crate) spec: ConnectSpec,
    pub(crate) epoch: u64,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) capabilities: Value,
    pub(crate) log: EventLog,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            spec: spec(),
            epoch: 0,
            host: Arc::new(HeadlessHost),
            capabilities: json!({"tools": {"listChanged": true}}),
            log: EventLog::new(),
        }
    }
}

impl Setup {
    pub(crate) fn request(&self) -> ConnectRequest {
        ConnectRequest {
            spec: Arc::new(self.spec.clone()),
            epoch: Epoch::new(self.epoch),
            events: self.log.sink(),
            host: Arc::clone(&self.host),
        }
    }

    /// Starts to open a session; the test plays the handshake.
    pub(crate) fn dial(&self) -> (impl Future<Output = Result<Session, Failure>> + use<>, Server) {
        let (ours, theirs) = duplex(16 * 1024);
        let (reader, writer) = split(ours);
        let opening = open_stream(self.request(), reader, writer);
        let (reader, writer) = split(theirs);
        (opening, Server { lines: BufReader::new(reader).lines(), writer, handshake: Value::Null })
    }

    /// Opens a session.
    pub(crate) async fn open(&self) -> (Session, Server) {
        let (opening, mut server) = self.dial();
        let (session, ()) = tokio::join!(opening, server.handshake(&self.capabilities));
        (session.unwrap(), server)
    }
}

/// The server's end of the stream.
pub(crate) struct Server {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    /// The parameters of `initialize`.
    pub(crate) handshake: Value,
}

impl Server {
    pub(crate) async fn handshake(&mut self, capabilities: &Value) {
        let initialize = self.receive().await;
        assert_eq!(initialize["method"], "initialize");
        self.handshake = initialize["params"].clone();
        let result = json!({
            "protocolVersion": initialize["params"]["protocolVersion"],
            "capabilities": capabilities,
            "serverInfo": {"name": "by-hand", "version": "3"},
        });
        self.reply(&initialize["id"], &result).await;
        assert_eq!(self.receive().await["method"], "notifications/initialized");
    }

    /// Gives the next message; fails at the end of the stream.
    pub(crate) async fn receive(&mut self) -> Value {
        self.receive_line()
            .await
            .map(|line| serde_json::from_str(&line).unwrap())
            .expect("the client has left")
    }

    pub(crate) async fn receive_line(&mut self) -> Option<String> {
        self.lines.next_line().await.unwrap()
    }

    pub(crate) async fn reply(&mut self, id: &Value, result: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.write(&format!("{message}\n")).await;
    }

    pub(crate) async fn writer_bytes(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.unwrap();
    }

    pub(crate) async fn write(&mut self, text: &str) {
        self.writer.write_all(text.as_bytes()).await.unwrap();
    }
}

/// A result of one text block.
pub(crate) fn text_result(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

/// Calls the tool `work`.
pub(crate) async fn call(session: &Session, options: RequestOptions) -> Result<ToolOutput, Failure> {
    session.call_tool(&ToolName::new("work").unwrap(), &Arguments::empty(), options).await
}

/// Options with a bound on silence.
pub(crate) fn within(timeout: Duration) -> RequestOptions {
    RequestOptions { timeout: Some(timeout), ..RequestOptions::default() }
}
