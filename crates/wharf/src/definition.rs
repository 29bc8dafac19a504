//! A server defined by code instead of a file.

use std::path::PathBuf;
use std::time::Duration;

use mcp_types::Secret;

/// A server that the embedding program defines. Values are taken as they are: nothing is interpolated.
///
/// ```
/// use wharf::ServerDefinition;
/// let local = ServerDefinition::stdio("uvx").args(["mcp-server-time"]).env("TZ", "UTC");
/// let remote = ServerDefinition::http("https://mcp.example.com/mcp").bearer("token");
/// assert!(!format!("{remote:?}").contains("token\""));
/// # let _ = local;
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct ServerDefinition {
    pub(crate) transport: Transport,
    pub(crate) keep_alive: bool,
    pub(crate) eager: bool,
    pub(crate) idle: Option<Duration>,
    pub(crate) required: bool,
    pub(crate) prefix: Option<mcp_catalog::PrefixMode>,
    pub(crate) max_in_flight: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Transport {
    Stdio { command: String, args: Vec<String>, env: Vec<(String, Secret<String>)>, cwd: Option<PathBuf> },
    Http { url: String, headers: Vec<(String, Secret<String>)>, bearer: Option<Secret<String>> },
}

impl ServerDefinition {
    fn new(transport: Transport) -> Self {
        Self {
            transport,
            keep_alive: false,
            eager: false,
            idle: None,
            required: false,
            prefix: None,
            max_in_flight: None,
        }
    }

    /// Defines a server that is a child process speaking over its standard streams.
    pub fn stdio(command: impl Into<String>) -> Self {
        Self::new(Transport::Stdio { command: command.into(), args: Vec::new(), env: Vec::new(), cwd: None })
    }

    /// Defines a server behind a streamable HTTP endpoint.
    pub fn http(url: impl Into<String>) -> Self {
        Self::new(Transport::Http { url: url.into(), headers: Vec::new(), bearer: None })
    }

    /// Adds arguments of the command. Without effect on an HTTP server.
    pub fn args<A: Into<String>>(mut self, more: impl IntoIterator<Item = A>) -> Self {
        if let Transport::Stdio { args, .. } = &mut self.transport {
            args.extend(more.into_iter().map(Into::into));
        }
        self
    }

    /// Adds a variable for the child. Without effect on an HTTP server.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let Transport::Stdio { env, .. } = &mut self.transport {
            env.push((name.into(), Secret::new(value.into())));
        }
        self
    }

    /// Sets the working directory of the child. Without effect on an HTTP server.
    pub fn cwd(mut self, dir: impl Into<PathBuf>) -> Self {
        if let Transport::Stdio { cwd, .. } = &mut self.transport {
            *cwd = Some(dir.into());
        }
        self
    }

    /// Adds a header to every request. Without effect on a child process.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let Transport::Http { headers, .. } = &mut self.transport {
            headers.push((name.into(), Secret::new(value.into())));
        }
        self
    }

    /// Sets the bearer token of every request. Without effect on a child process.
    pub fn bearer(mut self, token: impl Into<String>) -> Self {
        if let Transport::Http { bearer, .. } = &mut self.transport {
            *bearer = Some(Secret::new(token.into()));
        }
        self
    }

    /// Connects the server when the runtime starts.
    pub fn eager(mut self) -> Self {
        self.eager = true;
        self
    }

    /// Connects the server when the runtime starts, and again whenever its connection ends.
    pub fn keep_alive(mut self) -> Self {
        self.keep_alive = true;
        self
    }

    /// Closes the connection after this time without a call.
    pub fn idle_timeout(mut self, idle: Duration) -> Self {
        self.idle = Some(idle);
        self
    }

    /// Makes `mount_all` report an error when this server cannot be mounted.
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Sets how the outward names of its tools begin.
    pub fn prefix(mut self, mode: mcp_catalog::PrefixMode) -> Self {
        self.prefix = Some(mode);
        self
    }

    /// Sets how many calls may run at the server at once. Default: 64.
    pub fn max_in_flight(mut self, calls: usize) -> Self {
        self.max_in_flight = Some(calls);
        self
    }
}
