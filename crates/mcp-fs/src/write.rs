//! Writing in one step, and private places.

use std::fs::{self, DirBuilder};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::error::FsError;

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
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let failed = |error| FsError::io("write", path, error);
    let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".wharf-").tempfile_in(parent).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    match fs::metadata(&target) {
        Ok(metadata) => file.as_file().set_permissions(metadata.permissions()).map_err(failed)?,
        Err(_) => set_mode(file.as_file(), mode).map_err(failed)?,
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

#[cfg(unix)]
fn set_mode(file: &fs::File, mode: Mode) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let bits = match mode {
        Mode::Private => 0o600,
        Mode::Default => 0o644,
    };
    file.set_permissions(fs::Permissions::from_mode(bits))
}

#[cfg(not(unix))]
fn set_mode(_: &fs::File, _: Mode) -> std::io::Result<()> {
    Ok(())
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
