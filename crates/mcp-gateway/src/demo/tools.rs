//! The definitions of the demo's tools.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// The largest text that `blob` writes, in bytes.
pub(super) const MAX_BLOB_BYTES: u64 = 32 * 1024 * 1024;
/// The longest sleep, in milliseconds.
pub(super) const MAX_SLEEP_MS: u64 = 600_000;
/// The most tools that `grow` adds.
pub(super) const MAX_GROWN: u64 = 100;

/// Gives all tools, those that `grow` added last.
pub(super) fn all(grown: u64) -> Vec<Tool> {
    let mut tools = vec![echo(), add(), sleep(), blob(), fail(), picture(), grow(), environment(), counter()];
    tools.extend((1..=grown).map(grown_tool));
    tools
}

fn echo() -> Tool {
    let message = json!({"type": "string", "description": "The text to give back."});
    tool(
        "echo",
        "Echo",
        "Gives a message back, as text and as structured content.",
        object(json!({"message": message}), &["message"]),
    )
    .with_raw_output_schema(object(json!({"message": {"type": "string"}}), &["message"]))
    .annotate(reads())
}

fn add() -> Tool {
    let number = json!({"type": "number"});
    tool("add", "Add", "Adds two numbers.", object(json!({"a": number, "b": number}), &["a", "b"]))
        .with_raw_output_schema(object(json!({"sum": {"type": "number"}}), &["sum"]))
        .annotate(reads())
}

fn sleep() -> Tool {
    let ms = json!({"type": "integer", "minimum": 0, "maximum": MAX_SLEEP_MS, "description": "How long to wait, in milliseconds."});
    tool(
        "sleep",
        "Sleep",
        "Waits, reports progress ten times on the way, and stops at once when it is cancelled.",
        object(json!({"ms": ms}), &["ms"]),
    )
    .annotate(reads())
}

fn blob() -> Tool {
    let lines = json!({"type": "integer", "minimum": 0, "description": "How many numbered lines to write."});
    let bytes = json!({"type": "integer", "minimum": 0, "maximum": MAX_BLOB_BYTES, "description": "How many bytes to write, instead of lines."});
    tool(
        "blob",
        "Large text",
        "Writes a large text, measured in lines or in bytes. Useful for seeing what a client does with too much output.",
        object(json!({"lines": lines, "bytes": bytes}), &[]),
    )
    .annotate(reads())
}

fn fail() -> Tool {
    let message = json!({"type": "string", "description": "What the failure says."});
    tool(
        "fail",
        "Fail",
        "Reports a failure of the tool itself: a result with isError set.",
        object(json!({"message": message}), &[]),
    )
    .annotate(reads())
}

fn picture() -> Tool {
    tool("picture", "Picture", "Gives a small PNG picture.", object(json!({}), &[])).annotate(reads())
}

fn grow() -> Tool {
    tool(
        "grow",
        "Grow the tool list",
        "Adds one tool to the list of this session and says that the list has changed.",
        object(json!({}), &[]),
    )
    .annotate(writes())
}

fn environment() -> Tool {
    tool(
        "environment",
        "Environment",
        "Lists the names of the environment variables that reached this server. Their values are not told.",
        object(json!({}), &[]),
    )
    .with_raw_output_schema(object(
        json!({"names": {"type": "array", "items": {"type": "string"}}}),
        &["names"],
    ))
    .annotate(reads())
}

fn counter() -> Tool {
    tool(
        "counter",
        "Counter",
        "Counts its own calls since the server was started. A count that begins anew tells that the server was restarted.",
        object(json!({}), &[]),
    )
    .with_raw_output_schema(object(json!({"count": {"type": "integer"}}), &["count"]))
    .annotate(writes())
}

fn grown_tool(number: u64) -> Tool {
    let description = format!("Tool number {number} that grow has added. It says its number.");
    Tool::new(format!("grown_{number}"), description, object(json!({}), &[])).annotate(reads())
}

fn tool(name: &'static str, title: &'static str, description: &'static str, schema: Arc<JsonObject>) -> Tool {
    Tool::new(name, description, schema).with_title(title)
}

fn object(properties: Value, required: &[&str]) -> Arc<JsonObject> {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), Value::from("object"));
    schema.insert("properties".to_owned(), properties);
    if !required.is_empty() {
        schema.insert("required".to_owned(), Value::from(required));
    }
    schema.insert("additionalProperties".to_owned(), Value::from(false));
    Arc::new(schema)
}

fn reads() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).idempotent(true).open_world(false)
}

fn writes() -> ToolAnnotations {
    ToolAnnotations::new().read_only(false).destructive(false).idempotent(false).open_world(false)
}
