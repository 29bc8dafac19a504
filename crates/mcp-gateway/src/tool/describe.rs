//! The mode that shows one tool in full.

use mcp_types::{CallTarget, ToolOutput};
use wharf::{Error, RosterTool, Runtime, ToolKind, render};

use crate::text::Text;

/// Describes a tool. A server whose list is not known yet is connected to learn it.
pub(crate) async fn answer(
    runtime: &Runtime,
    tool: String,
    server: Option<&str>,
) -> Result<ToolOutput, Error> {
    let server = server.map(|server| runtime.server_name(server)).transpose()?;
    let tool = runtime.find(&CallTarget { server, tool }).await?;
    Ok(ToolOutput::text(text(&tool, runtime.requires_approval(&tool))))
}

fn text(tool: &RosterTool, requires_approval: bool) -> String {
    let mut text = Text::new(heading(tool, requires_approval));
    text.line(format_args!("Server: {}", tool.reference.server));
    if let ToolKind::Resource(resource) = &tool.kind {
        text.line(format_args!("Resource: {}", resource.uri()));
    }
    let description = tool.description().trim();
    if !description.is_empty() {
        text.line(description);
    }
    text.line(parameters(tool));
    text.finish()
}

/// Gives the first line of whatever shows a tool.
pub(crate) fn heading(tool: &RosterTool, requires_approval: bool) -> String {
    let marker = if requires_approval { " (requires approval)" } else { "" };
    format!("{}{marker}", tool.name)
}

/// Says what the tool takes: its shape, the list of its parameters, or that there are none.
pub(crate) fn parameters(tool: &RosterTool) -> String {
    let Some(schema) = tool.input_schema() else { return "No parameters.".to_owned() };
    match render::shape(schema.get()) {
        Some(shape) if shape == "{}" => "No parameters.".to_owned(),
        Some(shape) => format!("Shape: {shape}"),
        None => format!("Parameters:\n{}", render::params(schema.get())),
    }
}

#[cfg(test)]
#[path = "describe_tests.rs"]
mod tests;
