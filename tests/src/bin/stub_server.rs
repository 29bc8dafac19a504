//! A small MCP server over stdio with manners to choose from: the temper is the first argument.
//!
//! `echo` answers; `noisy` writes junk between messages; `late` answers a call and answers it again; `wrong-id` answers
//! with a foreign id first; `garbage` answers with broken JSON; `silent` never answers a call; `crash` ends in a call;
//! `exit` ends at the start with a message; `stubborn` ignores the end of its input and starts a child that does too.

use std::io::{BufRead as _, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

fn main() -> ExitCode {
    let temper = std::env::args().nth(1).unwrap_or_else(|| "echo".to_owned());
    let count = std::env::args().nth(2).and_then(|text| text.parse().ok()).unwrap_or(0);
    if temper == "exit" {
        let mut stderr = std::io::stderr();
        let _written = stderr.write_all(b"the licence file is missing\ncannot go on\n");
        return ExitCode::from(3);
    }
    if temper == "stubborn" {
        start_stubborn_child();
    }
    let mut server = Stub { temper, count, out: std::io::stdout() };
    let mut line = Vec::new();
    let mut input = std::io::stdin().lock();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        let Ok(message) = serde_json::from_slice::<Value>(&line) else { continue };
        if !server.answer(&message) {
            return ExitCode::from(9);
        }
    }
    if server.temper == "stubborn" {
        loop {
            std::thread::park();
        }
    }
    ExitCode::SUCCESS
}

/// Starts a grandchild in the same process group that outlives the end of its input.
#[expect(clippy::disallowed_methods, reason = "a test server that misbehaves on purpose")]
fn start_stubborn_child() {
    let started =
        std::process::Command::new("sh").args(["-c", "trap '' TERM HUP; while :; do sleep 1; done"]).spawn();
    if let Ok(mut child) = started {
        std::thread::spawn(move || child.wait());
    }
}

/// Leaves a file named `called` in the home of the test, so that the test knows that its call is running.
fn tell_that_the_call_came() {
    #[expect(
        clippy::disallowed_methods,
        reason = "a test server talks to its test through the environment and a file"
    )]
    if let Some(home) = std::env::var_os("WHARF_TEST_MARK") {
        let _written = std::fs::write(std::path::Path::new(&home).join("called"), "");
    }
}

struct Stub {
    temper: String,
    count: usize,
    out: std::io::Stdout,
}

impl Stub {
    /// Answers one message; false ends the process at once.
    fn answer(&mut self, message: &Value) -> bool {
        let Some(id) = message.get("id") else { return true };
        let params = message.get("params");
        match message.get("method").and_then(Value::as_str).unwrap_or_default() {
            "initialize" => self.result(id, &initialize(params)),
            "tools/list" => self.result(id, &json!({ "tools": self.tools() })),
            "tools/call" => return self.call(id, params.unwrap_or(&Value::Null)),
            "ping" => self.result(id, &json!({})),
            _ => self.line(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "method not found"}}).to_string()),
        }
        true
    }

    fn call(&mut self, id: &Value, params: &Value) -> bool {
        let arguments = params.get("arguments").cloned().unwrap_or_default();
        let text = arguments.get("text").and_then(Value::as_str).unwrap_or_default();
        let answer = json!({"content": [{"type": "text", "text": text}]});
        match self.temper.as_str() {
            "noisy" => {
                self.line("starting up, please stand by");
                self.line("");
                self.line("{ not json");
                self.result(id, &answer);
            }
            "late" => {
                self.result(id, &answer);
                self.result(id, &json!({"content": [{"type": "text", "text": "a second answer"}]}));
            }
            "wrong-id" => {
                self.result(
                    &json!(987_654),
                    &json!({"content": [{"type": "text", "text": "of somebody else"}]}),
                );
                self.result(id, &answer);
            }
            "garbage" => self.line(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[")),
            "silent" | "stubborn" => tell_that_the_call_came(),
            "crash" => return false,
            _ => self.result(id, &answer),
        }
        true
    }

    fn tools(&self) -> Vec<Value> {
        let mut tools = vec![tool("echo", "Returns the text it was given.")];
        tools.extend((1..self.count).map(|number| tool(&format!("tool_{number}"), "One of many tools.")));
        tools
    }

    fn result(&mut self, id: &Value, result: &Value) {
        self.line(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
    }

    fn line(&mut self, text: &str) {
        let mut out = self.out.lock();
        let _written = writeln!(out, "{text}").and_then(|()| out.flush());
    }
}

fn initialize(params: Option<&Value>) -> Value {
    let version = params
        .and_then(|params| params.get("protocolVersion"))
        .cloned()
        .unwrap_or_else(|| "2025-06-18".into());
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "stub", "version": "1.0.0"},
    })
}

fn tool(name: &str, description: &str) -> Value {
    json!({
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    })
}
