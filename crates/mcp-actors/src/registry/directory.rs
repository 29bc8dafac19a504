//! Where to ask for a lease. Published with the state, so that a request finds its server without a message.

use std::collections::HashMap;
use std::fmt;

use mcp_types::ServerName;

use crate::server::handle::ServerHandle;

/// The servers that can be asked.
#[derive(Clone, Default)]
pub(crate) struct Directory {
    pub(crate) servers: HashMap<ServerName, ServerHandle>,
    /// Nothing is asked any more.
    pub(crate) closed: bool,
}

impl fmt::Debug for Directory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Directory")
            .field("servers", &self.servers.keys())
            .field("closed", &self.closed)
            .finish()
    }
}
