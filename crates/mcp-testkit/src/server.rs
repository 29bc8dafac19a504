//! One connection of a scripted server: reads requests, answers as the script says.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};

use crate::script::{Answer, Order, ReceivedCall, ScriptHandle};

/// An id that no request of a client has.
const NOBODYS_ID: u64 = 999_999_999_999;

/// Serves one client until it leaves, the script ends the connection, or a test does.
pub(crate) async fn serve<R, W>(script: ScriptHandle, connection: u64, reader: R, writer: W)
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let mut orders = script.0.orders.subscribe();
    let (outbox, inbox) = mpsc::channel(1024);
    let mut tasks = JoinSet::new();
    tasks.spawn(write_lines(inbox, writer));
    let (exit, mut exits) = mpsc::channel(1);
    let mut client = Client {
        script,
        connection,
        outbox,
        exit,
        tasks,
        running: HashMap::new(),
        asked: HashMap::new(),
        next_question: 0,
    };
    let mut lines = BufReader::new(reader).lines();
    loop {
        tokio::select! {
            line = lines.next_line() => {
                let Ok(Some(line)) = line else { break };
                client.on_line(&line).await;
            }
            order = orders.recv() => match order {
                Ok(Order::Line(line)) => client.send_line(line).await,
                Ok(Order::Disconnect) | Err(broadcast::error::RecvError::Closed) => break,
                Err(broadcast::error::RecvError::Lagged(_)) => {}
            },
            _ = exits.recv() => break,
        }
    }
    // Dropping the tasks ends the writer, and with it the connection.
}

struct Client {
    script: ScriptHandle,
    connection: u64,
    outbox: mpsc::Sender<String>,
    exit: mpsc::Sender<()>,
    tasks: JoinSet<()>,
    running: HashMap<String, (AbortHandle, bool)>,
    asked: HashMap<u64, oneshot::Sender<Value>>,
    next_question: u64,
}

impl Client {
    async fn on_line(&mut self, line: &str) {
        let Ok(message) = serde_json::from_str::<Value>(line) else { return };
        let id = message.get("id").cloned();
        let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
        let params = message.get("params").cloned().unwrap_or_else(|| json!({}));
        match (method, id) {
            (Some(method), Some(id)) => self.on_request(&method, id, params).await,
            (Some(method), None) => self.on_notification(&method, &params),
            (None, Some(id)) => {
                if let Some(waiting) = id.as_u64().and_then(|id| self.asked.remove(&id)) {
                    drop(waiting.send(message));
                }
            }
            (None, None) => {}
        }
    }

    fn on_notification(&mut self, method: &str, params: &Value) {
        if method != "notifications/cancelled" {
            return;
        }
        let id = params.get("requestId").map(Value::to_string).unwrap_or_default();
        let cancellable = self.running.get(&id).is_some_and(|(_, cancellable)| *cancellable);
        if cancellable && let Some((task, _)) = self.running.remove(&id) {
            task.abort();
        }
        self.script.0.seen.send_modify(|seen| seen.cancelled += 1);
    }

    async fn on_request(&mut self, method: &str, id: Value, params: Value) {
        self.script.0.seen.send_modify(|seen| {
            *seen.requests.entry(method.to_owned()).or_default() += 1;
        });
        let reply = match method {
            "initialize" => match self.handshake(&params) {
                Some(result) => result,
                None => return,
            },
            "ping" if self.script.script().without_pings => return,
            "ping" => json!({}),
            "tools/call" => {
                self.on_call(&id, &params);
                return;
            }
            "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list" => {
                self.on_list(method, id, &params);
                return;
            }
            "resources/read" => self.document(&params, "uri"),
            "prompts/get" => self.document(&params, "name"),
            _ => json!({"error": {"code": -32601, "message": method}}),
        };
        let line = match reply.get("error") {
            Some(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
            None => response(&id, &reply),
        };
        self.send_line(line.to_string()).await;
    }

    fn handshake(&self, params: &Value) -> Option<Value> {
        let script = self.script.script();
        if script.silent_start {
            return None;
        }
        let asked = params.get("protocolVersion").cloned().unwrap_or_default();
        let version = script.protocol_version.clone().map_or(asked, Value::String);
        let mut capabilities = json!({"tools": {"listChanged": true}, "logging": {}});
        if !script.resources.is_empty() || !script.resource_templates.is_empty() {
            insert(&mut capabilities, "resources", json!({"listChanged": true, "subscribe": true}));
        }
        if !script.prompts.is_empty() {
            insert(&mut capabilities, "prompts", json!({"listChanged": true}));
        }
        let mut result = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "serverInfo": {"name": "scripted", "version": "1.0.0"},
        });
        if let Some(instructions) = &script.instructions {
            insert(&mut result, "instructions", json!(instructions));
        }
        Some(result)
    }

    fn document(&self, params: &Value, key: &str) -> Value {
        let name = params.get(key).and_then(Value::as_str).unwrap_or_default();
        self.script.script().documents.get(name).cloned().unwrap_or_else(
            || json!({"error": {"code": -32002, "message": "not found", "data": {key: name}}}),
        )
    }

    fn on_list(&mut self, method: &str, id: Value, params: &Value) {
        let script = self.script.script();
        let (member, items) = match method {
            "tools/list" => ("tools", &script.tools),
            "resources/list" => ("resources", &script.resources),
            "resources/templates/list" => ("resourceTemplates", &script.resource_templates),
            _ => ("prompts", &script.prompts),
        };
        let size = script.page_size.unwrap_or(items.len()).max(1);
        let cursor = params.get("cursor").and_then(Value::as_str);
        let start = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
        let page: Vec<&Value> = items.iter().skip(start).take(size).collect();
        let mut result = json!({member: page});
        if start + size < items.len() {
            insert(&mut result, "nextCursor", json!((start + size).to_string()));
        }
        let delay = script.list_delay;
        drop(script);
        let outbox = self.outbox.clone();
        self.tasks.spawn(async move {
            if let Some(delay) = delay {
                tokio::time::sleep(delay).await;
            }
            drop(outbox.send(response(&id, &result).to_string()).await);
        });
    }

    fn on_call(&mut self, id: &Value, params: &Value) {
        let tool = params.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let arguments = params.get("arguments").cloned().unwrap_or_else(|| json!({}));
        let answer = {
            let script = self.script.script();
            let known =
                script.tools.iter().any(|known| known.get("name").and_then(Value::as_str) == Some(&tool));
            script.answers.get(&tool).cloned().unwrap_or_else(|| {
                if known {
                    Answer::Echo
                } else {
                    Answer::Refuse { code: -32602, message: format!("unknown tool: {tool}") }
                }
            })
        };
        let call = ReceivedCall { tool, arguments: arguments.clone(), connection: self.connection };
        self.script.0.seen.send_modify(|seen| seen.calls.push(call));
        let cancellable = !contains_late(&answer);
        let question = matches!(answer, Answer::Ask { .. }).then(|| self.expect_answer());
        let caller = Caller {
            outbox: self.outbox.clone(),
            exit: self.exit.clone(),
            token: params.get("_meta").and_then(|meta| meta.get("progressToken")).cloned(),
            id: id.clone(),
            arguments,
            question,
        };
        let task = self.tasks.spawn(caller.answer(answer));
        self.running.insert(id.to_string(), (task, cancellable));
    }

    fn expect_answer(&mut self) -> (u64, oneshot::Receiver<Value>) {
        self.next_question += 1;
        let (sender, receiver) = oneshot::channel();
        self.asked.insert(self.next_question, sender);
        (self.next_question, receiver)
    }

    async fn send_line(&self, line: String) {
        drop(self.outbox.send(line).await);
    }
}

