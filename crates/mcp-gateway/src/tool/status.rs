//! The mode that shows every server.

use mcp_types::ToolOutput;
use wharf::{Roster, Runtime, StatusV1};

use crate::text::{Count, Text};

const CONNECTED: &str = "connected";
const NO_SERVERS: &str = "No server is configured.";
const HINT: &str = "mcp({server: \"name\"}) lists tools, mcp({search: \"words\"}) finds them.";

/// Gives one line per server in the order of the configuration. Connects nothing.
pub(crate) fn answer(runtime: &Runtime) -> ToolOutput {
    let (status, roster) = (runtime.status(), runtime.roster());
    ToolOutput::text(text(&lines(&status, &roster)))
}

/// Tells whether a server has an open session.
pub(crate) fn is_connected(runtime: &Runtime, server: &str) -> bool {
    runtime.snapshot().server(server).is_some_and(|status| status.status.as_str() == CONNECTED)
}

/// Names the servers that are being connected.
pub(crate) fn connecting(runtime: &Runtime) -> Vec<String> {
    let snapshot = runtime.snapshot();
    let connecting = snapshot.servers.iter().filter(|status| status.status.as_str() == "connecting");
    connecting.map(|status| status.name.to_string()).collect()
}

/// What is shown of one server.
#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    name: &'a str,
    status: &'a str,
    tools: usize,
    failed_ago_seconds: Option<u64>,
}

/// Tools are counted as the other modes show them: those that stand for resources are among them.
fn lines<'a>(status: &'a StatusV1, roster: &Roster) -> Vec<Line<'a>> {
    let servers = status.servers.iter();
    let lines = servers.map(|server| Line {
        name: server.name.as_str(),
        status: server.status.as_str(),
        tools: roster.server(server.name.as_str()).map_or(0, |server| server.tools.len()),
        failed_ago_seconds: server.failed_ago_seconds,
    });
    lines.collect()
}

fn text(lines: &[Line<'_>]) -> String {
    let count = |status: &str| lines.iter().filter(|line| line.status == status).count();
    let disabled = count("disabled");
    let enabled = lines.len() - disabled;
    let tools = lines.iter().filter(|line| line.status != "disabled").map(|line| line.tools).sum();
    let servers = if enabled == 1 { "server" } else { "servers" };
    let mut text =
        Text::new(format!("MCP: {}/{enabled} {servers}, {}", count(CONNECTED), Count(tools, "tool")));
    if disabled > 0 {
        text.push(format_args!(" ({disabled} disabled)"));
    }
    for line in lines {
        text.line(server_line(*line));
    }
    text.line(if lines.is_empty() { NO_SERVERS } else { HINT });
    text.finish()
}

fn server_line(line: Line<'_>) -> String {
    let Line { name, status, tools, failed_ago_seconds } = line;
    let tools = Count(tools, "tool");
    match status {
        CONNECTED => format!("✓ {name} ({tools})"),
        "needs-auth" => format!("⚠ {name} (needs auth)"),
        "needs-trust" => format!("⚠ {name} (needs trust)"),
        "failed" => match failed_ago_seconds {
            Some(seconds) => format!("✗ {name} (failed {seconds}s ago)"),
            None => format!("✗ {name} (failed)"),
        },
        "cached" => format!("○ {name} ({tools}, cached)"),
        "disabled" => format!("⊘ {name} (disabled)"),
        "not-connected" => format!("○ {name} (not connected)"),
        other => format!("○ {name} ({other})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line<'a>(name: &'a str, status: &'a str, tools: usize) -> Line<'a> {
        Line { name, status, tools, failed_ago_seconds: (status == "failed").then_some(12) }
    }

    #[test]
    fn adapter_13_6_every_state_has_its_line() {
        let lines = [
            line("github", "connected", 42),
            line("notion", "needs-auth", 0),
            line("mine", "needs-trust", 0),
            line("fs", "cached", 1),
            line("bad", "failed", 0),
            line("new", "not-connected", 0),
            line("slow", "connecting", 0),
            line("off", "disabled", 7),
        ];
        insta::assert_snapshot!(text(&lines), @r#"
        MCP: 1/7 servers, 43 tools (1 disabled)
        ✓ github (42 tools)
        ⚠ notion (needs auth)
        ⚠ mine (needs trust)
        ○ fs (1 tool, cached)
        ✗ bad (failed 12s ago)
        ○ new (not connected)
        ○ slow (connecting)
        ⊘ off (disabled)
        mcp({server: "name"}) lists tools, mcp({search: "words"}) finds them.
        "#);
    }

    #[test]
    fn without_servers_the_status_says_so() {
        insta::assert_snapshot!(text(&[]), @"
        MCP: 0/0 servers, 0 tools
        No server is configured.
        ");
    }
}
