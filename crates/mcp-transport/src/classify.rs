//! Failures: what went wrong with a session or a request, classified once, at the edge that knows.

use std::fmt;

use mcp_types::ErrorCode;

/// The longest message of a failure in bytes; a server's text is cut to it.
const MAX_MESSAGE_BYTES: usize = 2_000;

/// Why a connection or a request failed. Callers match on the class, never on the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure it is.
    pub class: FailureClass,
    /// One sentence for people and models. It holds no secret.
    pub message: String,
}

/// The kinds of failure a session knows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureClass {
    /// The server could not be started or reached.
    Unreachable,
    /// The answer did not come in time.
    Timeout,
    /// The server wants a sign-in.
    AuthRequired {
        /// The `WWW-Authenticate` challenge, where the server sent one.
        challenge: Option<String>,
    },
    /// The server no longer knows this session; it did not run the request.
    SessionExpired,
    /// The server sent something that is not the protocol.
    Protocol,
    /// The server process ended.
    Exited {
        /// How it ended, such as `exit status: 1`; `None` when that is unknown.
        status: Option<String>,
        /// The last lines of its standard error.
        stderr_tail: Vec<String>,
    },
    /// The server answered with a JSON-RPC error; the connection is healthy.
    Refused {
        /// The code of the error.
        code: i64,
        /// The `data` of the error as JSON text.
        data: Option<String>,
    },
    /// The server sent more than the limit; the connection is healthy.
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The request was cancelled by the server or by us.
    Cancelled,
    /// The session is closed or its connection was lost.
    Closed,
}

impl Failure {
    /// Makes a failure. An overlong message is cut.
    pub fn new(class: FailureClass, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if message.len() > MAX_MESSAGE_BYTES {
            let mut end = MAX_MESSAGE_BYTES;
            while !message.is_char_boundary(end) {
                end -= 1;
            }
            message.truncate(end);
            message.push('…');
        }
        Self { class, message }
    }

    /// Gives the stable code of the failure.
    pub fn code(&self) -> ErrorCode {
        match &self.class {
            FailureClass::Unreachable => ErrorCode::ConnectFailed,
            FailureClass::Timeout => ErrorCode::Timeout,
            FailureClass::AuthRequired { .. } => ErrorCode::AuthRequired,
            FailureClass::Protocol => ErrorCode::ProtocolError,
            FailureClass::Refused { .. } => ErrorCode::ServerError,
            FailureClass::TooLarge { .. } => ErrorCode::TooLarge,
            FailureClass::Cancelled => ErrorCode::Cancelled,
            FailureClass::SessionExpired | FailureClass::Exited { .. } | FailureClass::Closed => {
                ErrorCode::ConnectionLost
            }
        }
    }

    pub(crate) fn closed() -> Self {
        Self::new(FailureClass::Closed, "the session is closed")
    }

    pub(crate) fn lost() -> Self {
        Self::new(FailureClass::Closed, "the server ended the connection")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overlong_message_is_cut_on_a_character() {
        let failure = Failure::new(FailureClass::Protocol, "ä".repeat(2_000));
        assert!(failure.message.len() <= MAX_MESSAGE_BYTES + '…'.len_utf8());
        assert!(failure.message.ends_with("ä…"));
    }
}
