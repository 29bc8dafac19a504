//! The one public error: a stable code, a sentence that is safe to show, and what to do next.

use std::fmt;

use mcp_types::{ErrorCode, Retry, ServerName, ToolRef};

/// Why a request to the runtime failed.
///
/// The text is safe for a model and a person: it holds no secret. Programs match on [`Error::code`], never on text.
///
/// ```
/// # async fn example(runtime: wharf::Runtime) {
/// if let Err(error) = runtime.call_tool("github_search", serde_json::json!({})).await {
///     eprintln!("{}: {error}", error.code());
/// }
/// # }
/// ```
#[derive(Clone)]
pub struct Error(Box<Details>);

#[derive(Clone)]
struct Details {
    code: ErrorCode,
    message: String,
    hint: Option<String>,
    server: Option<String>,
    tool: Option<String>,
    suggestions: Vec<String>,
}

impl Error {
    /// Makes an error from its code and one sentence.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self(Box::new(Details {
            code,
            message: message.into(),
            hint: None,
            server: None,
            tool: None,
            suggestions: Vec::new(),
        }))
    }

    /// Gives the stable code.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// Gives the sentence without the hint.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Gives the next step, where there is one.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Gives the server concerned.
    pub fn server(&self) -> Option<&str> {
        self.0.server.as_deref()
    }

    /// Gives the tool concerned, as the server names it or as the caller wrote it.
    pub fn tool(&self) -> Option<&str> {
        self.0.tool.as_deref()
    }

    /// Gives names near to an unknown one, best first.
    pub fn suggestions(&self) -> &[String] {
        &self.0.suggestions
    }

    /// Tells whether asking again can help.
    pub fn retry(&self) -> Retry {
        self.0.code.retry()
    }

    /// Sets the next step.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Sets the server concerned.
    #[must_use]
    pub fn for_server(mut self, server: &ServerName) -> Self {
        self.0.server = Some(server.to_string());
        self
    }

    /// Sets server and tool concerned.
    #[must_use]
    pub fn for_tool(mut self, tool: &ToolRef) -> Self {
        self.0.server = Some(tool.server.to_string());
        self.0.tool = Some(tool.tool.to_string());
        self
    }

    /// Sets the tool as the caller wrote it.
    #[must_use]
    pub fn for_name(mut self, tool: impl Into<String>) -> Self {
        self.0.tool = Some(tool.into());
        self
    }

    /// Sets names near to an unknown one.
    #[must_use]
    pub fn with_suggestions(mut self, suggestions: impl IntoIterator<Item = String>) -> Self {
        self.0.suggestions = suggestions.into_iter().collect();
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Error")
            .field("code", &self.0.code.as_str())
            .field("message", &self.0.message)
            .field("hint", &self.0.hint)
            .field("server", &self.0.server)
            .field("tool", &self.0.tool)
            .field("suggestions", &self.0.suggestions)
            .finish()
    }
}

impl std::error::Error for Error {}
