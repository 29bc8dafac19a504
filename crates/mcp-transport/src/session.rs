//! One open session: what was agreed, what can be asked, how it is closed.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{
    Arguments, PromptSpec, RawObject, ResourceSpec, ResourceTemplateSpec, ToolName, ToolOutput, ToolSpec,
};
use rmcp::service::{Peer, RoleClient};
use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

use crate::classify::{Failure, FailureClass};
use crate::connect_spec::ConnectSpec;
pub(crate) use crate::establish::{Released, SessionResources};
pub use crate::facts::{Capabilities, SessionFacts};
use crate::hub::Hub;
pub use crate::pager::Listed;
use crate::request::Bounds;

/// Receives the progress of one request. It runs on the path of every message, so it must not block.
pub type ProgressFn = Arc<dyn Fn(Progress) + Send + Sync>;

/// One step that a server reports of a running request.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// How far it is; rises with each report.
    pub progress: f64,
    /// How far it will go, where that is known.
    pub total: Option<f64>,
    /// What is going on.
    pub message: Option<String>,
}

/// The bounds of one request. What is `None` is taken from the spec of the connection.
#[derive(Clone, Default)]
pub struct RequestOptions {
    /// How long the server may be silent; each progress starts it anew.
    pub timeout: Option<Duration>,
    /// How long the request may take as a whole.
    pub max_total: Option<Duration>,
    /// Receives the progress of the request.
    pub progress: Option<ProgressFn>,
}

impl fmt::Debug for RequestOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RequestOptions")
            .field("timeout", &self.timeout)
            .field("max_total", &self.max_total)
            .field("progress", &self.progress.is_some())
            .finish()
    }
}

/// How a session was taken down.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CloseReport {
    /// True when something had to be killed because it did not end in time.
    pub forced: bool,
    /// How the process ended, such as `exit status: 0`.
    pub exit: Option<String>,
}

/// An open session. Clones share it; when the last one is dropped without a close, it is taken down without grace.
#[derive(Clone)]
pub struct Session(pub(crate) Arc<SessionInner>);

