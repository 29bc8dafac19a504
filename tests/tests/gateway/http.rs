//! Whom the HTTP listener refuses.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::json;

use crate::serving::Gateway;
use crate::support::Home;

fn post(url: &str, headers: &[(&str, &str)]) -> String {
    let address = url.trim_start_matches("http://").split('/').next().unwrap();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"},
    }})
    .to_string();
    let mut stream = TcpStream::connect(address).unwrap();
    let host = if headers.iter().any(|(name, _)| *name == "Host") {
        String::new()
    } else {
        format!("Host: {address}\r\n")
    };
    let extra: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let extra = extra.concat();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\n{host}{extra}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = [0_u8; 512];
    let read = stream.read(&mut answer).unwrap();
    String::from_utf8_lossy(answer.get(..read).unwrap_or_default())
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn strangers_are_refused_and_neighbours_are_not() {
    let home = Home::with_stub("echo");
    let gateway = Gateway::start(&home);
    assert!(post(&gateway.url, &[]).contains(" 200 "));
    assert!(post(&gateway.url, &[("Origin", "https://evil.example")]).contains(" 403 "));
    assert!(post(&gateway.url, &[("Host", "evil.example")]).contains(" 403 "));
}
