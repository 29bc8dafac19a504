//! Typed reading of raw fields. A value of the wrong type is told once, with its place and what is expected.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mcp_types::Place;

use crate::diagnose::{Findings, shown};
use crate::keys::{self, Scope};
use crate::near::nearest;
use crate::parse::{Node, Position, Value};
use crate::raw::{Fields, RawField, place};

/// The longest time that may be waited for anything.
const MAX_TIMEOUT: Duration = Duration::from_hours(24);
/// The longest idle time in minutes: a year.
const MAX_IDLE_MINUTES: f64 = 525_600.0;
/// The largest whole number that is taken.
const MAX_COUNT: usize = 1 << 30;

/// Why a value is not taken.
#[derive(Debug)]
pub(crate) struct Flaw {
    at: Position,
    code: &'static str,
    message: String,
    hint: String,
}

/// Reads the fields of one entry, or the settings.
#[derive(Debug)]
pub(crate) struct FieldReader<'a> {
    pub(crate) scope: Scope,
    pub(crate) fields: &'a Fields,
    pub(crate) findings: Findings,
    /// Keys whose value is not taken.
    pub(crate) failed: BTreeSet<&'static str>,
    pub(crate) provenance: BTreeMap<String, Place>,
}

impl<'a> FieldReader<'a> {
    pub(crate) fn new(scope: Scope, fields: &'a Fields, findings: Findings) -> Self {
        Self { scope, fields, findings, failed: BTreeSet::new(), provenance: BTreeMap::new() }
    }

    /// Reads the word that counts for a key.
    pub(crate) fn read<T>(
        &mut self,
        key: &'static str,
        convert: impl FnOnce(&'a Node, &str) -> Result<T, Flaw>,
    ) -> Option<T> {
        let field = self.fields.last(key)?;
        self.read_field(key, field, convert)
    }

    /// Reads one layer's word for a key.
    pub(crate) fn read_field<T>(
        &mut self,
        key: &'static str,
        field: &'a RawField,
        convert: impl FnOnce(&'a Node, &str) -> Result<T, Flaw>,
    ) -> Option<T> {
        if field.repeated {
            // Told when the file was read.
            self.failed.insert(key);
            return None;
        }
        let expected = keys::find(self.scope, key).map(|key| key.kind.expected()).unwrap_or_default();
        match convert(&field.node, &expected) {
            Ok(value) => {
                self.provenance.insert(key.to_owned(), field.place());
                Some(value)
            }
            Err(flaw) => {
                let message = format!("`{key}` {}", flaw.message);
                self.findings.error(flaw.code, place(&field.file, flaw.at), message, &flaw.hint);
                self.failed.insert(key);
                None
            }
        }
    }

    /// Refuses the value of a key.
    pub(crate) fn refuse(&mut self, key: &'static str, code: &'static str, message: String, hint: &str) {
        if let Some(field) = self.fields.last(key) {
            self.findings.error(code, field.place(), message, hint);
        }
        self.failed.insert(key);
    }

    /// Tells that a key has no effect.
    pub(crate) fn without_effect(
        &mut self,
        key: &'static str,
        code: &'static str,
        message: String,
        hint: &str,
    ) {
        if let Some(field) = self.fields.last(key) {
            self.findings.warning(code, field.place(), message, hint);
        }
    }
}

fn wrong_type(node: &Node, expected: &str) -> Flaw {
    Flaw {
        at: node.at,
        code: "wrong_type",
        message: format!("must be {expected}, not {}", node.value.kind()),
        hint: String::new(),
    }
}

/// Adds to a flaw what to do.
fn with_hint(mut flaw: Flaw, hint: &str) -> Flaw {
    hint.clone_into(&mut flaw.hint);
    flaw
}

pub(crate) fn text<'a>(node: &'a Node, expected: &str) -> Result<&'a str, Flaw> {
    let text = node.value.as_text().ok_or_else(|| wrong_type(node, expected))?;
    if text.contains('\0') {
        let message = "holds a zero byte".to_owned();
        return Err(Flaw { at: node.at, code: "bad_text", message, hint: String::new() });
    }
    Ok(text)
}

/// Reads a text that has to say something.
pub(crate) fn word<'a>(node: &'a Node, expected: &str) -> Result<&'a str, Flaw> {
    let text = text(node, expected)?;
    if text.trim().is_empty() {
        let message = "is empty".to_owned();
        return Err(Flaw { at: node.at, code: "empty_value", message, hint: String::new() });
    }
    Ok(text)
}

