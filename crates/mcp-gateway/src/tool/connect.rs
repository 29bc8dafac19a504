//! The mode that connects a server, or refreshes one that is connected.

use mcp_types::ToolOutput;
use wharf::{Error, Runtime};

use crate::tool::{list, status};

/// Connects and gives the list of the server's tools.
pub(crate) async fn answer(runtime: &Runtime, server: &str) -> Result<ToolOutput, Error> {
    let name = runtime.server_name(server)?;
    if status::is_connected(runtime, name.as_str()) {
        runtime.reconnect(name.as_str()).await?;
    } else {
        runtime.connect(name.as_str()).await?;
    }
    list::answer(runtime, name.as_str())
}
