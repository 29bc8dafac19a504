//! The lossless passage through rmcp: documents travel as opaque text, so its model can drop nothing.
//!
//! rmcp decodes results by shape and drops what it does not know. So every text that comes from a server is rewritten
//! before rmcp reads it ([`wrap_result`]): the result of a response becomes one JSON string that holds the result as it
//! was written, and a question of the server becomes a custom request that holds its parameters as text. On the way
//! out, requests and answers carry their documents the same way and [`encode`] unfolds them. Only the handshake stays
//! typed, because rmcp itself needs it.
//!
//! Whoever moves bytes owes both halves: `wrap_result` on each message that comes in (or [`message_from_text`], which
//! does the same without a second text), and `encode` on each message that goes out.

use std::borrow::Cow;

use mcp_types::RawObject;
use mcp_types::object::to_raw;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ClientResult, CustomNotification, CustomRequest, CustomResult,
    ErrorCode as RpcCode, ErrorData, InitializeResult, JsonObject, JsonRpcMessage, RequestId,
    RequestMetaObject, ServerJsonRpcMessage, ServerNotification, ServerRequest, ServerResult,
};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::wire::Shape;

/// The member under which a document travels as text. No document of the protocol has a member of this name.
const RAW_MEMBER: &str = "\u{1}raw";
/// Stands before the method of a folded message, so that no typed variant of rmcp takes it.
const FOLDED: char = '\u{1}';
/// Messages that rmcp itself must understand.
const TYPED_METHODS: [&str; 3] = ["ping", "notifications/cancelled", "notifications/progress"];

/// Rewrites the text of a message from a server for rmcp. What is no message, and what rmcp must understand itself
/// (the handshake, pings, cancellations, progress), stays as it is.
pub(crate) fn wrap_result(message: &str) -> Cow<'_, str> {
    let Some(shape) = Shape::parse(message) else { return Cow::Borrowed(message) };
    let folded = match shape {
        Shape::Response { id, result } if !is_handshake(result) => {
            serde_json::json!({"jsonrpc": "2.0", "id": id, "result": result.get()})
        }
        Shape::Request { id, method, params } if !is_typed(&method) => {
            serde_json::json!({"jsonrpc": "2.0", "id": id, "method": fold_method(&method), "params": fold(params)})
        }
        Shape::Notification { method, params } if !is_typed(&method) => {
            serde_json::json!({"jsonrpc": "2.0", "method": fold_method(&method), "params": fold(params)})
        }
        Shape::Response { .. } | Shape::Request { .. } | Shape::Notification { .. } | Shape::Error { .. } => {
            return Cow::Borrowed(message);
        }
    };
    Cow::Owned(folded.to_string())
}

/// Does what [`wrap_result`] does and what rmcp's decoder does after it, in one step.
///
/// `handshake` is the id of the `initialize` request; its response alone is decoded by rmcp's types.
pub(crate) fn message_from_text(text: &str, handshake: Option<&RequestId>) -> Option<ServerJsonRpcMessage> {
    match Shape::parse(text)? {
        Shape::Response { id, result } => {
            let result = if handshake.is_some_and(|expected| same_id(expected, &id)) {
                read_handshake(result)
            } else {
                ServerResult::CustomResult(CustomResult::new(Value::String(result.get().to_owned())))
            };
            Some(JsonRpcMessage::response(result, id))
        }
        Shape::Error { id, error } => Some(JsonRpcMessage::error(read_error(error), id)),
        Shape::Request { method, .. } if is_typed(&method) => serde_json::from_str(text).ok(),
        Shape::Notification { method, .. } if is_typed(&method) => serde_json::from_str(text).ok(),
        Shape::Request { id, method, params } => {
            let request = CustomRequest::new(fold_method(&method), Some(fold(params)));
            Some(JsonRpcMessage::request(ServerRequest::CustomRequest(request), id))
        }
        Shape::Notification { method, params } => {
            let notification = CustomNotification::new(fold_method(&method), Some(fold(params)));
            Some(JsonRpcMessage::notification(ServerNotification::CustomNotification(notification)))
        }
    }
}

/// Gives the text of a result as the server wrote it.
pub(crate) fn result_text(result: ServerResult) -> String {
    if let ServerResult::CustomResult(CustomResult(Value::String(text))) = result {
        return text;
    }
    // A result that looked like a handshake came typed. It is no answer we ask for, but nothing is hidden.
    serde_json::to_string(&result).unwrap_or_default()
}

/// Renders a message for the wire on one line, with its folded documents unfolded.
pub(crate) fn encode(message: &ClientJsonRpcMessage) -> Result<String, serde_json::Error> {
    render(message).map(on_one_line)
}

/// A document travels as it was written, line breaks between its tokens included; a message is one line. Within a
/// text JSON has no raw line break, so each one stands between tokens.
fn on_one_line(text: String) -> String {
    if text.contains(['\n', '\r']) { text.replace(['\n', '\r'], " ") } else { text }
}

