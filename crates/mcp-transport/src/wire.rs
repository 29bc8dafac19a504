//! One JSON-RPC message told by its shape: which members stand there, each still as it was written.

use std::borrow::Cow;

use rmcp::model::RequestId;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The members of a message. `null` is told from absent, because a result may be `null`.
#[derive(Debug, Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// A message by its shape. What has both a method and an id is a question of the server, never a reply.
#[derive(Debug)]
pub(crate) enum Shape<'a> {
    /// The server asks something.
    Request { id: RequestId, method: Cow<'a, str>, params: Option<&'a RawValue> },
    /// The server tells something.
    Notification { method: Cow<'a, str>, params: Option<&'a RawValue> },
    /// The answer to a request of ours.
    Response { id: RequestId, result: &'a RawValue },
    /// The refusal of a request of ours; without an id when the server could not read it.
    Error { id: Option<RequestId>, error: &'a RawValue },
}

impl<'a> Shape<'a> {
    /// Reads one message; `None` when the text is no JSON-RPC message.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let envelope: Envelope<'a> = serde_json::from_str(text).ok()?;
        let Envelope { id, method, params, result, error } = envelope;
        match (method, result, error) {
            (Some(method), None, None) => match id {
                Some(id) => Some(Self::Request { id: parse_id(id)?, method, params }),
                None => Some(Self::Notification { method, params }),
            },
            (None, Some(result), None) => Some(Self::Response { id: parse_id(id?)?, result }),
            // Some servers write `"result":null` beside an error.
            (None, None, Some(error)) => Some(Self::Error { id: id.and_then(parse_id), error }),
            (None, Some(result), Some(error)) if result.get() == "null" => {
                Some(Self::Error { id: id.and_then(parse_id), error })
            }
            (None, Some(result), Some(error)) if error.get() == "null" => {
                Some(Self::Response { id: parse_id(id?)?, result })
            }
            _ => None,
        }
    }
}

/// Reads an id: a whole number or a text. Anything else can belong to no request.
fn parse_id(raw: &RawValue) -> Option<RequestId> {
    if let Ok(number) = serde_json::from_str::<i64>(raw.get()) {
        return Some(RequestId::Number(number));
    }
    serde_json::from_str::<String>(raw.get()).ok().map(|text| RequestId::String(text.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> &'static str {
        match Shape::parse(text) {
            Some(Shape::Request { .. }) => "request",
            Some(Shape::Notification { .. }) => "notification",
            Some(Shape::Response { .. }) => "response",
            Some(Shape::Error { .. }) => "error",
            None => "nothing",
        }
    }

    #[test]
    fn t_call_12_a_message_is_told_by_its_shape() {
        let rows = [
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "request"),
            (r#"{"jsonrpc":"2.0","method":"x","params":{}}"#, "notification"),
            (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "response"),
            (r#"{"result":{},"id":"1"}"#, "response"),
            (r#"{"id":null,"error":{"code":-32700,"message":"x"}}"#, "error"),
            (r#"{"id":1,"result":null,"error":{"code":1,"message":"x"}}"#, "error"),
            (r#"{"id":1,"result":{},"error":null}"#, "response"),
            (r#"{"id":1.5,"result":{}}"#, "nothing"),
            (r#"{"result":{}}"#, "nothing"),
            (r#"{"id":1,"method":"a","result":{}}"#, "nothing"),
            (r"{}", "nothing"),
            ("banner", "nothing"),
            ("[1]", "nothing"),
        ];
        for (text, expected) in rows {
            assert_eq!(kind(text), expected, "{text}");
        }
    }
}
