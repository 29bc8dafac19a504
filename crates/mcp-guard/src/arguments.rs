//! Arguments on the way in.

use mcp_types::Arguments;

/// The arguments of a call exceed the limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentsTooLarge {
    bytes: usize,
    limit: usize,
}

impl std::fmt::Display for ArgumentsTooLarge {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "the arguments have {} bytes, more than {}", self.bytes, self.limit)
    }
}

impl std::error::Error for ArgumentsTooLarge {}

/// Checks the arguments of a call before anyone is asked about them.
///
/// # Errors
/// [`ArgumentsTooLarge`] when they have more than `limit` bytes.
pub fn check_arguments(arguments: &Arguments, limit: usize) -> Result<(), ArgumentsTooLarge> {
    let bytes = arguments.raw().get().len();
    if bytes > limit { Err(ArgumentsTooLarge { bytes, limit }) } else { Ok(()) }
}
