//! Exit codes: a contract with scripts.

use std::process::ExitCode;

use wharf::ErrorCode;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    ToolError = 1,
    Usage = 2,
    Unknown = 3,
    SignIn = 4,
    Denied = 5,
    NoConnection = 6,
    ConfigInvalid = 7,
    Interrupted = 130,
}

impl Exit {
    /// Maps an error by its code alone.
    pub(crate) fn of(code: ErrorCode) -> Self {
        match code {
            ErrorCode::ToolError => Self::ToolError,
            ErrorCode::InvalidArguments
            | ErrorCode::InvalidRequest
            | ErrorCode::EmptyQuery
            | ErrorCode::QueryTooLong
            | ErrorCode::InvalidPattern
            | ErrorCode::FileAccess => Self::Usage,
            ErrorCode::ServerNotFound
            | ErrorCode::ToolNotFound
            | ErrorCode::AmbiguousTool
            | ErrorCode::NotFound
            | ErrorCode::NoInstructions
            | ErrorCode::NotConnected => Self::Unknown,
            ErrorCode::AuthRequired => Self::SignIn,
            ErrorCode::NotAllowed
            | ErrorCode::ApprovalDenied
            | ErrorCode::ApprovalRequired
            | ErrorCode::ServerDisabled => Self::Denied,
            ErrorCode::ConfigInvalid => Self::ConfigInvalid,
            ErrorCode::Cancelled => Self::Interrupted,
            ErrorCode::ConnectFailed
            | ErrorCode::ServerBackoff
            | ErrorCode::StillStarting
            | ErrorCode::Timeout
            | ErrorCode::ConnectionLost
            | ErrorCode::ServerUnmounted
            | ErrorCode::ServerError
            | ErrorCode::ProtocolError
            | ErrorCode::TooLarge
            | ErrorCode::Overloaded
            | ErrorCode::Internal
            | _ => Self::NoConnection,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_code_has_its_exit_code() {
        let lines: Vec<String> =
            ErrorCode::ALL.iter().map(|code| format!("{} {code}", Exit::of(*code) as u8)).collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        3 server_not_found
        3 tool_not_found
        3 ambiguous_tool
        5 server_disabled
        3 not_connected
        6 connect_failed
        6 server_backoff
        6 still_starting
        4 auth_required
        5 not_allowed
        5 approval_denied
        5 approval_required
        6 timeout
        130 cancelled
        6 connection_lost
        6 server_unmounted
        6 server_error
        6 protocol_error
        6 too_large
        6 overloaded
        1 tool_error
        2 invalid_arguments
        2 invalid_request
        2 empty_query
        2 query_too_long
        2 invalid_pattern
        3 no_instructions
        3 not_found
        7 config_invalid
        2 file_access
        6 internal
        ");
    }
}
