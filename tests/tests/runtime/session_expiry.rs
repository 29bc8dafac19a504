//! A server over HTTP that forgets its sessions.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use wharf::{Environment, ErrorCode, Runtime, ServerDefinition};

/// Counts sessions and refused calls; the calls of the first `forgotten` sessions are answered with 404.
struct Forgetful {
    sessions: AtomicUsize,
    calls: AtomicUsize,
    forgotten: usize,
}

impl Forgetful {
    fn start(forgotten: usize) -> (Arc<Self>, String) {
        let server = Arc::new(Self { sessions: AtomicUsize::new(0), calls: AtomicUsize::new(0), forgotten });
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let serving = Arc::clone(&server);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let serving = Arc::clone(&serving);
                std::thread::spawn(move || serving.serve(&stream));
            }
        });
        (server, url)
    }

    fn serve(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some((head, body)) = read_request(&mut reader) {
            let answer = self.answer(&head, &body);
            let mut writer = stream;
            if writer.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    }

    fn answer(&self, head: &str, body: &Value) -> String {
        if !head.starts_with("POST") {
            return "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n".to_owned();
        }
        let result = match body["method"].as_str().unwrap_or_default() {
            "initialize" => {
                let session = self.sessions.fetch_add(1, Ordering::SeqCst) + 1;
                let result = json!({
                    "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "forgetful", "version": "1"},
                });
                return reply(&format!("Mcp-Session-Id: s{session}\r\n"), &body["id"], &result);
            }
            "tools/list" => json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}),
            "tools/call" => {
                self.calls.fetch_add(1, Ordering::SeqCst);
                if self.sessions.load(Ordering::SeqCst) <= self.forgotten {
                    return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned();
                }
                json!({"content": [{"type": "text", "text": "remembered"}]})
            }
            _ => return "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n".to_owned(),
        };
        reply("", &body["id"], &result)
    }
}

fn reply(headers: &str, id: &Value, result: &Value) -> String {
    let body = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn read_request(reader: &mut BufReader<&TcpStream>) -> Option<(String, Value)> {
    let mut head = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, serde_json::from_slice(&body).unwrap_or_default()))
}

async fn runtime(url: &str) -> Runtime {
    let home = tempfile::tempdir().unwrap();
    Runtime::builder()
        .environment(Environment::new([], home.path()))
        .without_cache()
        .server("far", ServerDefinition::http(url))
        .unwrap()
        .build()
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn t_call_20_an_expired_session_is_renewed_once_and_the_call_sent_again() {
    let (server, url) = Forgetful::start(1);
    let runtime = runtime(&url).await;
    let answer = runtime.call_tool("far_echo", json!({})).await.unwrap();
    assert_eq!(answer.output.joined_text(), "remembered");
    assert_eq!((server.sessions.load(Ordering::SeqCst), server.calls.load(Ordering::SeqCst)), (2, 2));
    runtime.shutdown(Duration::from_secs(2)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn t_call_20_a_second_expiry_is_an_error() {
    let (server, url) = Forgetful::start(9);
    let runtime = runtime(&url).await;
    let error = runtime.call_tool("far_echo", json!({})).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ConnectionLost, "{error:?}");
    assert_eq!(server.calls.load(Ordering::SeqCst), 2);
    runtime.shutdown(Duration::from_secs(2)).await;
}
