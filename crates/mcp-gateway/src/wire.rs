//! From a tool output to the JSON value that the protocol library carries. Large texts are moved, not copied.

use mcp_types::{ContentBlock, RawObject, ToolOutput};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Gives the result object of `tools/call`.
///
/// Fails only on what a JSON value cannot hold: a number beyond the range of a double, or nesting deeper than 128.
pub(crate) fn result_value(output: ToolOutput) -> Result<Value, serde_json::Error> {
    let ToolOutput { content, structured_content, is_error, extra } = output;
    let mut object = Map::new();
    let blocks: Result<Vec<Value>, _> = content.into_iter().map(block_value).collect();
    object.insert("content".to_owned(), Value::Array(blocks?));
    if let Some(structured) = structured_content {
        object.insert("structuredContent".to_owned(), raw_value(&structured)?);
    }
    if is_error {
        object.insert("isError".to_owned(), Value::Bool(true));
    }
    append(&mut object, &extra)?;
    Ok(Value::Object(object))
}

fn block_value(block: ContentBlock) -> Result<Value, serde_json::Error> {
    let ContentBlock::Text { text, extra } = block else { return serde_json::to_value(&block) };
    let mut object = Map::new();
    object.insert("type".to_owned(), Value::from("text"));
    object.insert("text".to_owned(), Value::String(text));
    append(&mut object, &extra)?;
    Ok(Value::Object(object))
}

fn append(object: &mut Map<String, Value>, extra: &RawObject) -> Result<(), serde_json::Error> {
    for (key, value) in extra.iter() {
        object.insert(key.to_owned(), raw_value(value)?);
    }
    Ok(())
}

fn raw_value(raw: &RawValue) -> Result<Value, serde_json::Error> {
    serde_json::from_str(raw.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_keeps_unknown_blocks_meta_and_null() {
        let text = r#"{"content":[{"type":"text","text":"a","annotations":{"priority":1}},{"type":"hologram","depth":[1,2]}],"structuredContent":null,"isError":true,"_meta":{"k":{"x":1.5}},"later":"y"}"#;
        let value = result_value(ToolOutput::parse(text).unwrap()).unwrap();
        assert_eq!(serde_json::to_string(&value).unwrap(), text);
    }

    #[test]
    fn a_number_beyond_a_double_is_an_error_not_a_panic() {
        let output = ToolOutput::parse(r#"{"content":[],"structuredContent":{"n":1e999}}"#).unwrap();
        assert!(result_value(output).is_err());
    }
}
