//! What a scripted server does, and the handle by which a test watches and steers it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_transport::ListKind;
use serde_json::{Value, json};
use tokio::sync::{broadcast, watch};

/// How a scripted server answers a tool call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// One text block that holds the arguments as JSON.
    Echo,
    /// This `tools/call` result.
    Result(Value),
    /// A result with `isError` and this text.
    ToolError(String),
    /// A JSON-RPC error.
    Refuse {
        /// Its code.
        code: i64,
        /// Its message.
        message: String,
    },
    /// The inner answer after a time; a cancellation takes it back.
    After(Duration, Box<Answer>),
    /// The inner answer after a time, cancelled or not.
    Late(Duration, Box<Answer>),
    /// So many progress notifications, then the inner answer.
    Progress(u32, Box<Answer>),
    /// Asks the client this first, then answers with one text block that holds the client's whole reply as JSON.
    Ask {
        /// The method of the question.
        method: String,
        /// Its parameters.
        params: Value,
    },
    /// The inner answer under an id that no request has, then the inner answer itself.
    WrongIdFirst(Box<Answer>),
    /// The inner answer twice.
    Twice(Box<Answer>),
    /// This line as it is, without an answer.
    Line(String),
    /// Never.
    Hang,
    /// The connection ends instead.
    Exit,
}

impl Answer {
    /// A result of one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Result(json!({"content": [{"type": "text", "text": text.into()}]}))
    }

    /// This answer after a time; a cancellation takes it back.
    #[must_use]
    pub fn after(self, delay: Duration) -> Self {
        Self::After(delay, Box::new(self))
    }
}

/// What a scripted server offers and does.
#[derive(Debug, Clone, Default)]
pub struct Script {
    pub(crate) tools: Vec<Value>,
    pub(crate) resources: Vec<Value>,
    pub(crate) resource_templates: Vec<Value>,
    pub(crate) prompts: Vec<Value>,
    pub(crate) documents: HashMap<String, Value>,
    pub(crate) answers: HashMap<String, Answer>,
    pub(crate) instructions: Option<String>,
    pub(crate) page_size: Option<usize>,
    pub(crate) protocol_version: Option<String>,
    pub(crate) silent_start: bool,
    pub(crate) list_delay: Option<Duration>,
    pub(crate) without_pings: bool,
}

impl Script {
    /// A server without tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool by its whole definition. It echoes unless [`Script::answer`] says otherwise.
    #[must_use]
    pub fn tool(mut self, definition: Value) -> Self {
        self.tools.push(definition);
        self
    }

    /// Adds a tool by its name, with a small definition.
    #[must_use]
    pub fn simple_tool(self, name: &str) -> Self {
        self.tool(tool_definition(name))
    }

    /// Says how a tool answers.
    #[must_use]
    pub fn answer(mut self, tool: &str, answer: Answer) -> Self {
        self.answers.insert(tool.to_owned(), answer);
        self
    }

    /// Adds a resource by its definition and the result of reading it.
    #[must_use]
    pub fn resource(mut self, definition: Value, contents: Value) -> Self {
        if let Some(uri) = definition.get("uri").and_then(Value::as_str) {
            self.documents.insert(uri.to_owned(), contents);
        }
        self.resources.push(definition);
        self
    }

    /// Adds a resource template by its definition.
    #[must_use]
    pub fn resource_template(mut self, definition: Value) -> Self {
        self.resource_templates.push(definition);
        self
    }

    /// Adds a prompt by its definition and the result of getting it.
    #[must_use]
    pub fn prompt(mut self, definition: Value, result: Value) -> Self {
        if let Some(name) = definition.get("name").and_then(Value::as_str) {
            self.documents.insert(name.to_owned(), result);
        }
        self.prompts.push(definition);
        self
    }

    /// Gives instructions to the model.
    #[must_use]
    pub fn instructions(mut self, text: &str) -> Self {
        self.instructions = Some(text.to_owned());
        self
    }

    /// Cuts the lists into pages of this many items.
    #[must_use]
    pub fn page_size(mut self, items: usize) -> Self {
        self.page_size = Some(items);
        self
    }

    /// Answers `initialize` with this revision instead of the one that was asked for.
    #[must_use]
    pub fn protocol_version(mut self, version: &str) -> Self {
        self.protocol_version = Some(version.to_owned());
        self
    }

    /// Never answers `initialize`.
    #[must_use]
    pub fn silent_start(mut self) -> Self {
        self.silent_start = true;
        self
    }

