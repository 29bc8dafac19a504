//! The `Host` port: how Wharf asks the program or person around it. One trait with refusing defaults.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use serde_json::value::RawValue;

use crate::call::{Arguments, CallId, Origin, SessionId};
use crate::name::{PublicToolName, ServerName, ToolRef};

/// A boxed future, so that the port can be a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One root: a place that a server may look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// A `file://` URI.
    pub uri: String,
    /// A name for people.
    pub name: Option<String>,
}

/// A question whether a call may run.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalRequest {
    /// The call.
    pub call: CallId,
    /// On whose behalf it runs.
    pub session: SessionId,
    /// The tool.
    pub tool: ToolRef,
    /// Its outward name.
    pub name: PublicToolName,
    /// The arguments that will be sent.
    pub arguments: Arguments,
    /// The face through which the call came.
    pub origin: Origin,
}

/// The answer to an [`ApprovalRequest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalAnswer {
    /// This call alone may run.
    Once,
    /// This tool with these arguments may run for the rest of the session.
    Session,
    /// Every tool of this server may run for the rest of the session.
    Server,
    /// The call may not run.
    Deny,
    /// There is nobody to ask.
    Unattended,
}

/// The program around Wharf: it approves, answers servers' questions and opens pages.
///
/// Every method has a refusing default, so a host implements what it can do. Each may take as long as a person
/// needs: that time does not count toward the deadline of a call.
///
/// ```
/// struct Yes;
/// impl mcp_types::Host for Yes {
///     fn approve<'a>(&'a self, _: &'a mcp_types::ApprovalRequest) -> mcp_types::BoxFuture<'a, mcp_types::ApprovalAnswer> {
///         Box::pin(async { mcp_types::ApprovalAnswer::Once })
///     }
/// }
/// ```
pub trait Host: Send + Sync + 'static {
    /// Asks whether a call may run. The default says that nobody is there.
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, ApprovalAnswer> {
        let _ = request;
        Box::pin(std::future::ready(ApprovalAnswer::Unattended))
    }

    /// Answers `elicitation/create`: `None` refuses the method, `Some` is the whole result object.
    fn elicit<'a>(
        &'a self,
        server: &'a ServerName,
        params: &'a RawValue,
    ) -> BoxFuture<'a, Option<Box<RawValue>>> {
        let _ = (server, params);
        Box::pin(std::future::ready(None))
    }

    /// Answers `sampling/createMessage`: `None` refuses the method, `Some` is the whole result object.
    fn sample<'a>(
        &'a self,
        server: &'a ServerName,
        params: &'a RawValue,
    ) -> BoxFuture<'a, Option<Box<RawValue>>> {
        let _ = (server, params);
        Box::pin(std::future::ready(None))
    }

    /// Opens a page for the person; false when that is impossible.
    fn open_url<'a>(&'a self, url: &'a str) -> BoxFuture<'a, bool> {
        let _ = url;
        Box::pin(std::future::ready(false))
    }

    /// Gives the roots to show to a server ; `None` refuses the method.
    fn roots<'a>(&'a self, server: &'a ServerName) -> BoxFuture<'a, Option<Vec<Root>>> {
        let _ = server;
        Box::pin(std::future::ready(None))
    }

    /// Tells which of a server's questions this host can answer, so that only those are declared to servers.
    fn abilities(&self) -> HostAbilities {
        HostAbilities::default()
    }
}

/// Which questions of a server a host can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one independent capability of the protocol")]
pub struct HostAbilities {
    /// `elicitation/create` with a form.
    pub elicit_form: bool,
    /// `elicitation/create` with a URL.
    pub elicit_url: bool,
    /// `sampling/createMessage`.
    pub sample: bool,
    /// `roots/list`.
    pub roots: bool,
}

/// The host that refuses everything: nobody is there to ask.
#[derive(Debug, Clone, Copy, Default)]
pub struct HeadlessHost;

impl Host for HeadlessHost {}

impl fmt::Debug for dyn Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Host")
    }
}
