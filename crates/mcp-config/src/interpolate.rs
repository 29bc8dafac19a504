//! Variables in texts. One pass from left to right: what a variable holds is never expanded again.
//!
//! | Written | Means |
//! |---|---|
//! | `${NAME}`, `${env:NAME}`, `$env:NAME`, `{env:NAME}` | the variable |
//! | `${NAME:-text}` | the variable, or the text where it is unset or empty |
//! | `~`, `~/…` | the home directory, in commands, arguments and directories |
//! | `!command` | the output of the command, in secrets |
//! | `!!text` | a text that begins with `!`, in secrets |

use std::collections::BTreeMap;
use std::path::Path;

use mcp_types::{Secret, SecretSource};

/// How deep defaults may hold variables themselves; deeper ones stay as they are written.
const MAX_DEPTH: usize = 4;
/// The longest default in bytes.
const MAX_DEFAULT_BYTES: usize = 1024;

/// The way variables are written in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Dialect {
    /// Wharf's own, as the table of this module shows.
    #[default]
    Wharf,
}

/// A text with its variables replaced.
#[derive(Clone, PartialEq, Eq)]
pub struct Expanded {
    /// The text. A missing variable leaves nothing.
    pub text: String,
    /// The variables that are not set and have no default, each once.
    pub missing: Vec<String>,
}

impl std::fmt::Debug for Expanded {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Expanded").field("missing", &self.missing).finish_non_exhaustive()
    }
}

/// A secret's source with its variables replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// A literal with its variables replaced, or a command as it is written.
    pub source: SecretSource,
    /// The variables that are not set and have no default, each once.
    pub missing: Vec<String>,
}

/// Replaces variables, then a leading `~`: for commands, arguments and directories.
///
/// ```
/// use std::{collections::BTreeMap, path::Path};
/// use mcp_config::{Dialect, interpolate::expand};
/// let env = BTreeMap::from([("NAME".to_owned(), "notes".to_owned())]);
/// let expanded = expand("~/${NAME}/${SUB:-inbox}", &env, Path::new("/home/ada"), Dialect::Wharf);
/// assert_eq!(expanded.text, "/home/ada/notes/inbox");
/// ```
pub fn expand(text: &str, env: &BTreeMap<String, String>, home: &Path, dialect: Dialect) -> Expanded {
    let mut expanded = expand_value(text, env, dialect);
    if expanded.text == "~" || expanded.text.starts_with("~/") {
        expanded.text = mcp_fs::expand_home(&expanded.text, home).to_string_lossy().into_owned();
    }
    expanded
}

/// Replaces variables alone: for addresses and other values in which `~` means nothing.
pub fn expand_value(text: &str, env: &BTreeMap<String, String>, dialect: Dialect) -> Expanded {
    let mut expanded = Expanded { text: String::with_capacity(text.len()), missing: Vec::new() };
    expand_into(text, env, dialect, 0, &mut expanded);
    expanded
}

/// Reads a text that may be a secret: a command stays one, everything else is a literal.
///
/// ```
/// use std::collections::BTreeMap;
/// use mcp_config::{Dialect, interpolate::secret};
/// use mcp_types::{Secret, SecretSource};
/// let source = |text| secret(text, &BTreeMap::new(), Dialect::Wharf).source;
/// assert_eq!(source("!pass show key"), SecretSource::Command(Secret::new("pass show key".to_owned())));
/// assert_eq!(source("!!key"), SecretSource::Literal(Secret::new("!key".to_owned())));
/// ```
pub fn secret(text: &str, env: &BTreeMap<String, String>, dialect: Dialect) -> Resolved {
    if let Some(command) = command(text) {
        let source = SecretSource::Command(Secret::new(command.to_owned()));
        return Resolved { source, missing: Vec::new() };
    }
    let literal = if text.starts_with("!!") { text.strip_prefix('!').unwrap_or(text) } else { text };
    let expanded = expand_value(literal, env, dialect);
    Resolved { source: SecretSource::Literal(Secret::new(expanded.text)), missing: expanded.missing }
}

/// Gives the command of a text that begins with exactly one `!`.
pub(crate) fn command(text: &str) -> Option<&str> {
    text.strip_prefix('!').filter(|rest| !rest.starts_with('!'))
}

