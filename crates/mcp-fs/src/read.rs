//! Reading with a bound.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::error::FsError;

/// Reads a whole file of at most `limit` bytes.
///
/// # Errors
/// [`FsError::Io`] when the system refuses, [`FsError::TooLarge`] when the file exceeds the limit.
#[expect(clippy::disallowed_methods, reason = "this crate is the door to files")]
pub fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, FsError> {
    let file = File::open(path).map_err(|error| FsError::io("read", path, error))?;
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| FsError::io("read", path, error))?;
    if bytes.len() as u64 > limit {
        return Err(FsError::TooLarge { path: path.to_owned(), limit });
    }
    Ok(bytes)
}

/// Reads a whole UTF-8 text of at most `limit` bytes. A byte order mark is kept.
///
/// # Errors
/// As [`read_bounded`]; [`FsError::NotText`] when the bytes are no UTF-8.
pub fn read_text_bounded(path: &Path, limit: u64) -> Result<String, FsError> {
    String::from_utf8(read_bounded(path, limit)?).map_err(|error| FsError::NotText {
        path: path.to_owned(),
        valid_up_to: error.utf8_error().valid_up_to(),
    })
}