/// One call that is being answered.
struct Caller {
    outbox: mpsc::Sender<String>,
    exit: mpsc::Sender<()>,
    id: Value,
    token: Option<Value>,
    arguments: Value,
    question: Option<(u64, oneshot::Receiver<Value>)>,
}

impl Caller {
    async fn answer(mut self, mut answer: Answer) {
        // Each turn takes off one layer.
        loop {
            answer = match answer {
                Answer::Echo => return self.reply(&text_result(&self.arguments.to_string())).await,
                Answer::Result(result) => return self.reply(&result).await,
                Answer::ToolError(text) => {
                    let mut result = text_result(&text);
                    insert(&mut result, "isError", json!(true));
                    return self.reply(&result).await;
                }
                Answer::Refuse { code, message } => {
                    let error = json!({"code": code, "message": message});
                    return self
                        .say(json!({"jsonrpc": "2.0", "id": self.id, "error": error}).to_string())
                        .await;
                }
                Answer::After(delay, inner) | Answer::Late(delay, inner) => {
                    wait(delay).await;
                    *inner
                }
                Answer::Progress(steps, inner) => {
                    self.report(steps).await;
                    *inner
                }
                Answer::Ask { method, params } => return self.ask(&method, &params).await,
                Answer::WrongIdFirst(inner) => {
                    self.say(response(&json!(NOBODYS_ID), &text_result("stray")).to_string()).await;
                    *inner
                }
                Answer::Twice(inner) => {
                    let Answer::Result(result) = *inner else {
                        return self.reply(&text_result("twice")).await;
                    };
                    self.reply(&result).await;
                    Answer::Result(result)
                }
                Answer::Line(line) => return self.say(line).await,
                Answer::Hang => return std::future::pending().await,
                Answer::Exit => {
                    // It may be ending already.
                    let _already_ending = self.exit.send(()).await;
                    return;
                }
            };
        }
    }

    async fn report(&self, steps: u32) {
        for step in 1..=steps {
            let params = json!({"progressToken": self.token, "progress": step, "total": steps});
            let message = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
            self.say(message.to_string()).await;
        }
    }

    async fn ask(&mut self, method: &str, params: &Value) {
        let Some((question, answer)) = self.question.take() else { return };
        let request = json!({"jsonrpc": "2.0", "id": question, "method": method, "params": params});
        self.say(request.to_string()).await;
        let Ok(answer) = answer.await else { return };
        self.reply(&text_result(&answer.to_string())).await;
    }

    async fn reply(&self, result: &Value) {
        self.say(response(&self.id, result).to_string()).await;
    }

    async fn say(&self, line: String) {
        drop(self.outbox.send(line).await);
    }
}

async fn write_lines<W: AsyncWrite + Unpin>(mut inbox: mpsc::Receiver<String>, mut writer: W) {
    while let Some(mut line) = inbox.recv().await {
        line.push('\n');
        if writer.write_all(line.as_bytes()).await.is_err() || writer.flush().await.is_err() {
            return;
        }
    }
}

async fn wait(delay: Duration) {
    tokio::time::sleep(delay).await;
}

fn contains_late(answer: &Answer) -> bool {
    match answer {
        Answer::Late(..) => true,
        Answer::After(_, inner)
        | Answer::Progress(_, inner)
        | Answer::WrongIdFirst(inner)
        | Answer::Twice(inner) => contains_late(inner),
        Answer::Echo
        | Answer::Result(_)
        | Answer::ToolError(_)
        | Answer::Refuse { .. }
        | Answer::Ask { .. }
        | Answer::Line(_)
        | Answer::Hang
        | Answer::Exit => false,
    }
}

fn response(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

fn text_result(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn insert(object: &mut Value, key: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value);
    }
}
