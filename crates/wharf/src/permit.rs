//! May this call run: the decision of the rules, then the answer of the host, then the grant that follows from it.

use std::sync::Arc;

use mcp_catalog::{RosterTool, ToolKind};
use mcp_policy::{Decision, Facts, GrantScope, Pattern, decide};
use mcp_types::{ApprovalAnswer, ApprovalRequest, CallId, CallRequest, Digest, ErrorCode};

use crate::error::Error;
use crate::runtime::Runtime;

/// Tells whether a tool says of itself that it changes nothing. Reading a resource changes nothing.
pub(crate) fn is_read_only(tool: &RosterTool) -> bool {
    match &tool.kind {
        ToolKind::Tool(spec) => spec.hints().read_only == Some(true),
        ToolKind::Resource(_) => true,
    }
}

fn facts(tool: &RosterTool, request: &CallRequest, allow: &[Arc<[Pattern]>]) -> Facts {
    Facts {
        tool: tool.reference.clone(),
        names: mcp_catalog::spellings(&tool.reference),
        read_only: is_read_only(tool),
        arguments: Digest::of_json(request.arguments.raw().get()),
        definition: match &tool.kind {
            ToolKind::Tool(spec) => spec.digest(),
            ToolKind::Resource(spec) => Digest::of_json(spec.raw().get()),
        },
        session: request.session.clone(),
        narrowed: allow.to_vec(),
    }
}

pub(crate) async fn permit(
    runtime: &Runtime,
    call: CallId,
    request: &CallRequest,
    allow: &[Arc<[Pattern]>],
    tool: &RosterTool,
) -> Result<(), Error> {
    let rules = runtime.rules();
    if rules.policy.admits_everything() && allow.is_empty() {
        return Ok(());
    }
    let facts = facts(tool, request, allow);
    let decision = runtime.with_grants(|grants| decide(&rules.policy, grants, &facts));
    match decision {
        Decision::Allow => return Ok(()),
        Decision::Deny { code, message, hint } => {
            return Err(Error::new(code, message).with_hint(hint).for_tool(&tool.reference));
        }
        Decision::Ask { .. } => {}
    }
    let question = ApprovalRequest {
        call,
        session: request.session.clone(),
        tool: tool.reference.clone(),
        name: tool.name.clone(),
        arguments: request.arguments.clone(),
        origin: request.origin,
    };
    let scope = match runtime.host().approve(&question).await {
        ApprovalAnswer::Once => return Ok(()),
        ApprovalAnswer::Session => GrantScope::Call,
        ApprovalAnswer::Server => GrantScope::Server,
        ApprovalAnswer::Deny => {
            return Err(Error::new(
                ErrorCode::ApprovalDenied,
                format!("the call of {} was declined", tool.name),
            )
            .for_tool(&tool.reference));
        }
        ApprovalAnswer::Unattended | _ => {
            return Err(Error::new(
                ErrorCode::ApprovalRequired,
                format!("{} needs an approval and nobody is there to give it", tool.name),
            )
            .with_hint(
                "run it where a person can be asked, or take the tool out of `approveTools` or `approval`",
            )
            .for_tool(&tool.reference));
        }
    };
    runtime.with_grants(|grants| grants.add(&facts, scope));
    Ok(())
}
