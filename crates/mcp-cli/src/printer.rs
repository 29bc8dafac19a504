//! Standard output is the answer, standard error the talk. A reader that went away ends nothing with a panic.

use std::io::{IsTerminal as _, Write as _};

use serde::Serialize;
use wharf::ErrorCode;

use crate::exit::Exit;
use crate::sanitize::{Reader, escape_json, sanitize};

/// Prints in the way the person asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    json: bool,
    quiet: bool,
    answer: Reader,
    talk: Reader,
}

impl Printer {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        let reader = |terminal| if terminal { Reader::Terminal } else { Reader::Program };
        let answer = reader(std::io::stdout().is_terminal());
        Self { json, quiet, answer, talk: reader(std::io::stderr().is_terminal()) }
    }

    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Prints a text as the answer, without what could steer a terminal.
    pub(crate) fn text(self, text: &str) {
        let mut text = sanitize(text, self.answer);
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        write_out(text.as_bytes());
    }

    /// Prints a value as the answer, on one line.
    pub(crate) fn json(self, value: &impl Serialize) {
        write_out(json_line(value, self.answer).as_bytes());
    }

    /// Prints either form of one answer.
    pub(crate) fn answer(self, value: &impl Serialize, text: impl FnOnce() -> String) {
        if self.json { self.json(value) } else { self.text(&text()) }
    }

    /// Tells something beside the answer.
    pub(crate) fn note(self, text: &str) {
        if !self.quiet {
            self.say(text);
        }
    }

    /// Tells how far a call is, to a person who sits and waits.
    pub(crate) fn progress(self, text: &str) {
        if self.talk == Reader::Terminal {
            self.note(text);
        }
    }

    /// Tells what must be told, also when the program shall be quiet.
    #[expect(clippy::unused_self, reason = "commands talk through the printer alone")]
    pub(crate) fn say(self, text: &str) {
        write_err(text);
    }

    /// Prints bytes of this program's own as the answer.
    #[expect(clippy::unused_self, reason = "commands print through the printer alone")]
    pub(crate) fn raw(self, bytes: &[u8]) {
        write_out(bytes);
    }

    /// Tells a failure in the way the person asked for, and gives the exit code.
    pub(crate) fn failure(self, error: &wharf::Error) -> Exit {
        if self.json {
            self.json(&FailureAnswer { error: Failure::of(error) });
        } else {
            self.say(&failure_text(error));
        }
        Exit::of(error.code())
    }
}

/// An error as `--json` shows it: a contract with scripts.
#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    code: ErrorCode,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<String>,
}

impl Failure {
    pub(crate) fn of(error: &wharf::Error) -> Self {
        Self {
            code: error.code(),
            message: error.message().to_owned(),
            hint: error.hint().map(str::to_owned),
            server: error.server().map(str::to_owned),
            tool: error.tool().map(str::to_owned),
            suggestions: error.suggestions().to_vec(),
        }
    }
}

#[derive(Debug, Serialize)]
struct FailureAnswer {
    error: Failure,
}

/// Tells that the command line is not understood, or prints the help that it asks for.
pub(crate) fn usage(error: &clap::Error, json: bool) -> Exit {
    if !error.use_stderr() {
        let _enough = error.print();
        return Exit::Done;
    }
    if !json {
        let _enough = error.print();
        return Exit::Usage;
    }
    Printer::new(true, false).failure(&usage_error(&error.render().to_string()))
}

/// Makes an error of the words of the argument parser: what is wrong, then a tip or how it is used.
fn usage_error(rendered: &str) -> wharf::Error {
    let mut parts = rendered.split("\n\n").map(wharf::render::one_line).filter(|part| !part.is_empty());
    let message = parts.next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    let error = wharf::Error::new(wharf::ErrorCode::InvalidRequest, message);
    match parts.next() {
        Some(next) => error.with_hint(next.strip_prefix("tip: ").unwrap_or(&next)),
        None => error,
    }
}

fn failure_text(error: &wharf::Error) -> String {
    let mut text = format!("error: {}", error.message());
    if !error.suggestions().is_empty() {
        text.push_str("\n  did you mean: ");
        text.push_str(&error.suggestions().join(", "));
    }
    if let Some(hint) = error.hint() {
        text.push_str("\n  hint: ");
        text.push_str(hint);
    }
    text
}

/// Documents of servers keep their own line breaks between values; an answer is one line.
fn json_line(value: &impl Serialize, reader: Reader) -> String {
    let line = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()).replace(['\n', '\r'], " ");
    let line = if reader == Reader::Terminal { escape_json(&line) } else { line };
    line + "\n"
}

/// A closed pipe is the reader's way to say that it has enough.
fn write_out(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _enough = out.write_all(bytes).and_then(|()| out.flush());
}

fn write_err(text: &str) {
    let mut err = std::io::stderr().lock();
    let _enough = writeln!(err, "{}", sanitize(text, Reader::Terminal).trim_end());
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn error() -> wharf::Error {
        wharf::Error::new(ErrorCode::ToolNotFound, "no tool \"ehco\"")
            .with_hint("list all tools: wharf list")
            .for_name("ehco")
            .with_suggestions(["demo_echo".to_owned()])
    }

    #[test]
    fn a_failure_tells_what_to_do_next() {
        insta::assert_snapshot!(failure_text(&error()), @r#"
        error: no tool "ehco"
          did you mean: demo_echo
          hint: list all tools: wharf list
        "#);
    }

    #[test]
    fn a_usage_error_keeps_what_is_wrong_and_the_tip() {
        let error = usage_error(
            "error: unexpected argument '--jsn' found\n\n  tip: a similar argument exists: '--json'\n\nUsage: wharf\n",
        );
        assert_eq!(error.message(), "unexpected argument '--jsn' found");
        assert_eq!(error.hint(), Some("a similar argument exists: '--json'"));
    }

    #[test]
    fn a_failure_in_json_has_the_documented_shape() {
        let answer = FailureAnswer { error: Failure::of(&error()) };
        insta::assert_snapshot!(
            json_line(&answer, Reader::Program),
            @r#"{"error":{"code":"tool_not_found","message":"no tool \"ehco\"","hint":"list all tools: wharf list","tool":"ehco","suggestions":["demo_echo"]}}"#
        );
    }

    #[test]
    fn what_is_not_known_of_a_failure_is_left_out() {
        let answer = FailureAnswer { error: Failure::of(&wharf::Error::new(ErrorCode::Internal, "broken")) };
        assert_eq!(
            json_line(&answer, Reader::Program),
            "{\"error\":{\"code\":\"internal\",\"message\":\"broken\"}}\n"
        );
    }

    #[test]
    fn an_answer_is_one_line_and_keeps_digits() {
        let raw: &RawValue = serde_json::from_str("{\n  \"n\": 12345678901234567890123\n}").unwrap();
        assert_eq!(json_line(&raw, Reader::Program), "{   \"n\": 12345678901234567890123 }\n");
    }
}
