//! One call: who asks, for what, with which arguments.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use crate::name::ServerName;
use crate::object::{DocumentError, RawObject};

/// Numbers the calls of one runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct CallId(u64);

impl CallId {
    /// Makes an id from its number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Gives the number.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Names the session or agent on whose behalf a call runs. Grants and narrowed views are kept per session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(Arc<str>);

impl SessionId {
    /// Makes an id from any text.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(Arc::from(text.as_ref()))
    }

    /// Gives the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The face through which a call came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Origin {
    /// The embedding program.
    Library,
    /// The command line.
    Cli,
    /// The `mcp` tool of the gateway.
    Gateway,
    /// A tool that the gateway exposes directly.
    DirectTool,
}

/// The arguments of a call: a JSON object, kept as it was written.
#[derive(Debug, Clone)]
pub struct Arguments(Arc<RawValue>);

impl Arguments {
    /// Gives the empty object.
    pub fn empty() -> Self {
        Self(Arc::from(crate::object::to_raw(&RawObject::default())))
    }

    /// Reads a JSON text that must be an object.
    pub fn parse(text: &str) -> Result<Self, DocumentError> {
        RawObject::parse("arguments", text)?;
        let raw: Box<RawValue> =
            serde_json::from_str(text).map_err(|error| DocumentError::malformed("arguments", error))?;
        Ok(Self(Arc::from(raw)))
    }

    /// Takes a JSON value that must be an object.
    pub fn from_value(value: &serde_json::Value) -> Result<Self, DocumentError> {
        if !value.is_object() {
            return Err(DocumentError::malformed(
                "arguments",
                format!("expected an object, found {}", kind_of(value)),
            ));
        }
        Ok(Self(Arc::from(crate::object::to_raw(value))))
    }

    /// Gives the object as it was written.
    pub fn raw(&self) -> &RawValue {
        &self.0
    }
}

impl Default for Arguments {
    fn default() -> Self {
        Self::empty()
    }
}

impl PartialEq for Arguments {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

/// Names the kind of a JSON value for a message.
pub fn kind_of(value: &serde_json::Value) -> &'static str {
    match value {
        serde_json::Value::Null => "null",
        serde_json::Value::Bool(_) => "a boolean",
        serde_json::Value::Number(_) => "a number",
        serde_json::Value::String(_) => "a string",
        serde_json::Value::Array(_) => "an array",
        serde_json::Value::Object(_) => "an object",
    }
}

/// What a caller asks for by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallTarget {
    /// The server, where the caller fixed it; then the server's own tool names are accepted too.
    pub server: Option<ServerName>,
    /// The tool as the caller wrote it: outward name in any spelling, or own name with a fixed server.
    pub tool: String,
}

/// One call as it enters the call path.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRequest {
    /// The tool asked for.
    pub target: CallTarget,
    /// Its arguments.
    pub arguments: Arguments,
    /// The face through which the call came.
    pub origin: Origin,
    /// On whose behalf it runs.
    pub session: SessionId,
    /// The whole time the call may take, without the time a person is asked; `None` takes the server's setting.
    pub timeout: Option<Duration>,
}
