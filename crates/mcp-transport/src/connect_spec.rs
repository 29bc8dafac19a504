//! What to connect to and within which bounds: immutable, compared with `==`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{Secret, ServerName};

/// Everything that is needed to open one session. Two equal specs open the same session.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectSpec {
    /// The server as the configuration names it.
    pub server: ServerName,
    /// How the server is reached.
    pub transport: TransportSpec,
    /// How long things may take.
    pub timeouts: Timeouts,
    /// How large things may be.
    pub limits: TransportLimits,
    /// How we introduce ourselves.
    pub client: ClientInfo,
    /// Which handshake is used.
    pub era: ProtocolEra,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TransportSpec {
    /// A child process that speaks over its standard streams.
    Stdio(StdioSpec),
    /// Streamable HTTP.
    Http(HttpSpec),
}

/// A child process to start.
#[derive(Debug, Clone, PartialEq)]
pub struct StdioSpec {
    /// The program: a path, or a name that is looked up in the `PATH` of the child.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables set on top of `base_env`, already resolved.
    pub env: Vec<(String, Secret<String>)>,
    /// The working directory; `None` takes ours.
    pub cwd: Option<PathBuf>,
    /// The environment under `env`. The child gets these two and nothing else.
    pub base_env: Arc<BaseEnv>,
}

/// The environment that a child starts from. Its values are never printed.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct BaseEnv(pub BTreeMap<OsString, OsString>);

impl fmt::Debug for BaseEnv {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

/// A Streamable HTTP endpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpSpec {
    /// The URL of the endpoint.
    pub url: String,
    /// Headers sent with every request.
    pub headers: Vec<(String, Secret<String>)>,
    /// A bearer token, without the word `Bearer`.
    pub bearer: Option<Secret<String>>,
}

/// How long things may take. Time in which the host asks a person does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// From the start of the process or dial to the end of the handshake.
    pub startup: Duration,
    /// Silence on one request; progress starts it anew.
    pub request: Duration,
    /// One request as a whole, and one listing with all its pages.
    pub max_total: Duration,
    /// Silence on one page of a listing.
    pub list: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            startup: Duration::from_mins(1),
            request: Duration::from_secs(30),
            max_total: Duration::from_mins(10),
            list: Duration::from_secs(30),
        }
    }
}

/// How large things may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransportLimits {
    /// One message from the server, in bytes.
    pub max_message_bytes: usize,
    /// What is kept of a child's standard error, in bytes.
    pub stderr_tail_bytes: usize,
    /// Pages of one listing.
    pub max_pages: usize,
    /// Items of one listing.
    pub max_items: usize,
}

impl Default for TransportLimits {
    fn default() -> Self {
        Self {
            max_message_bytes: 64 * 1024 * 1024,
            stderr_tail_bytes: 8 * 1024,
            max_pages: 1_000,
            max_items: 50_000,
        }
    }
}

/// How we introduce ourselves to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientInfo {
    /// The name of the program.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Which handshake is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ProtocolEra {
    /// `initialize`, with the revisions up to 2025-11-25.
    #[default]
    Legacy,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_never_prints_the_values_of_its_environment() {
        let spec = StdioSpec {
            command: "server".to_owned(),
            args: Vec::new(),
            env: vec![("TOKEN".to_owned(), Secret::new("hunter2".to_owned()))],
            cwd: None,
            base_env: Arc::new(BaseEnv(BTreeMap::from([("KEY".into(), "hunter3".into())]))),
        };
        let text = format!("{spec:?}");
        assert!(text.contains("TOKEN") && text.contains("KEY") && !text.contains("hunter"), "{text}");
    }
}
