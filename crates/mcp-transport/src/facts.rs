//! What a handshake agreed on.

use mcp_types::RawObject;
use mcp_types::object::to_raw;
use rmcp::model::ServerPeerInfo;
use serde_json::value::RawValue;

/// What the two sides of a session agreed on, and who the server says it is.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionFacts {
    /// The revision of the protocol, such as `2025-11-25`.
    pub protocol_version: String,
    /// The server's own name; empty when it gave none.
    pub server_name: String,
    /// The server's version; empty when it gave none.
    pub server_version: String,
    /// What the server tells the model about itself.
    pub instructions: Option<String>,
    /// What the server declares.
    pub capabilities: Capabilities,
    /// `stdio`, `streamable-http` or `stream`.
    pub transport: &'static str,
    /// The process id of a child.
    pub process_id: Option<u32>,
}

/// What a server declares that it can do.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one independent capability of the protocol")]
pub struct Capabilities {
    /// It has tools.
    pub tools: bool,
    /// It has resources.
    pub resources: bool,
    /// It has prompts.
    pub prompts: bool,
    /// It tells when its tools change.
    pub tools_list_changed: bool,
    /// It tells when its resources change.
    pub resources_list_changed: bool,
    /// It tells when its prompts change.
    pub prompts_list_changed: bool,
    /// It lets single resources be watched.
    pub resources_subscribe: bool,
    /// It sends log messages.
    pub logging: bool,
    /// It completes arguments.
    pub completions: bool,
    /// The whole declaration, as the server wrote it where that is known.
    pub raw: RawObject,
}

impl Capabilities {
    fn read(raw: RawObject) -> Self {
        let flag = |member: &str, key: &str| {
            let object: Option<RawObject> = raw.read(member);
            object.and_then(|object| object.read(key)).unwrap_or(false)
        };
        let declares = |member: &str| raw.get(member).is_some_and(|value| value.get() != "null");
        Self {
            tools: declares("tools"),
            resources: declares("resources"),
            prompts: declares("prompts"),
            tools_list_changed: flag("tools", "listChanged"),
            resources_list_changed: flag("resources", "listChanged"),
            prompts_list_changed: flag("prompts", "listChanged"),
            resources_subscribe: flag("resources", "subscribe"),
            logging: declares("logging"),
            completions: declares("completions"),
            raw,
        }
    }
}

impl SessionFacts {
    /// Reads the facts out of rmcp's view, and the capabilities out of the server's own words where they were kept.
    pub(crate) fn read(
        peer: &ServerPeerInfo,
        handshake: Option<&RawValue>,
        transport: &'static str,
        process_id: Option<u32>,
    ) -> Self {
        let written = handshake
            .and_then(|raw| serde_json::from_str::<RawObject>(raw.get()).ok())
            .and_then(|object| object.read("capabilities"));
        let raw = written
            .unwrap_or_else(|| serde_json::from_str(to_raw(&peer.capabilities).get()).unwrap_or_default());
        let (server_name, server_version) = peer
            .server_info
            .as_ref()
            .map_or_else(Default::default, |info| (info.name.clone(), info.version.clone()));
        Self {
            protocol_version: peer.protocol_version.to_string(),
            server_name,
            server_version,
            instructions: peer.instructions.clone().filter(|text| !text.trim().is_empty()),
            capabilities: Capabilities::read(raw),
            transport,
            process_id,
        }
    }
}
