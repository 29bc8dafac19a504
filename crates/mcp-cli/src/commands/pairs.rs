//! Arguments on the command line: `--args` first, then the pairs, each laid over what stands before it.

use std::io::Read as _;
use std::path::Path;

use serde_json::{Map, Value};
use wharf::{Error, ErrorCode};

/// The most bytes of a file of arguments, or of standard input.
const MAX_ARGUMENT_BYTES: u64 = 16 * 1024 * 1024;

/// Joins `--args` and pairs into one object.
pub(super) fn arguments(whole: Option<&str>, pairs: &[String], cwd: &Path) -> Result<Map<String, Value>, Error> {
    let mut arguments = match whole {
        None => Map::new(),
        Some(text) => object(&source(text, cwd)?)?,
    };
    for pair in pairs {
        let (key, value) = parse(pair)?;
        arguments.insert(key, value);
    }
    Ok(arguments)
}

fn source(text: &str, cwd: &Path) -> Result<String, Error> {
    if text == "-" {
        let mut read = String::new();
        std::io::stdin()
            .take(MAX_ARGUMENT_BYTES)
            .read_to_string(&mut read)
            .map_err(|error| Error::new(ErrorCode::FileAccess, format!("cannot read standard input: {error}")))?;
        return Ok(read);
    }
    match text.strip_prefix('@') {
        Some(file) => mcp_fs::read_text_bounded(&cwd.join(file), MAX_ARGUMENT_BYTES)
            .map_err(|error| Error::new(ErrorCode::FileAccess, error.to_string())),
        None => Ok(text.to_owned()),
    }
}

fn object(text: &str) -> Result<Map<String, Value>, Error> {
    let refused = |reason: String| {
        Error::new(ErrorCode::InvalidArguments, format!("--args is no JSON object: {reason}"))
            .with_hint("write it as --args '{\"key\": \"value\"}', or as key=value pairs")
    };
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(refused("it is another kind of value".to_owned())),
        Err(error) => Err(refused(error.to_string())),
    }
}

/// Reads `key=text` or `key:=JSON`.
fn parse(pair: &str) -> Result<(String, Value), Error> {
    let refused = |reason: String| {
        Error::new(ErrorCode::InvalidArguments, format!("{pair:?}: {reason}"))
            .with_hint("write key=text, or key:=JSON for numbers, lists and objects")
    };
    let (key, text) = pair.split_once('=').ok_or_else(|| refused("there is no `=`".to_owned()))?;
    let (key, value) = match key.strip_suffix(':') {
        Some(key) => (key, serde_json::from_str(text).map_err(|error| refused(error.to_string()))?),
        None => (key, Value::from(text)),
    };
    if key.is_empty() {
        return Err(refused("the key is empty".to_owned()));
    }
    Ok((key.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn joined(whole: Option<&str>, pairs: &[&str]) -> Result<Value, ErrorCode> {
        let pairs: Vec<String> = pairs.iter().map(|pair| (*pair).to_owned()).collect();
        arguments(whole, &pairs, Path::new(".")).map(Value::Object).map_err(|error| error.code())
    }

    #[test]
    fn pairs_lie_over_the_whole() {
        assert_eq!(joined(Some(r#"{"a": 1, "b": 2}"#), &["b=x", "c:=[1]"]), Ok(json!({"a": 1, "b": "x", "c": [1]})));
    }

    #[test]
    fn a_value_may_hold_the_sign() {
        assert_eq!(joined(None, &["q=a=b", "e="]), Ok(json!({"q": "a=b", "e": ""})));
    }

    #[test]
    fn what_is_no_argument_is_refused() {
        for (whole, pairs) in [(Some("[1]"), vec![]), (Some("{"), vec![]), (None, vec!["x"]), (None, vec!["x:=y"]), (None, vec!["=v"])] {
            assert_eq!(joined(whole, &pairs), Err(ErrorCode::InvalidArguments), "{whole:?} {pairs:?}");
        }
    }
}
