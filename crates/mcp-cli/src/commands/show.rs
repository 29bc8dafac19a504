//! `wharf describe`, `wharf status`, `wharf instructions`.

use std::fmt::Write as _;

use serde_json::{Value, json};
use wharf::{CallTarget, RosterTool, Runtime, StatusV1, ToolKind, render};

use super::{Outcome, learn_first, parse_server};
use crate::args::Tool;
use crate::exit::Exit;
use crate::settings::Settings;

pub(super) async fn describe(settings: &Settings, runtime: &Runtime, arguments: Tool) -> Outcome {
    let server = parse_server(runtime, arguments.server.as_deref())?;
    learn_first(settings, runtime).await;
    let tool = runtime.resolve(&CallTarget { server, tool: arguments.tool })?;
    settings.printer.answer(&description_json(&tool), || description_text(&tool, runtime.requires_approval(&tool)));
    Ok(Exit::Done)
}

fn description_json(tool: &RosterTool) -> Value {
    let mut value = json!({
        "server": tool.reference.server,
        "tool": tool.reference.tool,
        "name": tool.name,
        "description": tool.description(),
        "inputSchema": tool.input_schema(),
        "shape": tool.input_schema().and_then(|schema| render::shape(schema.get())),
    });
    if let (ToolKind::Tool(spec), Some(members)) = (&tool.kind, value.as_object_mut()) {
        if let Some(schema) = spec.output_schema() {
            members.insert("outputSchema".to_owned(), json!(schema));
        }
        if let Some(annotations) = spec.annotations() {
            members.insert("annotations".to_owned(), json!(annotations));
        }
    }
    value
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
    let mut text = format!("{} servers, {} connected, {} tools", enabled, status.connected_count, status.total_tools);
    if status.disabled_count > 0 {
        let _written = write!(text, ", {} disabled", status.disabled_count);
    }
    text.push('\n');
    for server in &status.servers {
        let _written = write!(text, "  {}  {}, {} tools", server.name, server.status.as_str(), server.tool_count);
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
