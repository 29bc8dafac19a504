//! Answers that say what went wrong: one sentence, what to do next, and a code for programs.

use mcp_types::object::to_raw;
use mcp_types::{ContentBlock, ErrorCode, ToolOutput};
use serde::Serialize;
use wharf::Error;

use crate::text::{Text, usage};

#[derive(Serialize)]
struct Structured<'a> {
    error: Details<'a>,
}

#[derive(Serialize)]
struct Details<'a> {
    code: ErrorCode,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    suggestions: &'a [String],
}

/// Gives the answer to a request that failed.
pub(crate) fn failure(error: &Error) -> ToolOutput {
    let hint = next_step(error);
    let mut text = Text::new(format!("Error: {}", error.message()));
    if !error.suggestions().is_empty() {
        text.line(format_args!("Did you mean: {}", error.suggestions().join(", ")));
    }
    if let Some(hint) = &hint {
        text.line(format_args!("Next: {hint}"));
    }
    let details = Details {
        code: error.code(),
        message: error.message(),
        hint: hint.as_deref(),
        suggestions: error.suggestions(),
    };
    ToolOutput {
        content: vec![ContentBlock::text(text.finish())],
        structured_content: Some(to_raw(&Structured { error: details })),
        is_error: true,
        ..ToolOutput::default()
    }
}

/// Gives the answer when a server's result cannot be carried further.
pub(crate) fn unforwardable(error: &serde_json::Error) -> ToolOutput {
    failure(&Error::new(ErrorCode::ProtocolError, format!("the result cannot be forwarded: {error}")))
}

/// Names the next step in terms of this tool where it has one; else the step that the runtime names.
fn next_step(error: &Error) -> Option<String> {
    let server = error.server();
    let own = match (error.code(), server) {
        (ErrorCode::ServerNotFound, _) => Some("mcp({}) shows the servers".to_owned()),
        (ErrorCode::ToolNotFound, Some(server)) => {
            Some(format!("{} lists its tools", usage("server", server)))
        }
        (ErrorCode::ToolNotFound, None) => Some(format!("{} finds tools", usage("search", "words"))),
        (ErrorCode::AmbiguousTool, _) => Some("give server as well".to_owned()),
        (ErrorCode::NotConnected | ErrorCode::ServerBackoff, Some(server)) => {
            Some(format!("{} connects it now", usage("connect", server)))
        }
        (ErrorCode::InvalidPattern, _) => Some("mend the pattern, or search without regex".to_owned()),
        (ErrorCode::EmptyQuery, _) => Some("give words to search for, or a server to list".to_owned()),
        _ => None,
    };
    own.or_else(|| error.hint().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(error: &Error, text: &str, structured: &str) {
        let output = failure(error);
        assert!(output.is_error);
        assert_eq!(output.joined_text(), text);
        assert_eq!(output.structured_content.unwrap().get(), structured);
    }

    #[test]
    fn adapter_35_a_failure_says_what_and_what_next() {
        let error = Error::new(ErrorCode::ToolNotFound, "no tool \"x\"").with_suggestions(["a_x".to_owned()]);
        check(
            &error,
            "Error: no tool \"x\"\nDid you mean: a_x\nNext: mcp({search: \"words\"}) finds tools",
            r#"{"error":{"code":"tool_not_found","message":"no tool \"x\"","hint":"mcp({search: \"words\"}) finds tools","suggestions":["a_x"]}}"#,
        );
    }

    #[test]
    fn a_failure_without_step_of_its_own_takes_the_hint() {
        let error = Error::new(ErrorCode::Timeout, "slow").with_hint("wait");
        check(
            &error,
            "Error: slow\nNext: wait",
            r#"{"error":{"code":"timeout","message":"slow","hint":"wait"}}"#,
        );
    }

    #[test]
    fn a_failure_without_any_step_is_one_line() {
        check(
            &Error::new(ErrorCode::Timeout, "slow"),
            "Error: slow",
            r#"{"error":{"code":"timeout","message":"slow"}}"#,
        );
    }
}
