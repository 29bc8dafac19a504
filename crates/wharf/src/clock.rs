//! The wall clock, read in one place: only the age of catalogue entries needs it.

use std::time::{SystemTime, UNIX_EPOCH};

/// Gives the milliseconds since 1970.
#[expect(
    clippy::disallowed_methods,
    reason = "the one reader of the wall clock; everything else gets it as an argument"
)]
pub(crate) fn unix_millis() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
