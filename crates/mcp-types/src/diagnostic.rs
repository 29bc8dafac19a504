//! Diagnostics: what is wrong in something a person wrote, where, and what to do next.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

/// How much a diagnostic matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; everything written takes effect.
    Info,
    /// Something written does not take effect, or not as it may have been meant.
    Warning,
    /// An entry or a file is not used.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A place in a file. Lines and columns count from one; columns count characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// The line, where it is known.
    pub line: Option<u32>,
    /// The column, where it is known.
    pub column: Option<u32>,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(formatter, ":{line}")?;
        }
        if let Some(column) = self.column {
            write!(formatter, ":{column}")?;
        }
        Ok(())
    }
}

/// One finding about configuration or about a definition. Its texts never hold a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// A stable code in snake case.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// Where it is.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The server concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Diagnostic {
    /// Makes a diagnostic without place, server or hint.
    pub fn new(code: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        Self { code, severity, place: None, server: None, message: message.into(), hint: None }
    }

    /// Adds the place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Adds the server.
    #[must_use]
    pub fn for_server(mut self, server: impl Into<String>) -> Self {
        self.server = Some(server.into());
        self
    }

    /// Adds what to do next.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(formatter, "{place}: ")?;
        }
        write!(formatter, "{}[{}]: {}", self.severity, self.code, self.message)?;
        if let Some(hint) = &self.hint {
            write!(formatter, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}