fn render(message: &ClientJsonRpcMessage) -> Result<String, serde_json::Error> {
    match message {
        JsonRpcMessage::Request(request) => {
            let ClientRequest::CustomRequest(custom) = &request.request else {
                return serde_json::to_string(message);
            };
            let Some(params) = custom.params.as_ref().and_then(folded_text) else {
                return serde_json::to_string(message);
            };
            let mut params: RawObject = serde_json::from_str(params)?;
            if let Some(meta) = custom.extensions.get::<RequestMetaObject>() {
                merge_meta(&mut params, meta);
            }
            let mut object = head(Some(&request.id));
            object.insert("method", to_raw(&custom.method));
            object.insert("params", to_raw(&params));
            serde_json::to_string(&object)
        }
        JsonRpcMessage::Response(response) => {
            let ClientResult::CustomResult(CustomResult(value)) = &response.result else {
                return serde_json::to_string(message);
            };
            let Some(result) = folded_text(value) else { return serde_json::to_string(message) };
            let mut object = head(Some(&response.id));
            object.insert("result", serde_json::from_str::<Box<RawValue>>(result)?);
            serde_json::to_string(&object)
        }
        JsonRpcMessage::Notification(_) | JsonRpcMessage::Error(_) => serde_json::to_string(message),
    }
}

/// Makes a request whose parameters go out as they are written.
pub(crate) fn folded_request(method: &str, params: &RawObject) -> CustomRequest {
    CustomRequest::new(method, Some(fold(Some(&to_raw(params)))))
}

/// Makes the answer to a question of the server; the document goes out as it is written.
pub(crate) fn folded_result(result: &RawValue) -> CustomResult {
    CustomResult::new(fold(Some(result)))
}

/// Gives method and parameters of a folded message; an unfolded one gives its own.
pub(crate) fn unfold(method: &str, params: Option<&Value>) -> (String, Option<Box<RawValue>>) {
    let method = method.strip_prefix(FOLDED).unwrap_or(method).to_owned();
    let params = params.and_then(|value| match folded_text(value) {
        Some("null") => None,
        Some(text) => serde_json::from_str(text).ok(),
        None => (!value.is_null()).then(|| to_raw(value)),
    });
    (method, params)
}

/// Tells whether a reply names this request. Some servers give a number back as text.
pub(crate) fn same_id(request: &RequestId, reply: &RequestId) -> bool {
    numeric_id(request).map_or(request == reply, |number| numeric_id(reply) == Some(number))
}

/// Gives the number of an id, also of one that came back as text.
pub(crate) fn numeric_id(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Number(number) => Some(*number),
        RequestId::String(text) => text.parse().ok(),
    }
}

fn head(id: Option<&RequestId>) -> RawObject {
    let mut object = RawObject::default();
    object.insert("jsonrpc", to_raw("2.0"));
    if let Some(id) = id {
        object.insert("id", to_raw(id));
    }
    object
}

fn merge_meta(params: &mut RawObject, meta: &RequestMetaObject) {
    let Ok(Value::Object(meta)) = serde_json::to_value(meta) else { return };
    let mut merged: RawObject = params.take_as("_meta").unwrap_or_default();
    for (key, value) in &meta {
        merged.insert(key.clone(), to_raw(value));
    }
    params.insert("_meta", to_raw(&merged));
}

fn fold(document: Option<&RawValue>) -> Value {
    let text = document.map_or("null", RawValue::get);
    let mut object = JsonObject::new();
    object.insert(RAW_MEMBER.to_owned(), Value::String(text.to_owned()));
    Value::Object(object)
}

fn folded_text(value: &Value) -> Option<&str> {
    value.as_object()?.get(RAW_MEMBER)?.as_str()
}

fn fold_method(method: &str) -> String {
    format!("{FOLDED}{method}")
}

fn is_typed(method: &str) -> bool {
    TYPED_METHODS.contains(&method)
}

fn is_handshake(result: &RawValue) -> bool {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Members {
        protocol_version: Option<serde::de::IgnoredAny>,
        server_info: Option<serde::de::IgnoredAny>,
        capabilities: Option<serde::de::IgnoredAny>,
    }
    result.get().starts_with('{')
        && serde_json::from_str::<Members>(result.get()).is_ok_and(|members| {
            members.protocol_version.is_some()
                && members.server_info.is_some()
                && members.capabilities.is_some()
        })
}

/// Reads the answer to `initialize`. Servers that leave out what rmcp requires are completed, not refused.
fn read_handshake(result: &RawValue) -> ServerResult {
    let mut value: Value = serde_json::from_str(result.get()).unwrap_or_default();
    if let Some(object) = value.as_object_mut()
        && object.get("protocolVersion").is_some_and(Value::is_string)
    {
        let capabilities = object.entry("capabilities").or_insert(Value::Null);
        if !capabilities.is_object() {
            *capabilities = Value::Object(JsonObject::new());
        }
        let info = object.entry("serverInfo").or_insert(Value::Null);
        if !info.is_object() {
            *info = Value::Object(JsonObject::new());
        }
        for key in ["name", "version"] {
            if info.get(key).is_none_or(|value| !value.is_string()) {
                info[key] = Value::String(String::new());
            }
        }
    }
    match serde_json::from_value::<InitializeResult>(value.clone()) {
        Ok(result) => ServerResult::InitializeResult(result),
        Err(_) => ServerResult::CustomResult(CustomResult::new(value)),
    }
}

/// Reads an error member leniently: real servers send texts, floats and missing members here.
fn read_error(error: &RawValue) -> ErrorData {
    let value: Value = serde_json::from_str(error.get()).unwrap_or_default();
    let code = value.get("code").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok());
    let message = match value.get("message") {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
    };
    let data = value.get("data").filter(|data| !data.is_null()).cloned();
    ErrorData::new(RpcCode(code.unwrap_or(-32603)), message, data)
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
