//! Reads the parameters of the tool into the one mode that they ask for.
//!
//! Models fill in what they do not need: an absent parameter, `null` and an empty text mean the same, save for
//! `search`, where the empty text asks for everything of a server.

use mcp_types::call::kind_of;
use mcp_types::{Arguments, ErrorCode};
use serde_json::{Map, Value};
use wharf::Error;

const DEFAULT_LIMIT: usize = 12;
/// Every parameter that has a meaning here.
const KNOWN: &[&str] = &[
    "tool",
    "args",
    "connect",
    "describe",
    "instructions",
    "search",
    "searchMode",
    "regex",
    "includeSchemas",
    "limit",
    "offset",
    "server",
    "action",
];
const TOP_LEVEL: &str = "put the parameters side by side: mcp({tool: \"name\", args: {…}})";

/// What is asked for.
#[derive(Debug, PartialEq)]
pub(crate) enum Mode {
    /// Call a tool.
    Call { tool: String, server: Option<String>, arguments: Arguments },
    /// Connect a server, or refresh what is known of it.
    Connect { server: String },
    /// Show one tool in full.
    Describe { tool: String, server: Option<String> },
    /// Show what a server says about its use.
    Instructions { server: String },
    /// Search the known tools.
    Search(SearchRequest),
    /// List the tools of a server.
    List { server: String },
    /// Show every server.
    Status,
}

/// The parameters of a search.
#[derive(Debug, PartialEq)]
pub(crate) struct SearchRequest {
    pub(crate) text: String,
    pub(crate) server: Option<String>,
    pub(crate) regex: bool,
    pub(crate) include_schemas: bool,
    pub(crate) limit: usize,
    pub(crate) offset: usize,
}

/// Finds the mode by the fixed precedence: tool, connect, describe, instructions, search, server, status.
pub(crate) fn parse(parameters: Map<String, Value>) -> Result<Mode, Error> {
    let mut parameters = Parameters(parameters);
    if parameters.text("action")?.is_some() {
        return Err(invalid("action is not offered here").with_hint("use another mode of this tool"));
    }
    let server = parameters.text("server")?;
    if let Some(tool) = parameters.text("tool")? {
        let arguments = parameters.arguments()?;
        return Ok(Mode::Call { tool, server, arguments });
    }
    if let Some(server) = parameters.text("connect")? {
        return Ok(Mode::Connect { server });
    }
    if let Some(tool) = parameters.text("describe")? {
        return Ok(Mode::Describe { tool, server });
    }
    if let Some(server) = parameters.text("instructions")? {
        return Ok(Mode::Instructions { server });
    }
    if let Some(text) = parameters.any_text("search")? {
        return parameters.search(text, server).map(Mode::Search);
    }
    if let Some(server) = server {
        return Ok(Mode::List { server });
    }
    parameters.refuse_strays()?;
    Ok(Mode::Status)
}

struct Parameters(Map<String, Value>);

impl Parameters {
    /// Takes a text; the empty one counts as absent.
    fn text(&mut self, name: &str) -> Result<Option<String>, Error> {
        Ok(self.any_text(name)?.filter(|text| !text.trim().is_empty()))
    }

    fn any_text(&mut self, name: &str) -> Result<Option<String>, Error> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong_kind(name, "a string", &other)),
        }
    }

    fn flag(&mut self, name: &str, default: bool) -> Result<bool, Error> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(default),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(wrong_kind(name, "true or false", &other)),
        }
    }

    /// Takes a whole number; what lies below `least` is raised to it.
    fn count(&mut self, name: &str, default: usize, least: usize) -> Result<usize, Error> {
        let number = match self.0.remove(name) {
            None | Some(Value::Null) => return Ok(default),
            Some(Value::Number(number)) => number,
            Some(other) => return Err(wrong_kind(name, "a number", &other)),
        };
        let whole = number.as_u64().or_else(|| number.as_f64().map(whole_part)).unwrap_or(0);
        Ok(usize::try_from(whole).unwrap_or(usize::MAX).max(least))
    }

    fn search(&mut self, text: String, server: Option<String>) -> Result<SearchRequest, Error> {
        Ok(SearchRequest {
            text,
            server,
            regex: self.flag("regex", false)?,
            include_schemas: self.flag("includeSchemas", true)?,
            limit: self.count("limit", DEFAULT_LIMIT, 1)?,
            offset: self.count("offset", 0, 0)?,
        })
    }

    /// Takes the arguments of a call: an object, or a text that holds one.
    fn arguments(&mut self) -> Result<Arguments, Error> {
        match self.0.remove("args") {
            None | Some(Value::Null) => self.no_arguments(),
            Some(Value::String(text)) if text.trim().is_empty() => self.no_arguments(),
            Some(Value::String(text)) => parse_arguments(&text),
            Some(object @ Value::Object(_)) => Arguments::from_value(&object)
                .map_err(|error| Error::new(ErrorCode::InvalidArguments, error.to_string())),
            Some(other) => Err(not_an_object(&other)),
        }
    }

    /// Without `args`, a parameter that means nothing here was meant for the tool.
    fn no_arguments(&self) -> Result<Arguments, Error> {
        match self.stray() {
            Some(name) => Err(invalid(format!("parameter {name:?} is none of mcp"))
                .with_hint("put the tool's own parameters into args: mcp({tool: \"name\", args: {…}})")),
            None => Ok(Arguments::empty()),
        }
    }

    /// Status is asked for by giving nothing; something that selects no mode is a mistake.
    fn refuse_strays(&self) -> Result<(), Error> {
        if self.0.get("args").is_some_and(|args| !is_blank(args)) {
            return Err(invalid("args alone asks for nothing").with_hint(TOP_LEVEL));
        }
        match self.stray() {
            Some(name) => Err(invalid(format!("parameter {name:?} is none of mcp"))
                .with_hint("use tool, args, connect, describe, instructions, search or server")),
            None => Ok(()),
        }
    }

    fn stray(&self) -> Option<&str> {
        self.0
            .iter()
            .find(|(name, value)| !is_blank(value) && !KNOWN.contains(&name.as_str()))
            .map(|(name, _)| name.as_str())
    }
}

fn parse_arguments(text: &str) -> Result<Arguments, Error> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        Error::new(ErrorCode::InvalidArguments, format!("args is no valid JSON: {error}"))
    })?;
    if !value.is_object() {
        return Err(not_an_object(&value));
    }
    // Parsed from the text again, so that numbers stay as they were written.
    Arguments::parse(text).map_err(|error| Error::new(ErrorCode::InvalidArguments, error.to_string()))
}

fn not_an_object(found: &Value) -> Error {
    Error::new(ErrorCode::InvalidArguments, format!("args must be a JSON object, not {}", kind_of(found)))
        .with_hint(TOP_LEVEL)
}

fn wrong_kind(name: &str, expected: &str, found: &Value) -> Error {
    invalid(format!("{name} must be {expected}, not {}", kind_of(found)))
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::InvalidRequest, message)
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, which is wanted"
)]
fn whole_part(number: f64) -> u64 {
    number.trunc() as u64
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
