//! Arguments on the command line: `--args` first, then the pairs, each laid over what stands before it.

use std::io::Read as _;
use std::path::Path;

use mcp_types::object::to_raw;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use wharf::{Error, ErrorCode, RawObject};

/// The most bytes of a file of arguments, or of standard input.
const MAX_ARGUMENT_BYTES: u64 = 16 * 1024 * 1024;

/// Joins `--args` and pairs into one object. A later pair takes the place of an earlier one and of a member of `--args`;
/// nothing is merged inside a value. Values stay as they were written, numbers of any length included.
pub(super) fn arguments(whole: Option<&str>, pairs: &[String], cwd: &Path) -> Result<RawObject, Error> {
    let mut arguments = match whole {
        None => RawObject::default(),
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
        std::io::stdin().take(MAX_ARGUMENT_BYTES + 1).read_to_string(&mut read).map_err(|error| {
            Error::new(ErrorCode::FileAccess, format!("cannot read standard input: {error}"))
        })?;
        if read.len() as u64 > MAX_ARGUMENT_BYTES {
            let message = format!("standard input holds more than {MAX_ARGUMENT_BYTES} bytes");
            return Err(Error::new(ErrorCode::InvalidArguments, message));
        }
        return Ok(read);
    }
    match text.strip_prefix('@') {
        Some(file) => mcp_fs::read_text_bounded(&cwd.join(file), MAX_ARGUMENT_BYTES)
            .map_err(|error| Error::new(ErrorCode::FileAccess, error.to_string())),
        None => Ok(text.to_owned()),
    }
}

fn object(text: &str) -> Result<RawObject, Error> {
    let refused = |reason: String| {
        Error::new(ErrorCode::InvalidArguments, format!("--args is no JSON object: {reason}"))
            .with_hint("write it as --args '{\"key\": \"value\"}', or as key=value pairs")
    };
    // A byte order mark stands at the start of many files.
    one_line_json(text.trim_start_matches('\u{feff}')).map_err(|error| refused(error.to_string()))
}

/// Reads `key=text` or `key:=JSON`.
fn parse(pair: &str) -> Result<(String, Box<RawValue>), Error> {
    let refused = |reason: String| {
        Error::new(ErrorCode::InvalidArguments, format!("{pair:?}: {reason}"))
            .with_hint("write key=text, or key:=JSON for numbers, lists and objects")
    };
    let (key, text) = pair.split_once('=').ok_or_else(|| refused("there is no `=`".to_owned()))?;
    let (key, value) = match key.strip_suffix(':') {
        Some(key) => (key, one_line_json(text).map_err(|error| refused(error.to_string()))?),
        None => (key, to_raw(text)),
    };
    if key.is_empty() {
        return Err(refused("the key is empty".to_owned()));
    }
    Ok((key.to_owned(), value))
}

/// Reads JSON and puts it on one line, because a message to a server is one line. In valid JSON line breaks stand
/// between values only, where a space means the same.
fn one_line_json<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str::<&RawValue>(text)?;
    serde_json::from_str(&text.replace(['\n', '\r'], " "))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn joined(whole: Option<&str>, pairs: &[&str]) -> Result<Value, ErrorCode> {
        let pairs: Vec<String> = pairs.iter().map(|pair| (*pair).to_owned()).collect();
        let arguments = arguments(whole, &pairs, Path::new(".")).map_err(|error| error.code())?;
        Ok(serde_json::from_str(to_raw(&arguments).get()).unwrap())
    }

    #[test]
    fn pairs_lie_over_the_whole() {
        assert_eq!(
            joined(Some(r#"{"a": 1, "b": 2}"#), &["b=x", "c:=[1]"]),
            Ok(json!({"a": 1, "b": "x", "c": [1]}))
        );
    }

    #[test]
    fn the_last_of_equal_keys_counts_and_values_are_not_merged() {
        assert_eq!(
            joined(Some(r#"{"a": {"x": 1}}"#), &[r#"a:={"y": 2}"#, "b=1", "b:=2"]),
            Ok(json!({"a": {"y": 2}, "b": 2}))
        );
    }

    #[test]
    fn digits_are_kept_as_they_were_written() {
        let pairs = ["id:=123456789012345678901234567890".to_owned(), "rate:=1.10".to_owned()];
        let arguments = arguments(Some(r#"{"n":1e400}"#), &pairs, Path::new(".")).unwrap();
        assert_eq!(
            to_raw(&arguments).get(),
            r#"{"n":1e400,"id":123456789012345678901234567890,"rate":1.10}"#
        );
    }

    #[test]
    fn arguments_of_many_lines_become_one() {
        let arguments =
            arguments(Some("{\"a\": {\r\n\"b\": \"x\\ny\"}\n}"), &["c:=[1,\n2]".to_owned()], Path::new("."));
        assert_eq!(to_raw(&arguments.unwrap()).get(), r#"{"a":{  "b": "x\ny"},"c":[1, 2]}"#);
        assert_eq!(joined(Some("{\"a\": \"x\ny\"}"), &[]), Err(ErrorCode::InvalidArguments));
    }

    #[test]
    fn a_file_is_read_beside_the_working_directory() {
        let dir = tempfile::tempdir().unwrap();
        mcp_fs::write_atomic(
            &dir.path().join("a.json"),
            b"\xef\xbb\xbf{\"a\": 1}",
            mcp_fs::Mode::Default,
            false,
        )
        .unwrap();
        let read = arguments(Some("@a.json"), &[], dir.path()).unwrap();
        assert_eq!(read.read::<u32>("a"), Some(1));
        assert_eq!(arguments(Some("@none.json"), &[], dir.path()).unwrap_err().code(), ErrorCode::FileAccess);
    }

    #[test]
    fn a_value_may_hold_the_sign() {
        assert_eq!(joined(None, &["q=a=b", "e="]), Ok(json!({"q": "a=b", "e": ""})));
    }

    #[test]
    fn what_is_no_argument_is_refused() {
        for (whole, pairs) in [
            (Some("[1]"), vec![]),
            (Some("{"), vec![]),
            (None, vec!["x"]),
            (None, vec!["x:=y"]),
            (None, vec!["=v"]),
        ] {
            assert_eq!(joined(whole, &pairs), Err(ErrorCode::InvalidArguments), "{whole:?} {pairs:?}");
        }
    }
}
