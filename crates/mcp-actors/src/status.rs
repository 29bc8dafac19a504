//! The status document: the published state as other programs read it. Versioned; fields are only added.

use mcp_catalog::{Roster, ToolKind};
use mcp_types::{Generation, ServerName, Version};
use serde::Serialize;
use tokio::time::Instant;

use crate::snapshot::{ErrorLine, Life, ServerState, ServerStatus, StatusSnapshot};

/// The state of all servers, version 1 of its written form.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StatusV1 {
    /// Always 1.
    pub version: u32,
    /// The configuration that is applied.
    pub generation: Generation,
    /// Rises with every change.
    pub sequence: Version,
    /// The servers in the order of the configuration.
    pub servers: Vec<ServerV1>,
    /// The tools of all enabled servers.
    pub total_tools: usize,
    /// The resources of all enabled servers.
    pub total_resources: usize,
    /// The servers that are connected now.
    pub connected_count: usize,
    /// The servers that are switched off.
    pub disabled_count: usize,
}

/// The state of one server.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerV1 {
    /// Its name.
    pub name: ServerName,
    /// What it is now.
    pub status: ServerState,
    /// How far it has come.
    pub state: Life,
    /// The tools that are shown of it.
    pub tool_count: usize,
    /// Those of them that are exposed directly; filled in by whoever exposes them.
    pub direct_tool_count: usize,
    /// The resources it listed; absent when it was never asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_count: Option<usize>,
    /// The prompts it listed; absent when it was never asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_count: Option<usize>,
    /// The age of the last failure; only while the status is `failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_ago_seconds: Option<u64>,
    /// Why it was lost or could not be connected the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<ErrorLine>,
    /// It is switched off.
    pub disabled: bool,
    /// A failed mount of it fails the mount of all; absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// What a person has to do before it works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<&'static str>,
    /// Where it was defined.
    pub source: String,
}

/// Puts the published state into its written form. Reads only; connects nothing.
pub fn status_v1(snapshot: &StatusSnapshot, roster: &Roster, now: Instant) -> StatusV1 {
    let servers: Vec<ServerV1> =
        snapshot.servers.iter().map(|status| server_v1(status, roster, now)).collect();
    let enabled = || servers.iter().filter(|server| !server.disabled);
    StatusV1 {
        version: 1,
        generation: snapshot.generation,
        sequence: snapshot.sequence,
        total_tools: enabled().map(|server| server.tool_count).sum(),
        total_resources: enabled().filter_map(|server| server.resource_count).sum(),
        connected_count: servers.iter().filter(|server| server.status == ServerState::Connected).count(),
        disabled_count: servers.iter().filter(|server| server.disabled).count(),
        servers,
    }
}

fn server_v1(status: &ServerStatus, roster: &Roster, now: Instant) -> ServerV1 {
    let shown = roster
        .server(status.name.as_str())
        .map(|part| part.tools.iter().filter(|tool| matches!(tool.kind, ToolKind::Tool(_))).count());
    ServerV1 {
        name: status.name.clone(),
        status: status.status,
        state: status.life,
        tool_count: shown.unwrap_or(status.tool_count),
        direct_tool_count: 0,
        resource_count: status.resource_count,
        prompt_count: status.prompt_count,
        failed_ago_seconds: status.failed_ago(now).map(|ago| ago.as_secs()),
        last_error: status.last_error.clone(),
        disabled: status.disabled,
        required: status.required,
        action: action(status.status),
        source: status.source.clone(),
    }
}

fn action(state: ServerState) -> Option<&'static str> {
    match state {
        ServerState::NeedsAuth => Some("sign-in"),
        ServerState::NeedsTrust => Some("approve"),
        ServerState::Connected
        | ServerState::Connecting
        | ServerState::Cached
        | ServerState::Failed
        | ServerState::NotConnected
        | ServerState::Restarting
        | ServerState::Disabled => None,
    }
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
