//! The rules that a configuration comes down to.

use std::collections::BTreeMap;

use mcp_types::{ServerName, ToolRef};

use crate::pattern::Pattern;

/// When the calls of one server ask for an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ApprovalMode {
    /// Never, whatever else says so.
    Never,
    /// Where the other rules say so.
    #[default]
    Policy,
    /// For each call.
    Always,
}

/// Which tools ask for an approval by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApproveTools {
    /// All of them.
    All,
    /// None of them; replaces a wider list.
    None,
    /// Those that match.
    Matching(Vec<Pattern>),
}

/// What holds for one server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerRules {
    /// Its approval mode.
    pub approval: ApprovalMode,
    /// Its own list; it replaces the general one.
    pub approve_tools: Option<ApproveTools>,
}

/// Everything a call is decided by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyRules {
    /// The only tools that may run; `None` lets all run.
    pub allow: Option<Vec<Pattern>>,
    /// The tools that ask for an approval, where a server has no list of its own.
    pub approve_tools: Option<ApproveTools>,
    /// Under [`ApprovalMode::Policy`]: every tool that is not hinted read-only asks.
    pub approve_mutating: bool,
    /// What holds for single servers.
    pub servers: BTreeMap<ServerName, ServerRules>,
}

impl PolicyRules {
    /// Tells whether no rule can refuse or question any call.
    pub fn admits_everything(&self) -> bool {
        self.allow.is_none()
            && !self.approve_mutating
            && matches!(self.approve_tools, None | Some(ApproveTools::None))
            && self.servers.values().all(|server| {
                server.approval != ApprovalMode::Always
                    && matches!(server.approve_tools, None | Some(ApproveTools::None))
            })
    }

    pub(crate) fn approval(&self, server: &ServerName) -> ApprovalMode {
        self.servers.get(server).map_or(ApprovalMode::default(), |rules| rules.approval)
    }

    pub(crate) fn approve_list(&self, tool: &ToolRef) -> Option<&ApproveTools> {
        self.servers
            .get(&tool.server)
            .and_then(|server| server.approve_tools.as_ref())
            .or(self.approve_tools.as_ref())
    }
}
