//! A resource read as the output of its resource tool.

use mcp_transport::{Failure, FailureClass};
use mcp_types::object::to_raw;
use mcp_types::{ContentBlock, RawObject, ToolOutput};
use serde_json::value::RawValue;

/// Turns a `resources/read` result into tool output: one embedded resource per content, `_meta` and all else kept.
pub(crate) fn as_output(raw: &RawValue) -> Result<ToolOutput, Failure> {
    let malformed = |reason: String| Failure { class: FailureClass::Protocol, message: reason };
    let mut object =
        RawObject::parse("resources/read result", raw.get()).map_err(|error| malformed(error.to_string()))?;
    let contents: Vec<RawObject> = object
        .take_as("contents")
        .ok_or_else(|| malformed("the answer to resources/read has no contents".to_owned()))?;
    let content = contents
        .into_iter()
        .map(|resource| {
            let mut block = RawObject::default();
            block.insert("type", to_raw("resource"));
            block.insert("resource", to_raw(&resource));
            ContentBlock::from_object(block)
        })
        .collect();
    Ok(ToolOutput { content, extra: object, ..ToolOutput::default() })
}
