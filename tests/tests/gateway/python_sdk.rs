//! The official Python SDK as the client of the gateway, over stdio and over streamable HTTP.
#![expect(clippy::disallowed_methods, reason = "tests start processes")]

use std::process::Command;

use serde_json::{Value, json};

use crate::serving::Gateway;
use crate::support::{Home, tool, wharf_binary};

const CLIENT: &str = include_str!("client.py");

fn run_client(home: &Home, target: &[&str]) -> Value {
    home.write("client.py", CLIENT);
    let python = tool("WHARF_TEST_VENV").join("bin/python");
    let output = Command::new(python)
        .arg(home.path().join("client.py"))
        .args(target)
        .env("HOME", home.path())
        .env("WHARF_CACHE_DIR", home.path().join("cache"))
        .env("WHARF_TEST_MARK", home.path())
        .current_dir(home.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn expected() -> Value {
    json!({
        "tools": ["mcp"],
        "searched": true,
        "called": "through the gateway",
        "unknown": {"isError": true, "code": "tool_not_found"},
    })
}

#[test]
fn the_python_sdk_works_over_stdio() {
    let home = Home::with_stub("echo");
    let wharf = wharf_binary();
    let answer = run_client(&home, &["stdio", wharf.to_str().unwrap(), "serve", "--stdio"]);
    assert_eq!(answer, expected());
    home.wait_until_empty(std::time::Duration::from_secs(5));
}

#[test]
fn the_python_sdk_works_over_streamable_http() {
    let home = Home::with_stub("echo");
    let gateway = Gateway::start(&home);
    assert_eq!(run_client(&home, &["http", &gateway.url]), expected());
    assert_eq!(gateway.stop(), Some(0));
    assert_eq!(home.processes(), Vec::<u32>::new());
}