    /// Answers list requests after this time.
    #[must_use]
    pub fn list_delay(mut self, delay: Duration) -> Self {
        self.list_delay = Some(delay);
        self
    }

    /// Never answers `ping`.
    #[must_use]
    pub fn without_pings(mut self) -> Self {
        self.without_pings = true;
        self
    }
}

/// A small tool definition.
pub fn tool_definition(name: &str) -> Value {
    json!({
        "name": name,
        "description": format!("The tool {name}."),
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
    })
}

/// One tool call as the server received it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// The number of the connection, from one.
    pub connection: u64,
}

/// What a server has received so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) calls: Vec<ReceivedCall>,
    pub(crate) cancelled: usize,
    pub(crate) requests: HashMap<String, u64>,
}

/// What all connections of a server are told.
#[derive(Debug, Clone)]
pub(crate) enum Order {
    Line(String),
    Disconnect,
}

pub(crate) struct ScriptState {
    pub(crate) script: Mutex<Script>,
    pub(crate) seen: watch::Sender<Seen>,
    pub(crate) orders: broadcast::Sender<Order>,
}

/// Watches and steers one scripted server, over all its connections.
#[derive(Clone)]
pub struct ScriptHandle(pub(crate) Arc<ScriptState>);

impl ScriptHandle {
    pub(crate) fn new(script: Script) -> Self {
        Self(Arc::new(ScriptState {
            script: Mutex::new(script),
            seen: watch::Sender::default(),
            orders: broadcast::Sender::new(1024),
        }))
    }

    pub(crate) fn script(&self) -> MutexGuard<'_, Script> {
        self.0.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what the server does from now on.
    pub fn change(&self, change: impl FnOnce(&mut Script)) {
        change(&mut self.script());
    }

    /// Replaces the tools. Says nothing to the client: see [`ScriptHandle::list_changed`].
    pub fn set_tools(&self, tools: Vec<Value>) {
        self.script().tools = tools;
    }

    /// Says how a tool answers from now on.
    pub fn set_answer(&self, tool: &str, answer: Answer) {
        self.script().answers.insert(tool.to_owned(), answer);
    }

    /// Tells every client that the tools changed.
    pub fn list_changed(&self) {
        self.list_changed_of(ListKind::Tools);
    }

    /// Tells every client that a list changed.
    pub fn list_changed_of(&self, kind: ListKind) {
        let list = match kind {
            ListKind::Tools => "tools",
            ListKind::Resources => "resources",
            ListKind::Prompts => "prompts",
        };
        self.notify(&format!("notifications/{list}/list_changed"), &json!({}));
    }

    /// Sends a notification to every client.
    pub fn notify(&self, method: &str, params: &Value) {
        self.line(json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Sends a line to every client as it is.
    pub fn line(&self, line: impl Into<String>) {
        // Nobody is connected when this fails.
        drop(self.0.orders.send(Order::Line(line.into())));
    }

    /// Ends every connection, as a crash does.
    pub fn disconnect(&self) {
        drop(self.0.orders.send(Order::Disconnect));
    }

    /// Gives the calls received so far, in their order.
    pub fn calls(&self) -> Vec<ReceivedCall> {
        self.0.seen.borrow().calls.clone()
    }

    /// Counts the cancellations received so far.
    pub fn cancelled(&self) -> usize {
        self.0.seen.borrow().cancelled
    }

    /// Counts the requests of a method received so far.
    pub fn requests(&self, method: &str) -> u64 {
        self.0.seen.borrow().requests.get(method).copied().unwrap_or(0)
    }

    /// Waits until so many calls were received.
    pub async fn wait_for_calls(&self, count: usize) {
        self.wait(|seen| seen.calls.len() >= count).await;
    }

    /// Waits until so many cancellations were received.
    pub async fn wait_for_cancelled(&self, count: usize) {
        self.wait(|seen| seen.cancelled >= count).await;
    }

    /// Waits until so many requests of a method were received.
    pub async fn wait_for_requests(&self, method: &str, count: u64) {
        self.wait(|seen| seen.requests.get(method).copied().unwrap_or(0) >= count).await;
    }

    async fn wait(&self, reached: impl FnMut(&Seen) -> bool) {
        let mut seen = self.0.seen.subscribe();
        // The sender lives as long as this handle.
        drop(seen.wait_for(reached).await);
    }
}

impl fmt::Debug for ScriptHandle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("ScriptHandle").field(&*self.0.seen.borrow()).finish()
    }
}
