//! Writing in one step, and private places.

use std::fs::{self, DirBuilder};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::error::FsError;

/// The most links that are followed one after the other.
const MAX_LINKS: usize = 16;

/// Who may read a new file. An existing file keeps its mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Only the owner.
    Private,
    /// As the system decides for new files.
    Default,
}

/// Replaces a file in one step: readers see the old or the new content, never a mixture.
///
/// A symbolic link is followed and stays. With `durable` the content has reached the disk when this returns; caches do
/// without.
///
/// # Errors
/// [`FsError::Io`]; the old file is untouched then.
pub fn write_atomic(path: &Path, bytes: &[u8], mode: Mode, durable: bool) -> Result<(), FsError> {
    let target = link_target(path);
    let failed = |error| FsError::io("write", path, error);
    let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = new_file(mode, parent).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    if let Ok(metadata) = fs::metadata(&target) {
        file.as_file().set_permissions(metadata.permissions()).map_err(failed)?;
    }
    if durable {
        file.as_file().sync_all().map_err(failed)?;
    }
    file.persist(&target).map_err(|error| failed(error.error))?;
    if durable {
        sync_dir(parent).map_err(failed)?;
    }
    Ok(())
}

/// Makes a directory, and what leads to it, that only the owner can enter. An existing one is left as it is.
///
/// # Errors
/// [`FsError::Io`].
pub fn create_private_dir(path: &Path) -> Result<(), FsError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| FsError::io("create", path, error))
}

/// Makes a new file with a random name between `prefix` and `suffix` that only the owner can read.
///
/// # Errors
/// [`FsError::Io`]; no file is left then.
pub fn create_private_file(dir: &Path, prefix: &str, suffix: &str, bytes: &[u8]) -> Result<PathBuf, FsError> {
    let failed = |error| FsError::io("write", dir, error);
    let mut file = tempfile::Builder::new()
        .prefix(prefix)
        .suffix(suffix)
        .rand_bytes(8)
        .tempfile_in(dir)
        .map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    let (_, path) = file.keep().map_err(|error| failed(error.error))?;
    Ok(path)
}

/// Follows links, also one whose target is not there yet.
fn link_target(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Ok(found) = fs::canonicalize(&target) {
            return found;
        }
        let Ok(next) = fs::read_link(&target) else { break };
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    target
}

/// Makes the file that will take the place of another. It is private unless the system decides.
fn new_file(mode: Mode, dir: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".wharf-");
    #[cfg(unix)]
    if mode == Mode::Default {
        // The mask of the process is taken off these.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = mode;
    builder.tempfile_in(dir)
}

#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "this crate is the door to files")]
fn sync_dir(dir: &Path) -> std::io::Result<()> {
    fs::File::open(dir)?.sync_all()
}

#[cfg(not(unix))]
fn sync_dir(_: &Path) -> std::io::Result<()> {
    Ok(())
}
