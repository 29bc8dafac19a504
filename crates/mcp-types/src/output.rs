//! What a tool call returned, without loss.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::content::ContentBlock;
use crate::object::{DocumentError, RawObject, to_raw};

const WHAT: &str = "tool result";

/// The result of one `tools/call`: content, structured content, the error flag and everything else the server sent.
///
/// ```
/// let output = mcp_types::ToolOutput::parse(r#"{"content":[{"type":"text","text":"hi"}],"future":1}"#)?;
/// assert_eq!(output.joined_text(), "hi");
/// assert!(serde_json::to_string(&output).unwrap().contains("\"future\":1"));
/// # Ok::<(), mcp_types::DocumentError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ToolOutput {
    /// The blocks in the order of the server.
    pub content: Vec<ContentBlock>,
    /// `structuredContent` as it was written; `None` when the server sent none.
    pub structured_content: Option<Box<RawValue>>,
    /// True when the tool itself reports a failure.
    pub is_error: bool,
    /// All other members, `_meta` among them.
    pub extra: RawObject,
}

impl ToolOutput {
    /// Makes a result of one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![ContentBlock::text(text)], ..Self::default() }
    }

    /// Decodes a `tools/call` result. An unknown block or member is kept; only a result that is no object, or whose
    /// `content` is absent or no array of objects, is refused.
    pub fn parse(text: &str) -> Result<Self, DocumentError> {
        let mut object = RawObject::parse(WHAT, text)?;
        let listed = object.take("content");
        let structured_content = object.take("structuredContent");
        if listed.is_none() && structured_content.is_none() {
            return Err(DocumentError::Missing { what: WHAT, member: "content" });
        }
        let content = match listed {
            Some(raw) => {
                serde_json::from_str(raw.get()).map_err(|error| DocumentError::malformed(WHAT, error))?
            }
            None => Vec::new(),
        };
        let is_error = object.take_as("isError").unwrap_or(false);
        Ok(Self { content, structured_content, is_error, extra: object })
    }

    /// Joins the text blocks with newlines.
    pub fn joined_text(&self) -> String {
        let mut joined = String::new();
        for block in &self.content {
            let ContentBlock::Text { text, .. } = block else { continue };
            if !joined.is_empty() {
                joined.push('\n');
            }
            joined.push_str(text);
        }
        joined
    }

    /// Gives the object that goes on the wire.
    pub fn to_object(&self) -> RawObject {
        let mut object = RawObject::default();
        object.insert("content", to_raw(&self.content));
        if let Some(structured) = &self.structured_content {
            object.insert("structuredContent", structured.clone());
        }
        if self.is_error {
            object.insert("isError", to_raw(&true));
        }
        for (key, value) in self.extra.iter() {
            object.insert(key, value.to_owned());
        }
        object
    }
}

impl PartialEq for ToolOutput {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content
            && self.is_error == other.is_error
            && self.extra == other.extra
            && self.structured_content.as_ref().map(|raw| raw.get())
                == other.structured_content.as_ref().map(|raw| raw.get())
    }
}

impl Serialize for ToolOutput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_object().serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_block_loses_nothing_else() {
        let text = r#"{"content":[{"type":"hologram","depth":3},{"type":"text","text":"a","annotations":{"audience":["user"]}}],"_meta":{"k":1.50}}"#;
        let output = ToolOutput::parse(text).unwrap();
        assert_eq!(serde_json::to_string(&output).unwrap(), text);
        assert_eq!(output.joined_text(), "a");
    }

    #[test]
    fn structured_null_is_told_from_absent() {
        let output = ToolOutput::parse(r#"{"content":[],"structuredContent":null}"#).unwrap();
        assert_eq!(output.structured_content.unwrap().get(), "null");
    }

    #[test]
    fn an_empty_list_of_content_is_a_result() {
        assert_eq!(ToolOutput::parse(r#"{"content":[]}"#), Ok(ToolOutput::default()));
    }

    #[test]
    fn a_result_without_content_is_refused() {
        assert_eq!(ToolOutput::parse("{}"), Err(DocumentError::Missing { what: WHAT, member: "content" }));
    }

    proptest::proptest! {
        #[test]
        fn round_trip_keeps_the_meaning(value in json_object(), text in ".*", flag: bool) {
            let mut wire = serde_json::json!({"content": [{"type": "text", "text": text}, value.clone()], "structuredContent": value.clone(), "extra": value});
            if flag { wire["isError"] = true.into(); }
            let output = ToolOutput::parse(&wire.to_string()).unwrap();
            let back: serde_json::Value = serde_json::from_str(&serde_json::to_string(&output).unwrap()).unwrap();
            let sent: serde_json::Value = serde_json::from_str(&wire.to_string()).unwrap();
            proptest::prop_assert_eq!(back, sent);
        }
    }

    fn json_object() -> impl proptest::strategy::Strategy<Value = serde_json::Value> {
        use proptest::prelude::*;
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(serde_json::Value::from),
            any::<i64>().prop_map(serde_json::Value::from),
            any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(serde_json::Value::from),
            ".*".prop_map(serde_json::Value::from),
        ];
        let value = leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
                proptest::collection::hash_map("[a-z]{1,6}", inner, 0..4)
                    .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
            ]
        });
        proptest::collection::hash_map("[a-zA-Z_]{1,8}", value, 0..5)
            .prop_map(|map| serde_json::Value::Object(map.into_iter().collect()))
    }
}
