//! Standard output is the answer, standard error the talk. A reader that went away ends nothing with a panic.

use std::io::Write as _;

use serde::Serialize;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::sanitize::sanitize;

/// Prints in the way the person asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    json: bool,
    quiet: bool,
}

#[expect(clippy::unused_self, reason = "commands print through the printer alone, in whichever form")]
impl Printer {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        Self { json, quiet }
    }

    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Prints a text as the answer, without what could steer a terminal.
    pub(crate) fn text(self, text: &str) {
        let mut text = sanitize(text);
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        write_out(&text);
    }

    /// Prints a value as the answer, on one line.
    pub(crate) fn json(self, value: &impl Serialize) {
        let line = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
        write_out(&(line + "\n"));
    }

    /// Prints either form of one answer.
    pub(crate) fn answer(self, value: &impl Serialize, text: impl FnOnce() -> String) {
        if self.json { self.json(value) } else { self.text(&text()) }
    }

    /// Tells something beside the answer.
    pub(crate) fn note(self, text: &str) {
        if !self.quiet {
            write_err(&sanitize(text));
        }
    }

    /// Tells what whoever started the program waits for, also when it shall be quiet.
    pub(crate) fn say(self, text: &str) {
        write_err(&sanitize(text));
    }

    /// Prints bytes of this program's own as the answer.
    pub(crate) fn raw(self, bytes: &[u8]) {
        let mut out = std::io::stdout().lock();
        let _enough = out.write_all(bytes).and_then(|()| out.flush());
    }

    /// Tells a failure in the way the person asked for, and gives the exit code.
    pub(crate) fn failure(self, error: &wharf::Error) -> Exit {
        if self.json {
            self.json(&json!({ "error": failure_json(error) }));
        } else {
            write_err(&sanitize(&failure_text(error)));
        }
        Exit::of(error.code())
    }
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

fn failure_json(error: &wharf::Error) -> Value {
    let mut value = json!({"code": error.code(), "message": error.message()});
    if let Some(members) = value.as_object_mut() {
        let mut put = |name: &str, text: Option<&str>| {
            if let Some(text) = text {
                members.insert(name.to_owned(), text.into());
            }
        };
        put("hint", error.hint());
        put("server", error.server());
        put("tool", error.tool());
        if !error.suggestions().is_empty() {
            members.insert("suggestions".to_owned(), error.suggestions().into());
        }
    }
    value
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

/// A closed pipe is the reader's way to say that it has enough.
fn write_out(text: &str) {
    let mut out = std::io::stdout().lock();
    let _enough = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn write_err(text: &str) {
    let mut err = std::io::stderr().lock();
    let _enough = writeln!(err, "{}", text.trim_end());
}

#[cfg(test)]
mod tests {
    use wharf::ErrorCode;

    use super::*;

    fn error() -> wharf::Error {
        wharf::Error::new(ErrorCode::ToolNotFound, "no tool \"ehco\"")
            .with_hint("list all tools: wharf list")
            .for_name("ehco")
            .with_suggestions(["demo_echo".to_owned()])
    }

    #[test]
    fn a_failure_tells_what_to_do_next() {
        assert_eq!(
            failure_text(&error()),
            "error: no tool \"ehco\"\n  did you mean: demo_echo\n  hint: list all tools: wharf list"
        );
    }

    #[test]
    fn a_usage_error_keeps_what_is_wrong_and_the_tip() {
        let error = usage_error("error: unexpected argument '--jsn' found\n\n  tip: a similar argument exists: '--json'\n\nUsage: wharf\n");
        assert_eq!(error.message(), "unexpected argument '--jsn' found");
        assert_eq!(error.hint(), Some("a similar argument exists: '--json'"));
    }

    #[test]
    fn a_failure_in_json_has_the_documented_shape() {
        assert_eq!(
            failure_json(&error()),
            json!({
                "code": "tool_not_found", "message": "no tool \"ehco\"", "hint": "list all tools: wharf list",
                "tool": "ehco", "suggestions": ["demo_echo"],
            })
        );
    }
}
