//! An agent: a narrowed view of the runtime with grants of its own.

use std::sync::Arc;

use mcp_policy::Pattern;
use mcp_types::{Arguments, CallRequest, CallTarget, ErrorCode, Origin, SessionId};

use crate::call::CallOutput;
use crate::error::Error;
use crate::runtime::Runtime;

/// A caller with a name, an allow list and grants of its own. It can only narrow what the runtime allows.
///
/// ```no_run
/// # async fn example(runtime: wharf::Runtime) -> Result<(), wharf::Error> {
/// let agent = runtime.agent("researcher").allow(["mcp__nexus__*"])?;
/// let answer = agent.call("mcp__nexus__search", serde_json::json!({"q": "x"})).await?;
/// println!("{}", answer.output.joined_text());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Agent {
    runtime: Runtime,
    session: SessionId,
    allow: Vec<Arc<[Pattern]>>,
}

impl Agent {
    pub(crate) fn new(runtime: Runtime, name: &str) -> Self {
        Self { runtime, session: SessionId::new(name), allow: Vec::new() }
    }

    /// Narrows the agent to tools that match one of the patterns; a second list narrows further.
    ///
    /// # Errors
    /// `invalid_pattern` when a pattern is malformed.
    pub fn allow<P: AsRef<str>>(mut self, patterns: impl IntoIterator<Item = P>) -> Result<Self, Error> {
        let compiled: Result<Vec<Pattern>, Error> = patterns
            .into_iter()
            .map(|text| {
                Pattern::new(text.as_ref())
                    .map_err(|error| Error::new(ErrorCode::InvalidPattern, format!("allow pattern: {error}")))
            })
            .collect();
        self.allow.push(compiled?.into());
        Ok(self)
    }

    /// Gives the session under which the agent's grants are kept.
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// Gives the runtime.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Calls a tool by its outward name.
    ///
    /// # Errors
    /// As [`Runtime::call`]; `not_allowed` when the agent's own list does not admit the tool.
    pub async fn call(&self, tool: &str, arguments: serde_json::Value) -> Result<CallOutput, Error> {
        let arguments = Arguments::from_value(&arguments)
            .map_err(|error| Error::new(ErrorCode::InvalidArguments, error.to_string()).for_name(tool))?;
        let request = CallRequest {
            target: CallTarget { server: None, tool: tool.to_owned() },
            arguments,
            origin: Origin::Library,
            session: self.session.clone(),
            timeout: None,
        };
        self.runtime.call_narrowed(request, &self.allow, None).await
    }
}
