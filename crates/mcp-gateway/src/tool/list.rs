//! The mode that lists the tools of one server.

use mcp_types::{ErrorCode, ToolOutput};
use wharf::{Error, Runtime, ServerRoster};

use crate::text::{Count, Text, cut, list_line, usage};
use crate::tool::status;

/// Characters of a server's instructions that are shown along.
const PREVIEW: usize = 300;

/// Lists the known tools of a server. Connects nothing.
pub(crate) fn answer(runtime: &Runtime, server: &str) -> Result<ToolOutput, Error> {
    let name = runtime.server_name(server)?;
    let roster = runtime.roster();
    let Some(server) = roster.server(name.as_str()) else {
        return Err(Error::new(ErrorCode::ServerNotFound, format!("no server {server:?} is configured")));
    };
    text(server, status::is_connected(runtime, name.as_str())).map(ToolOutput::text)
}

fn text(server: &ServerRoster, connected: bool) -> Result<String, Error> {
    let name = &server.name;
    if server.disabled {
        return Err(Error::new(ErrorCode::ServerDisabled, format!("server {name} is disabled"))
            .with_hint("a person can enable it in its configuration")
            .for_server(name));
    }
    if !connected && !server.known {
        let message = format!("the tools of {name} are not known: it was not connected yet");
        return Err(Error::new(ErrorCode::NotConnected, message).for_server(name));
    }
    let state = if connected { "" } else { ", not connected, cached" };
    let mut text = Text::new(if server.tools.is_empty() {
        format!("{name} has no tools{state}.")
    } else {
        format!("{name} ({}{state}):", Count(server.tools.len(), "tool"))
    });
    for tool in &server.tools {
        text.line(list_line(tool.name.as_str(), tool.description()));
    }
    if let Some(instructions) = server.listing.as_ref().and_then(|listing| listing.instructions.as_deref()) {
        push_preview(&mut text, name.as_str(), instructions);
    }
    Ok(text.finish())
}

fn push_preview(text: &mut Text, server: &str, instructions: &str) {
    let preview = cut(instructions, PREVIEW);
    if preview.is_empty() {
        return;
    }
    text.line(format_args!("Instructions: {preview}"));
    if preview.ends_with("...") && !instructions.trim_end().ends_with("...") {
        text.line(format_args!("In full: {}", usage("instructions", server)));
    }
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;
