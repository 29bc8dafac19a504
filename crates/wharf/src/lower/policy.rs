//! The rules of the policy. A pattern that cannot be read was reported with the file; here it admits nothing.

use mcp_config::{Approval, Approvals, ApproveTools, ConfigSnapshot, ServerEntry};
use mcp_policy::{ApprovalMode, Pattern, PolicyRules, ServerRules};

pub(super) fn lower(config: &ConfigSnapshot) -> PolicyRules {
    let settings = &config.settings;
    PolicyRules {
        allow: settings.allow.as_deref().map(patterns),
        approve_tools: settings.approve_tools.as_ref().map(approve_tools),
        approve_mutating: settings.approvals == Approvals::Mutating,
        servers: config.servers.iter().map(|entry| (entry.name.clone(), server(entry))).collect(),
    }
}

fn server(entry: &ServerEntry) -> ServerRules {
    ServerRules {
        approval: match entry.approval {
            Some(Approval::Never) => ApprovalMode::Never,
            Some(Approval::Always) => ApprovalMode::Always,
            Some(Approval::Policy) | None => ApprovalMode::Policy,
        },
        approve_tools: entry.approve_tools.as_ref().map(approve_tools),
    }
}

/// Fails closed: where a pattern cannot be read, every tool asks.
fn approve_tools(list: &ApproveTools) -> mcp_policy::ApproveTools {
    match list {
        ApproveTools::All => mcp_policy::ApproveTools::All,
        ApproveTools::None => mcp_policy::ApproveTools::None,
        ApproveTools::Matching(texts) => {
            let compiled = patterns(texts);
            if compiled.len() == texts.len() {
                mcp_policy::ApproveTools::Matching(compiled)
            } else {
                mcp_policy::ApproveTools::All
            }
        }
    }
}

fn patterns(texts: &[String]) -> Vec<Pattern> {
    texts.iter().filter_map(|text| Pattern::new(text).ok()).collect()
}
