//! `wharf describe`, `wharf status`, `wharf instructions`.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use wharf::{
    CallTarget, PublicToolName, RosterTool, Runtime, ServerName, StatusV1, ToolKind, ToolName, render,
};

use super::{Outcome, parse_server};
use crate::args::Tool;
use crate::exit::Exit;
use crate::settings::Settings;

pub(super) fn describe(settings: &Settings, runtime: &Runtime, arguments: Tool) -> Outcome {
    let server = parse_server(runtime, arguments.server.as_deref())?;
    let tool = runtime.resolve(&CallTarget { server, tool: arguments.tool })?;
    settings.printer.answer(&Answer::of(&tool), || description_text(&tool, runtime.requires_approval(&tool)));
    Ok(Exit::Done)
}

/// The definition goes out as it came in; a JSON value in between would lose digits of large numbers.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    server: &'a ServerName,
    tool: &'a ToolName,
    name: &'a PublicToolName,
    description: &'a str,
    input_schema: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<&'a RawValue>,
    shape: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<&'a RawValue>,
}

impl<'a> Answer<'a> {
    fn of(tool: &'a RosterTool) -> Self {
        let (output_schema, annotations) = match &tool.kind {
            ToolKind::Tool(spec) => (spec.output_schema(), spec.annotations()),
            ToolKind::Resource(_) => (None, None),
        };
        Self {
            server: &tool.reference.server,
            tool: &tool.reference.tool,
            name: &tool.name,
            description: tool.description(),
            input_schema: tool.input_schema(),
            output_schema,
            shape: tool.input_schema().and_then(|schema| render::shape(schema.get())),
            annotations,
        }
    }
}

pub(super) fn description_text(tool: &RosterTool, asks: bool) -> String {
    let mut text = format!("{}{}\n", tool.name, if asks { " (requires approval)" } else { "" });
    let _written = writeln!(text, "Server: {}, tool: {}", tool.reference.server, tool.reference.tool);
    if !tool.description().is_empty() {
        let _written = writeln!(text, "\n{}\n", tool.description());
    }
    let Some(schema) = tool.input_schema() else {
        text.push_str("Takes no parameters.");
        return text;
    };
    match render::shape(schema.get()) {
        Some(shape) => {
            let _written = writeln!(text, "Shape: {shape}");
        }
        None => {
            let _written = writeln!(text, "Parameters:\n{}", render::params(schema.get()));
        }
    }
    text
}

pub(super) fn status(settings: &Settings, runtime: &Runtime) -> Exit {
    let status = runtime.status();
    settings.printer.answer(&status, || status_text(&status));
    Exit::Done
}

pub(super) fn status_text(status: &StatusV1) -> String {
    let enabled = status.servers.iter().filter(|server| !server.disabled).count();
    let servers = if enabled == 1 { "server" } else { "servers" };
    let (connected, tools) = (status.connected_count, status.total_tools);
    let mut text = format!("{enabled} {servers}, {connected} connected, {tools} tools");
    if status.disabled_count > 0 {
        let _written = write!(text, ", {} disabled", status.disabled_count);
    }
    text.push('\n');
    for server in &status.servers {
        let _written =
            write!(text, "  {}  {}, {} tools", server.name, server.status.as_str(), server.tool_count);
        if let Some(error) = &server.last_error {
            let _written = write!(text, "  {}", error.message);
        }
        text.push('\n');
    }
    if status.servers.is_empty() {
        text.push_str("no servers are configured; put them into .mcp.json or ~/.config/wharf/wharf.json\n");
    }
    text
}

pub(super) fn instructions(settings: &Settings, runtime: &Runtime, server: &str) -> Outcome {
    let text = runtime.instructions(server)?;
    settings.printer.answer(&json!({"server": server, "instructions": text}), || text.clone());
    Ok(Exit::Done)
}