pub(crate) fn texts(node: &Node, expected: &str) -> Result<Vec<String>, Flaw> {
    let Value::List(nodes) = &node.value else { return Err(wrong_type(node, expected)) };
    let mut found = Vec::with_capacity(nodes.len());
    for node in nodes {
        found.push(text(node, expected)?.to_owned());
    }
    Ok(found)
}

/// Reads an object of texts, in the order of the file.
pub(crate) fn pairs<'a>(node: &'a Node, expected: &str) -> Result<Vec<(&'a str, &'a str, Position)>, Flaw> {
    let fields = node.value.as_map().ok_or_else(|| wrong_type(node, expected))?;
    let mut found = Vec::with_capacity(fields.len());
    for field in fields.iter().filter(|field| !field.node.value.is_null()) {
        let Some(text) = field.node.value.as_text() else {
            let message = format!(
                "has {} under \"{}\"; its values must be texts",
                field.node.value.kind(),
                shown(&field.key)
            );
            let hint = "put the value in quotation marks".to_owned();
            return Err(Flaw { at: field.node.at, code: "wrong_type", message, hint });
        };
        found.push((field.key.as_str(), text, field.at));
    }
    Ok(found)
}

pub(crate) fn text_lists(node: &Node, expected: &str) -> Result<Vec<(String, Vec<String>)>, Flaw> {
    let fields = node.value.as_map().ok_or_else(|| wrong_type(node, expected))?;
    let mut found = Vec::with_capacity(fields.len());
    for field in fields {
        found.push((field.key.clone(), texts(&field.node, expected)?));
    }
    Ok(found)
}

pub(crate) fn switch(node: &Node, expected: &str) -> Result<bool, Flaw> {
    if let Value::Bool(value) = node.value { Ok(value) } else { Err(wrong_type(node, expected)) }
}

/// Reads one of a closed set of words.
pub(crate) fn one_of<T>(
    node: &Node,
    expected: &str,
    words: &'static [&'static str],
    parse: fn(&str) -> Option<T>,
) -> Result<T, Flaw> {
    let text = text(node, expected)?;
    parse(text).ok_or_else(|| {
        let near = nearest(text, words.iter().copied()).map(|near| format!("did you mean \"{near}\"?"));
        Flaw {
            at: node.at,
            code: "unknown_value",
            message: format!("must be {expected}"),
            hint: near.unwrap_or_else(|| "the value is none of them".to_owned()),
        }
    })
}

pub(crate) fn minutes(node: &Node, expected: &str) -> Result<f64, Flaw> {
    let value = number(node, expected)?;
    if (0.0..=MAX_IDLE_MINUTES).contains(&value) {
        return Ok(value);
    }
    Err(bad_timeout(node, format!("must be {expected} and at most {MAX_IDLE_MINUTES}")))
}

/// Reads a time in a unit of so many seconds.
pub(crate) fn time(node: &Node, expected: &str, seconds_per_unit: f64) -> Result<Duration, Flaw> {
    let seconds = number(node, expected)? * seconds_per_unit;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() && time <= MAX_TIMEOUT => Ok(time),
        _ => Err(bad_timeout(node, format!("must be {expected} and at most a day"))),
    }
}

fn bad_timeout(node: &Node, message: String) -> Flaw {
    Flaw { at: node.at, code: "bad_timeout", message, hint: String::new() }
}

pub(crate) fn number(node: &Node, expected: &str) -> Result<f64, Flaw> {
    let Value::Number(written) = &node.value else {
        return Err(with_hint(
            wrong_type(node, expected),
            "write the number alone, without quotation marks and unit",
        ));
    };
    written.parse().map_err(|_| wrong_type(node, expected))
}

pub(crate) fn count(node: &Node, expected: &str) -> Result<usize, Flaw> {
    let Value::Number(written) = &node.value else { return Err(wrong_type(node, expected)) };
    let count = written.parse().ok().filter(|count| (1..=MAX_COUNT).contains(count));
    count.ok_or_else(|| {
        let message = format!("must be {expected} and at most {MAX_COUNT}");
        Flaw { at: node.at, code: "bad_number", message, hint: String::new() }
    })
}
