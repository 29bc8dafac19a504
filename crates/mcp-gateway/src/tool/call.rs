//! The mode that calls a tool.

use mcp_types::{Arguments, CallRequest, CallTarget, ContentBlock, ErrorCode, Origin, ToolOutput};
use wharf::{Error, render};

use crate::tool::{Caller, reply};

const PARAMETERS: &str = "Expected parameters:";

/// Calls a tool and passes its result on: every block, the structured content and `_meta` as they came.
pub(crate) async fn answer(
    caller: &Caller,
    tool: String,
    server: Option<&str>,
    arguments: Arguments,
) -> Result<ToolOutput, Error> {
    let runtime = &caller.runtime;
    let server = server.map(|server| runtime.server_name(server)).transpose()?;
    let target = CallTarget { server, tool };
    let request = CallRequest {
        target: target.clone(),
        arguments,
        origin: Origin::Gateway,
        session: caller.session.clone(),
        timeout: None,
    };
    let outcome = match &caller.progress {
        Some(progress) => runtime.call_with_progress(request, progress.clone()).await,
        None => runtime.call(request).await,
    };
    let output = match outcome {
        Ok(done) if !done.output.is_error => return Ok(never_empty(done.output)),
        Ok(failed) => marked(failed.output),
        Err(error) if may_be_the_arguments(error.code()) => reply::failure(&error),
        Err(error) => return Err(error),
    };
    let tool = runtime.resolve(&target).ok();
    let expected = tool
        .as_ref()
        .and_then(|tool| tool.input_schema())
        .map(|schema| render::shape_or_params(schema.get()));
    Ok(with_parameters(output, expected))
}

fn may_be_the_arguments(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::InvalidArguments | ErrorCode::ServerError)
}

/// Marks the text of a tool that reports a failure of its own.
fn marked(mut output: ToolOutput) -> ToolOutput {
    let first = output.content.iter_mut().find_map(|block| {
        let ContentBlock::Text { text, .. } = block else { return None };
        Some(text)
    });
    match first {
        Some(text) if text.starts_with("Error:") => {}
        Some(text) => text.insert_str(0, "Error: "),
        None => output.content.insert(0, ContentBlock::text("Error: the tool failed without saying why")),
    }
    output
}

fn with_parameters(mut output: ToolOutput, expected: Option<String>) -> ToolOutput {
    if let Some(expected) = expected.filter(|expected| !expected.is_empty()) {
        output.content.push(ContentBlock::text(format!("{PARAMETERS}\n{expected}")));
    }
    output
}

/// Gives a result without blocks a text: its structured content, or that there is nothing.
fn never_empty(mut output: ToolOutput) -> ToolOutput {
    if output.content.is_empty() {
        let text = match &output.structured_content {
            Some(structured) => structured.get().to_owned(),
            None => "(empty result)".to_owned(),
        };
        output.content.push(ContentBlock::text(text));
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(change: impl FnOnce(ToolOutput) -> ToolOutput, before: &str, after: &str) {
        let output = change(ToolOutput::parse(before).unwrap());
        assert_eq!(serde_json::to_string(&output).unwrap(), after);
    }

    #[test]
    fn adapter_13_13_a_failure_is_marked_and_shows_what_was_expected() {
        check(
            |output| with_parameters(marked(output), Some("{ q: string }".to_owned())),
            r#"{"content":[{"type":"image","data":"","mimeType":"image/png"},{"type":"text","text":"no"}],"isError":true,"structuredContent":{"a":1},"_meta":{"m":1}}"#,
            r#"{"content":[{"type":"image","data":"","mimeType":"image/png"},{"type":"text","text":"Error: no"},{"type":"text","text":"Expected parameters:\n{ q: string }"}],"structuredContent":{"a":1},"isError":true,"_meta":{"m":1}}"#,
        );
    }

    #[test]
    fn a_failure_that_marks_itself_is_not_marked_twice() {
        let text = r#"{"content":[{"type":"text","text":"Error: no"}],"isError":true}"#;
        check(|output| with_parameters(marked(output), None), text, text);
    }

    #[test]
    fn a_failure_without_text_gets_one() {
        check(
            marked,
            r#"{"content":[],"isError":true,"_meta":{}}"#,
            r#"{"content":[{"type":"text","text":"Error: the tool failed without saying why"}],"isError":true,"_meta":{}}"#,
        );
    }

    #[test]
    fn adapter_17_an_empty_result_says_so() {
        check(
            never_empty,
            r#"{"content":[],"_meta":{}}"#,
            r#"{"content":[{"type":"text","text":"(empty result)"}],"_meta":{}}"#,
        );
        check(
            never_empty,
            r#"{"content":[],"structuredContent":{"n":1.0}}"#,
            r#"{"content":[{"type":"text","text":"{\"n\":1.0}"}],"structuredContent":{"n":1.0}}"#,
        );
    }
}