pub(crate) struct SessionInner {
    pub(crate) facts: SessionFacts,
    pub(crate) spec: Arc<ConnectSpec>,
    pub(crate) peer: Peer<RoleClient>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) classify: fn(&(dyn StdError + 'static)) -> Option<Failure>,
    /// Owns the supervisor and what must still be said after a caller left.
    pub(crate) tasks: TaskTracker,
    pub(crate) runtime: Handle,
    /// The grace of the close that was asked for; the supervisor obeys the first order.
    pub(crate) close_order: watch::Sender<Option<Duration>>,
}

impl Session {
    /// Gives what the two sides agreed on.
    pub fn facts(&self) -> &SessionFacts {
        &self.0.facts
    }

    /// Lists the tools, all pages. Empty when the server declares no tools.
    pub async fn list_tools(&self) -> Result<Listed<ToolSpec>, Failure> {
        if !self.0.facts.capabilities.tools {
            return Ok(Listed::default());
        }
        self.list("tools/list", "tools", ToolSpec::from_raw).await
    }

    /// Lists the resources, all pages. Empty when the server declares or knows none.
    pub async fn list_resources(&self) -> Result<Listed<ResourceSpec>, Failure> {
        if !self.0.facts.capabilities.resources {
            return Ok(Listed::default());
        }
        none_if_unknown(self.list("resources/list", "resources", ResourceSpec::from_raw).await)
    }

    /// Lists the resource templates, all pages. Empty when the server declares or knows none.
    pub async fn list_resource_templates(&self) -> Result<Listed<ResourceTemplateSpec>, Failure> {
        if !self.0.facts.capabilities.resources {
            return Ok(Listed::default());
        }
        let listed =
            self.list("resources/templates/list", "resourceTemplates", ResourceTemplateSpec::from_raw).await;
        none_if_unknown(listed)
    }

    /// Lists the prompts, all pages. Empty when the server declares or knows none.
    pub async fn list_prompts(&self) -> Result<Listed<PromptSpec>, Failure> {
        if !self.0.facts.capabilities.prompts {
            return Ok(Listed::default());
        }
        none_if_unknown(self.list("prompts/list", "prompts", PromptSpec::from_raw).await)
    }

    /// Calls a tool. Dropping the future cancels the call on the server.
    pub async fn call_tool(
        &self,
        name: &ToolName,
        arguments: &Arguments,
        options: RequestOptions,
    ) -> Result<ToolOutput, Failure> {
        let mut params = RawObject::default();
        params.insert("name", mcp_types::object::to_raw(name.as_str()));
        params.insert("arguments", arguments.raw().to_owned());
        let text = self.request("tools/call", &params, self.bounds(options)).await?;
        ToolOutput::parse(&text).map_err(|error| self.not_the_protocol(&error))
    }

    /// Reads a resource and gives the whole result as the server wrote it.
    pub async fn read_resource(&self, uri: &str, options: RequestOptions) -> Result<Box<RawValue>, Failure> {
        let mut params = RawObject::default();
        params.insert("uri", mcp_types::object::to_raw(uri));
        self.request_raw("resources/read", &params, options).await
    }

    /// Gets a prompt and gives the whole result as the server wrote it.
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: &RawObject,
        options: RequestOptions,
    ) -> Result<Box<RawValue>, Failure> {
        let mut params = RawObject::default();
        params.insert("name", mcp_types::object::to_raw(name));
        params.insert("arguments", mcp_types::object::to_raw(arguments));
        self.request_raw("prompts/get", &params, options).await
    }

    /// Asks whether the server is alive.
    pub async fn ping(&self, options: RequestOptions) -> Result<(), Failure> {
        self.request("ping", &RawObject::default(), self.bounds(options)).await.map(drop)
    }

    /// Sends any request and gives the whole result as the server wrote it. Wharf gives it no meaning of its own.
    pub async fn request_raw(
        &self,
        method: &str,
        params: &RawObject,
        options: RequestOptions,
    ) -> Result<Box<RawValue>, Failure> {
        let text = self.request(method, params, self.bounds(options)).await?;
        RawValue::from_string(text).map_err(|error| self.not_the_protocol(&error))
    }

    /// Tells whether the session can answer no more.
    pub fn is_closed(&self) -> bool {
        self.0.hub.is_over()
    }

    /// Counts the replies that nobody waited for: late, doubled or with an unknown id.
    pub fn dropped_replies(&self) -> u64 {
        self.0.hub.dropped_replies()
    }

    /// Counts the lines that were no messages.
    pub fn noise_lines(&self) -> u64 {
        self.0.hub.noise_lines()
    }

    /// Counts the requests that wait for a reply.
    pub fn pending_requests(&self) -> usize {
        self.0.hub.pending_calls()
    }

    /// Closes the session for all its clones: every pending request fails at once, the server gets `grace` to end by
    /// itself, then it is ended. Returns when nothing is left. Later calls return the same report.
    pub async fn close(&self, grace: Duration) -> CloseReport {
        self.0.close_order.send_if_modified(|order| {
            let first = order.is_none();
            if first {
                *order = Some(grace);
            }
            first
        });
        self.0.hub.closing.cancel();
        self.0.hub.ended().await.report.clone()
    }

    fn bounds(&self, options: RequestOptions) -> Bounds {
        let timeouts = &self.0.spec.timeouts;
        Bounds {
            idle: options.timeout.unwrap_or(timeouts.request),
            total: options.max_total.unwrap_or(timeouts.max_total),
            progress: options.progress,
        }
    }

    pub(crate) fn not_the_protocol(&self, reason: &dyn fmt::Display) -> Failure {
        Failure::new(FailureClass::Protocol, format!("server `{}`: {reason}", self.0.spec.server))
    }
}

/// A server may declare resources and yet not know each of their lists.
fn none_if_unknown<T>(listed: Result<Listed<T>, Failure>) -> Result<Listed<T>, Failure> {
    match listed {
        Err(Failure { class: FailureClass::Refused { code: -32601, .. }, .. }) => Ok(Listed::default()),
        other => other,
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Session")
            .field("server", &self.0.spec.server)
            .field("transport", &self.0.facts.transport)
            .field("closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
