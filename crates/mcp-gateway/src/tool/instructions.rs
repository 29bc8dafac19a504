//! The mode that shows what a server says about its own use.

use mcp_types::ToolOutput;
use wharf::{Error, Runtime};

/// Gives the instructions as the server wrote them. Connects nothing.
pub(crate) fn answer(runtime: &Runtime, server: &str) -> Result<ToolOutput, Error> {
    let text = runtime.instructions(server)?;
    Ok(ToolOutput::text(text))
}
