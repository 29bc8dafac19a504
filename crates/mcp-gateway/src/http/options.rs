//! What a caller can set about serving HTTP.

use std::time::Duration;

use mcp_types::Secret;

/// Options of [`crate::serve_http`]. The default serves this machine only and needs no token.
///
/// ```
/// let options = mcp_gateway::HttpOptions {
///     allowed_origins: vec!["http://localhost:5173".to_owned()],
///     ..mcp_gateway::HttpOptions::default()
/// };
/// assert!(!options.allow_remote);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpOptions {
    /// Values of the `Host` header that are accepted beside those of the loopback interface, with or without port.
    pub allowed_hosts: Vec<String>,
    /// Origins of web pages that may connect, such as `https://app.example.com:443`. Requests without an origin
    /// come from programs and pass; every origin not named here is refused.
    pub allowed_origins: Vec<String>,
    /// A token that every request to `/mcp` must bear; `None` asks for none.
    pub bearer: Option<Secret<String>>,
    /// Permits a listener that other machines can reach.
    pub allow_remote: bool,
    /// The longest request body in bytes. Default: 4 MiB.
    pub max_body_bytes: usize,
    /// How many client sessions may be open at once. Default: 1024.
    pub max_sessions: usize,
    /// After this time without any message a session is closed. Default: 30 minutes, longer than any one call.
    pub session_idle: Duration,
    /// How long running calls may take to end after `shutdown`. Default: 5 seconds.
    pub drain: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            bearer: None,
            allow_remote: false,
            max_body_bytes: 4 * 1024 * 1024,
            max_sessions: 1024,
            session_idle: Duration::from_mins(30),
            drain: Duration::from_secs(5),
        }
    }
}
