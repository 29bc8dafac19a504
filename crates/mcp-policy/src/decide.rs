//! The decision: allow lists first, then whether a person must be asked.

use mcp_types::{ErrorCode, ToolRef};

use crate::facts::Facts;
use crate::grants::Grants;
use crate::pattern::Pattern;
use crate::rules::{ApprovalMode, ApproveTools, PolicyRules};

/// Why an approval is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskReason {
    /// The server's `approval` is `always`.
    Always,
    /// An `approveTools` list names the tool.
    Named,
    /// `approvals` is `mutating` and the tool is not hinted read-only.
    Mutating,
}

/// What is to be done with a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It may run.
    Allow,
    /// A person must be asked; where nobody can be, the answer is no.
    Ask {
        /// Why.
        reason: AskReason,
    },
    /// It may not run.
    Deny {
        /// The code for the caller.
        code: ErrorCode,
        /// What stands against it.
        message: String,
        /// What to do next.
        hint: String,
    },
}

/// Decides one call.
///
/// The caller's own lists and the general allow list settle it first; only what they admit can be asked about.
pub fn decide(rules: &PolicyRules, grants: &Grants, facts: &Facts) -> Decision {
    if facts.narrowed.iter().any(|list| !admits(list, facts)) {
        return deny(&facts.tool, "the allow list of this caller", "widen the caller's own list");
    }
    if rules.allow.as_ref().is_some_and(|list| !admits(list, facts)) {
        return deny(&facts.tool, "the allow list", "add it to `settings.allow`");
    }
    match ask_reason(rules, facts) {
        Some(reason) if !covered(grants, facts, reason) => Decision::Ask { reason },
        _ => Decision::Allow,
    }
}

impl PolicyRules {
    /// Tells whether a call of this tool asks for an approval, grants aside.
    pub fn asks_for(&self, tool: &ToolRef, names: &[String], read_only: bool) -> bool {
        reason_for(self, tool, names, read_only).is_some()
    }
}

/// `always` means each call: no earlier answer stands in for the question.
fn covered(grants: &Grants, facts: &Facts, reason: AskReason) -> bool {
    match reason {
        AskReason::Always => false,
        AskReason::Named | AskReason::Mutating => grants.covers(facts),
    }
}

fn ask_reason(rules: &PolicyRules, facts: &Facts) -> Option<AskReason> {
    reason_for(rules, &facts.tool, &facts.names, facts.read_only)
}

fn reason_for(rules: &PolicyRules, tool: &ToolRef, names: &[String], read_only: bool) -> Option<AskReason> {
    match rules.approval(&tool.server) {
        ApprovalMode::Never => return None,
        ApprovalMode::Always => return Some(AskReason::Always),
        ApprovalMode::Policy => {}
    }
    let listed = match rules.approve_list(tool) {
        None | Some(ApproveTools::None) => false,
        Some(ApproveTools::All) => true,
        Some(ApproveTools::Matching(list)) => matches_any(list, names),
    };
    if listed {
        return Some(AskReason::Named);
    }
    (rules.approve_mutating && !read_only).then_some(AskReason::Mutating)
}

fn admits(list: &[Pattern], facts: &Facts) -> bool {
    matches_any(list, &facts.names)
}

fn matches_any(list: &[Pattern], names: &[String]) -> bool {
    list.iter().any(|pattern| names.iter().any(|name| pattern.matches(name)))
}

fn deny(tool: &ToolRef, list: &str, hint: &str) -> Decision {
    Decision::Deny {
        code: ErrorCode::NotAllowed,
        message: format!("{tool} is not on {list}"),
        hint: hint.to_owned(),
    }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
