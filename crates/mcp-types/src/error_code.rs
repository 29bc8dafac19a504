//! Error codes: the stable answer to "what should the caller do differently". Additive only.

use std::fmt;

/// Whether asking again can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Retry {
    /// The same request will fail again.
    Never,
    /// The same request may succeed after something named in the hint was done.
    AfterAction,
    /// The same request may succeed later.
    Later,
}

macro_rules! error_codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $text:literal, $retry:ident;)+) => {
        /// Why something could not be done. The texts are part of the API: they are added to, never changed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl ErrorCode {
            /// Every code in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Gives the stable text in snake case.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// Explains the code in a sentence or two.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+),)+ }
            }

            /// Tells whether asking again can help.
            pub const fn retry(self) -> Retry {
                match self { $(Self::$variant => Retry::$retry,)+ }
            }
        }
    };
}

error_codes! {
    /// No server of this name is configured.
    ServerNotFound = "server_not_found", Never;
    /// No tool of this name is known.
    ToolNotFound = "tool_not_found", Never;
    /// Several servers offer a tool of this name; the server must be given.
    AmbiguousTool = "ambiguous_tool", AfterAction;
    /// The server is switched off in the configuration.
    ServerDisabled = "server_disabled", AfterAction;
    /// The server is configured but was never connected, and this request connects nothing.
    NotConnected = "not_connected", AfterAction;
    /// The server could not be reached or started.
    ConnectFailed = "connect_failed", Later;
    /// A recent attempt to connect failed; the next automatic one waits.
    ServerBackoff = "server_backoff", Later;
    /// The server has not finished its start in the time the caller had.
    StillStarting = "still_starting", Later;
    /// The server wants a sign-in first.
    AuthRequired = "auth_required", AfterAction;
    /// The policy does not admit this call.
    NotAllowed = "not_allowed", Never;
    /// A person was asked and declined.
    ApprovalDenied = "approval_denied", Never;
    /// The call needs an approval and nobody can be asked.
    ApprovalRequired = "approval_required", AfterAction;
    /// The call did not end before its deadline.
    Timeout = "timeout", Later;
    /// The call was cancelled before it ended.
    Cancelled = "cancelled", Later;
    /// The connection ended before the answer came.
    ConnectionLost = "connection_lost", Later;
    /// The server was unmounted or the runtime shut down before the answer came.
    ServerUnmounted = "server_unmounted", Never;
    /// The server answered with a JSON-RPC error.
    ServerError = "server_error", Never;
    /// The server sent something that is not the protocol.
    ProtocolError = "protocol_error", Later;
    /// The server sent more than the configured limit.
    TooLarge = "too_large", Never;
    /// The server has too many calls in flight and none ended in time.
    Overloaded = "overloaded", Later;
    /// The tool ran and reports a failure of its own.
    ToolError = "tool_error", Never;
    /// The arguments are no JSON object, or exceed a limit.
    InvalidArguments = "invalid_arguments", AfterAction;
    /// The request names no mode, or a parameter stands in the wrong place.
    InvalidRequest = "invalid_request", AfterAction;
    /// The search has no words.
    EmptyQuery = "empty_query", AfterAction;
    /// The search text is too long.
    QueryTooLong = "query_too_long", AfterAction;
    /// The search pattern is no valid regular expression.
    InvalidPattern = "invalid_pattern", AfterAction;
    /// The server gives no instructions.
    NoInstructions = "no_instructions", Never;
    /// The server offers no resource or prompt of this name.
    NotFound = "not_found", Never;
    /// The configuration holds errors.
    ConfigInvalid = "config_invalid", AfterAction;
    /// A file could not be read or written.
    FileAccess = "file_access", AfterAction;
    /// Something in Wharf itself went wrong; the report should go to its issue tracker.
    Internal = "internal", Never;
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl serde::Serialize for ErrorCode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_snake_case() {
        let mut texts: Vec<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert!(texts.iter().all(|text| text.chars().all(|c| c.is_ascii_lowercase() || c == '_')));
        let count = texts.len();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), count);
    }
}
