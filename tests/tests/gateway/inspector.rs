//! The command line of the MCP Inspector as the client of the gateway.
#![expect(clippy::disallowed_methods, reason = "tests start processes")]

use std::process::Command;

use serde_json::Value;

use crate::support::{Home, tool, wharf_binary};

fn inspector(home: &Home, method: &[&str]) -> Value {
    let program = tool("WHARF_TEST_NODE_MODULES").join(".bin/mcp-inspector");
    let mut command = Command::new(program);
    command.arg("--cli").arg(wharf_binary()).args(["serve", "--stdio", "--method"]).args(method);
    command
        .env("HOME", home.path())
        .env("WHARF_CACHE_DIR", home.path().join("cache"))
        .current_dir(home.path());
    let output = command.output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!(
            "{error}: {}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

#[test]
fn the_inspector_lists_and_calls_the_one_tool() {
    let home = Home::with_stub("echo");
    let listed = inspector(&home, &["tools/list"]);
    assert_eq!(listed["tools"][0]["name"], "mcp");
    let called = inspector(
        &home,
        &[
            "tools/call",
            "--tool-name",
            "mcp",
            "--tool-arg",
            "tool=stub_echo",
            "--tool-arg",
            r#"args={"text":"hi"}"#,
        ],
    );
    assert_eq!(called["content"][0]["text"], "hi");
}
