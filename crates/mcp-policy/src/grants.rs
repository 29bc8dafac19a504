//! What a person allowed for the rest of a session.

use std::collections::{BTreeMap, BTreeSet};

use mcp_types::{Digest, ServerName, SessionId, ToolRef};

use crate::facts::Facts;

/// The most grants that one session keeps; the oldest gives way.
const MAX_GRANTS: usize = 10_000;

/// How far a grant reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantScope {
    /// This tool, with this definition and these arguments.
    Call,
    /// Every tool of the server.
    Server,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct GrantKey {
    tool: ToolRef,
    arguments: Digest,
    definition: Digest,
}

#[derive(Debug, Default)]
struct SessionGrants {
    calls: BTreeMap<GrantKey, u64>,
    servers: BTreeSet<ServerName>,
    count: u64,
}

/// The grants of all sessions, in memory. A changed definition or payload asks again.
#[derive(Debug, Default)]
pub struct Grants {
    sessions: BTreeMap<SessionId, SessionGrants>,
}

impl Grants {
    /// Adds a grant for the session of these facts.
    pub fn add(&mut self, facts: &Facts, scope: GrantScope) {
        let session = self.sessions.entry(facts.session.clone()).or_default();
        match scope {
            GrantScope::Server => {
                session.servers.insert(facts.tool.server.clone());
            }
            GrantScope::Call => {
                session.count += 1;
                session.calls.insert(key(facts), session.count);
                if session.calls.len() > MAX_GRANTS
                    && let Some(oldest) =
                        session.calls.iter().min_by_key(|(_, age)| **age).map(|(key, _)| key.clone())
                {
                    session.calls.remove(&oldest);
                }
            }
        }
    }

    /// Tells whether a grant covers these facts.
    pub fn covers(&self, facts: &Facts) -> bool {
        self.sessions.get(&facts.session).is_some_and(|session| {
            session.servers.contains(&facts.tool.server) || session.calls.contains_key(&key(facts))
        })
    }

    /// Forgets what was granted to a session.
    pub fn forget(&mut self, session: &SessionId) {
        self.sessions.remove(session);
    }

    /// Forgets every grant for a server, as when its definition changes.
    pub fn forget_server(&mut self, server: &ServerName) {
        for session in self.sessions.values_mut() {
            session.servers.remove(server);
            session.calls.retain(|key, _| key.tool.server != *server);
        }
    }
}

fn key(facts: &Facts) -> GrantKey {
    GrantKey { tool: facts.tool.clone(), arguments: facts.arguments, definition: facts.definition }
}
