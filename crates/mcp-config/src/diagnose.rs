//! Findings: where they are gathered and how they are worded. No value of a file is ever quoted, only keys and kinds.

use mcp_types::{Diagnostic, Place, Severity};

use crate::keys::{self, Scope};

/// Gathers findings about one thing.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    server: Option<String>,
    found: Vec<Diagnostic>,
}

impl Findings {
    pub(crate) fn about(server: &str) -> Self {
        Self { server: Some(shown(server)), found: Vec::new() }
    }

    pub(crate) fn error(&mut self, code: &'static str, place: Place, message: String, hint: &str) {
        self.add(Severity::Error, code, place, message, hint);
    }

    pub(crate) fn warning(&mut self, code: &'static str, place: Place, message: String, hint: &str) {
        self.add(Severity::Warning, code, place, message, hint);
    }

    pub(crate) fn info(&mut self, code: &'static str, place: Place, message: String, hint: &str) {
        self.add(Severity::Info, code, place, message, hint);
    }

    fn add(&mut self, severity: Severity, code: &'static str, place: Place, message: String, hint: &str) {
        let mut diagnostic = Diagnostic::new(code, severity, message).at(place);
        if !hint.is_empty() {
            diagnostic = diagnostic.with_hint(hint);
        }
        diagnostic.server.clone_from(&self.server);
        self.found.push(diagnostic);
    }

    pub(crate) fn into_inner(self) -> Vec<Diagnostic> {
        self.found
    }

    pub(crate) fn absorb(&mut self, other: Self) {
        self.found.extend(other.found);
    }
}

/// Gives a key or a name for a message: bounded and without control characters.
pub(crate) fn shown(name: &str) -> String {
    let mut text: String = name.chars().take(64).flat_map(char::escape_debug).collect();
    if name.chars().nth(64).is_some() {
        text.push('…');
    }
    text
}

/// Says where something stands, for the text of a message about another place.
pub(crate) fn line_of(place: &Place, beside: &Place) -> String {
    let line = place.line.unwrap_or_default();
    if place.file == beside.file {
        format!("line {line}")
    } else {
        format!("{}:{line}", place.file.display())
    }
}

/// Tells of a key that nobody knows.
pub(crate) fn unknown_key(scope: Scope, name: &str, place: Place, findings: &mut Findings) {
    let hint = keys::suggestion(scope, name).map(|near| format!("did you mean `{near}`?"));
    let hint = hint.unwrap_or_else(|| "it has no effect; `wharf config schema` lists all keys".to_owned());
    findings.warning("unknown_key", place, format!("unknown key `{}`", shown(name)), &hint);
}

/// Tells of a key that this version does not read.
pub(crate) fn not_read_yet(name: &str, place: Place, findings: &mut Findings) {
    findings.info(
        "not_read_yet",
        place,
        format!("`{}` is not read by this version", shown(name)),
        "it has no effect",
    );
}
