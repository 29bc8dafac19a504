//! Paths: home, kinds, listing, removing.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::FsError;

/// Expands a leading `~` or `~/`; everything else stays as it is.
///
/// ```
/// use std::path::Path;
/// assert_eq!(mcp_fs::expand_home("~/a", Path::new("/home/ada")), Path::new("/home/ada/a"));
/// assert_eq!(mcp_fs::expand_home("~other/a", Path::new("/home/ada")), Path::new("~other/a"));
/// ```
pub fn expand_home(text: &str, home: &Path) -> PathBuf {
    if text == "~" {
        return home.to_owned();
    }
    match text.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => PathBuf::from(text),
    }
}

/// Tells whether a path is a file, links followed.
///
/// # Errors
/// [`FsError::Io`] for every refusal but absence.
pub fn is_file(path: &Path) -> Result<bool, FsError> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(metadata.is_file()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(FsError::io("look at", path, error)),
    }
}

/// Lists a directory by name. An absent one is empty.
///
/// # Errors
/// [`FsError::Io`] for every refusal but absence.
pub fn list_dir(path: &Path) -> Result<Vec<PathBuf>, FsError> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(FsError::io("list", path, error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(|error| FsError::io("list", path, error))?.path());
    }
    paths.sort();
    Ok(paths)
}

/// Removes a directory with all that is in it. An absent one counts as removed.
///
/// # Errors
/// [`FsError::Io`] for every refusal but absence.
#[expect(clippy::disallowed_methods, reason = "this crate is the door to files")]
pub fn remove_dir_all(path: &Path) -> Result<(), FsError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(FsError::io("remove", path, error)),
        _ => Ok(()),
    }
}
