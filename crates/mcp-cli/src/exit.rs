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
    fn exit_codes_follow_the_error_code_alone() {
        let rows = [
            (ErrorCode::ToolError, 1),
            (ErrorCode::InvalidArguments, 2),
            (ErrorCode::InvalidRequest, 2),
            (ErrorCode::EmptyQuery, 2),
            (ErrorCode::InvalidPattern, 2),
            (ErrorCode::ToolNotFound, 3),
            (ErrorCode::ServerNotFound, 3),
            (ErrorCode::AuthRequired, 4),
            (ErrorCode::NotAllowed, 5),
            (ErrorCode::ApprovalRequired, 5),
            (ErrorCode::Timeout, 6),
            (ErrorCode::ConnectFailed, 6),
            (ErrorCode::ConnectionLost, 6),
            (ErrorCode::ConfigInvalid, 7),
            (ErrorCode::Cancelled, 130),
        ];
        for (code, expected) in rows {
            assert_eq!(Exit::of(code) as u8, expected, "{code}");
        }
    }
}
