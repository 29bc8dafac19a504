//! What may be called and what asks first, from all layers. A project's file only narrows what the user's files say:
//! its author may be a stranger. A value that cannot be read counts as the narrowest one.

use crate::field::{self, FieldReader, Flaw};
use crate::parse::{Node, Value};
use crate::raw::RawField;
use crate::settings::Approvals;
use crate::snapshot::{Approval, ApproveTools};

/// What the user's own files ask for, below every project's file.
#[derive(Debug, Clone, Default)]
pub(crate) struct PolicyFloor {
    pub(crate) approvals: Approvals,
    pub(crate) approve_tools: Option<ApproveTools>,
}

impl PolicyFloor {
    fn asks_nothing(&self) -> bool {
        self.approvals == Approvals::Off && matches!(self.approve_tools, None | Some(ApproveTools::None))
    }
}

/// Reads `allow`. A value that cannot be read admits nothing.
pub(crate) fn allow(reader: &mut FieldReader<'_>) -> Option<Vec<String>> {
    let mut allowed: Option<Vec<String>> = None;
    for layer in reader.fields.all("allow") {
        let written = reader.read_field("allow", layer, field::texts).unwrap_or_default();
        allowed = Some(match allowed {
            Some(below) if layer.file.layer.is_project() => {
                let (kept, dropped): (Vec<_>, Vec<_>) =
                    written.into_iter().partition(|pattern| is_covered(pattern, &below));
                if !dropped.is_empty() {
                    let message = format!(
                        "{} of the patterns in `allow` are not admitted by the files below",
                        dropped.len()
                    );
                    only_narrows(reader, layer, message);
                }
                kept
            }
            _ => written,
        });
    }
    allowed
}

/// Tells whether a pattern admits nothing that the list below does not. Patterns are not compared in general: the same
/// text, or a list that admits everything.
fn is_covered(pattern: &str, below: &[String]) -> bool {
    let starts_plainly = pattern.chars().next().is_some_and(char::is_alphanumeric);
    below.iter().any(|known| known == pattern || known == "*" && starts_plainly)
}

/// Reads the setting `approvals`.
pub(crate) fn approvals(reader: &mut FieldReader<'_>, until_project: bool) -> Approvals {
    let mut found = Approvals::Off;
    for layer in layers(reader, "approvals", until_project) {
        let convert =
            |node: &Node, expected: &str| field::one_of(node, expected, Approvals::WORDS, Approvals::parse);
        let written = reader.read_field("approvals", layer, convert).unwrap_or(Approvals::Mutating);
        if layer.file.layer.is_project() && written < found {
            only_narrows(reader, layer, "`approvals` asks less than the files below".to_owned());
        } else {
            found = written;
        }
    }
    found
}

/// Reads the setting `approveTools`.
pub(crate) fn approve_tools(reader: &mut FieldReader<'_>, until_project: bool) -> Option<ApproveTools> {
    let mut found: Option<ApproveTools> = None;
    for layer in layers(reader, "approveTools", until_project) {
        let written =
            reader.read_field("approveTools", layer, read_approve_tools).unwrap_or(ApproveTools::All);
        found = Some(if layer.file.layer.is_project() {
            narrowed(reader, layer, found, written)
        } else {
            written
        });
    }
    found
}

/// Reads `approveTools` of a server. The list of a project's file adds to what the user asks for.
pub(crate) fn server_approve_tools(
    reader: &mut FieldReader<'_>,
    floor: &PolicyFloor,
) -> Option<ApproveTools> {
    let mut found: Option<ApproveTools> = None;
    for layer in reader.fields.all("approveTools") {
        let Some(written) = reader.read_field("approveTools", layer, read_approve_tools) else { continue };
        let below = found.or_else(|| floor.approve_tools.clone());
        found = Some(if layer.file.layer.is_project() {
            narrowed(reader, layer, below, written)
        } else {
            written
        });
    }
    found
}

/// Reads `approval` of a server. A project's file never asks less than the user does.
pub(crate) fn server_approval(reader: &mut FieldReader<'_>, floor: &PolicyFloor) -> Option<Approval> {
    let mut found: Option<Approval> = None;
    for layer in reader.fields.all("approval") {
        let convert =
            |node: &Node, expected: &str| field::one_of(node, expected, Approval::WORDS, Approval::parse);
        let Some(written) = reader.read_field("approval", layer, convert) else { continue };
        let least = found.unwrap_or(if floor.asks_nothing() { Approval::Never } else { Approval::Policy });
        if layer.file.layer.is_project() && written < least {
            only_narrows(reader, layer, "`approval` asks less than the files below".to_owned());
            found = Some(least);
        } else {
            found = Some(written);
        }
    }
    found
}

fn layers<'a>(reader: &FieldReader<'a>, key: &str, until_project: bool) -> Vec<&'a RawField> {
    let fields = reader.fields;
    fields.all(key).iter().filter(|layer| !(until_project && layer.file.layer.is_project())).collect()
}

fn read_approve_tools(node: &Node, expected: &str) -> Result<ApproveTools, Flaw> {
    if let Value::Bool(all) = node.value {
        return Ok(if all { ApproveTools::All } else { ApproveTools::None });
    }
    let patterns = field::texts(node, expected)?;
    Ok(if patterns.is_empty() { ApproveTools::None } else { ApproveTools::Matching(patterns) })
}

/// Joins what a project's file asks for to what is asked for below it.
fn narrowed(
    reader: &mut FieldReader<'_>,
    layer: &RawField,
    below: Option<ApproveTools>,
    written: ApproveTools,
) -> ApproveTools {
    match (below, written) {
        (None | Some(ApproveTools::None), written) => written,
        (_, ApproveTools::All) => ApproveTools::All,
        (Some(ApproveTools::Matching(mut patterns)), ApproveTools::Matching(more)) => {
            let more: Vec<String> = more.into_iter().filter(|pattern| !patterns.contains(pattern)).collect();
            patterns.extend(more);
            ApproveTools::Matching(patterns)
        }
        (Some(below), ApproveTools::None | ApproveTools::Matching(_)) => {
            only_narrows(reader, layer, "`approveTools` asks less than the files below".to_owned());
            below
        }
    }
}

fn only_narrows(reader: &mut FieldReader<'_>, layer: &RawField, message: String) {
    let hint = "a project's file can only narrow what the user's files say; change it there";
    reader.findings.warning("only_narrows", layer.place(), message, hint);
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