fn expand_into(
    text: &str,
    env: &BTreeMap<String, String>,
    dialect: Dialect,
    depth: usize,
    out: &mut Expanded,
) {
    for segment in segments(text, dialect) {
        match segment {
            Segment::Literal(literal) | Segment::Foreign(literal) => out.text.push_str(literal),
            Segment::Variable { name, default, .. } => {
                match (env.get(name).filter(|value| default.is_none() || !value.is_empty()), default) {
                    (Some(value), _) => out.text.push_str(value),
                    (None, Some(default)) if depth < MAX_DEPTH => {
                        expand_into(default, env, dialect, depth + 1, out);
                    }
                    (None, Some(default)) => out.text.push_str(default),
                    (None, None) if out.missing.iter().any(|known| known == name) => {}
                    (None, None) => out.missing.push(name.to_owned()),
                }
            }
        }
    }
}

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Segment<'a> {
    /// Taken as it is.
    Literal(&'a str),
    /// Replaced by a variable. `written` is the whole piece.
    Variable { name: &'a str, default: Option<&'a str>, written: &'a str },
    /// Looks like a variable of another program, such as `${input:key}`. Taken as it is.
    Foreign(&'a str),
}

/// Cuts a text into its pieces. Joined they are the text again.
pub(crate) fn segments(text: &str, dialect: Dialect) -> Vec<Segment<'_>> {
    let Dialect::Wharf = dialect;
    let mut found = Vec::new();
    let (mut rest, mut searched) = (text, 0);
    while let Some(offset) = rest.get(searched..).and_then(|tail| tail.find(['$', '{'])) {
        let start = searched + offset;
        let (before, tail) = rest.split_at_checked(start).unwrap_or((rest, ""));
        let Some((segment, length)) = marker(tail) else {
            // Both marks are one byte long.
            searched = start + 1;
            continue;
        };
        if !before.is_empty() {
            found.push(Segment::Literal(before));
        }
        found.push(segment);
        rest = tail.get(length..).unwrap_or_default();
        searched = 0;
    }
    if !rest.is_empty() {
        found.push(Segment::Literal(rest));
    }
    found
}

/// Reads a variable at the start of a text, and its length in bytes.
fn marker(text: &str) -> Option<(Segment<'_>, usize)> {
    let plain = |name: &'static str, closing: &'static str| {
        let inner = text.strip_prefix(name)?;
        let variable = variable_name(inner)?;
        let length = name.len() + variable.len() + closing.len();
        let written = text.get(..length).filter(|written| written.ends_with(closing))?;
        Some((Segment::Variable { name: variable, default: None, written }, length))
    };
    plain("$env:", "")
        .or_else(|| plain("{env:", "}"))
        .or_else(|| plain("${env:", "}"))
        .or_else(|| plain("${", "}"))
        .or_else(|| with_default(text))
        .or_else(|| foreign(text))
}

fn with_default(text: &str) -> Option<(Segment<'_>, usize)> {
    let inner = text.strip_prefix("${")?;
    let inner = inner.strip_prefix("env:").unwrap_or(inner);
    let name = variable_name(inner)?;
    let tail = inner.strip_prefix(name)?.strip_prefix(":-")?;
    let default = tail.get(..closing_brace(tail)?)?;
    let length = text.len() - tail.len() + default.len() + 1;
    Some((Segment::Variable { name, default: Some(default), written: text.get(..length)? }, length))
}

/// Finds the `}` that closes a default; inner braces must be balanced.
fn closing_brace(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (index, byte) in text.bytes().enumerate().take(MAX_DEFAULT_BYTES) {
        match byte {
            b'{' => open += 1,
            b'}' if open == 0 => return Some(index),
            b'}' => open -= 1,
            _ => {}
        }
    }
    None
}

/// Recognises `${word:…}` of other programs.
fn foreign(text: &str) -> Option<(Segment<'_>, usize)> {
    let inner = text.strip_prefix("${")?;
    let word = variable_name(inner)?;
    let tail = inner.strip_prefix(word)?;
    if !tail.starts_with(':') {
        return None;
    }
    let end = tail.bytes().take(MAX_DEFAULT_BYTES).position(|byte| byte == b'}')?;
    let length = 2 + word.len() + end + 1;
    Some((Segment::Foreign(text.get(..length)?), length))
}

fn variable_name(text: &str) -> Option<&str> {
    let end =
        text.bytes().position(|byte| !byte.is_ascii_alphanumeric() && byte != b'_').unwrap_or(text.len());
    text.get(..end).filter(|name| !name.is_empty())
}

#[cfg(test)]
#[path = "interpolate_tests.rs"]
mod tests;
