//! A lock between processes.

use std::fs::{File, OpenOptions};
use std::path::Path;

use crate::error::FsError;

/// Holds an exclusive lock on a file until it is dropped. The file stays; only its lock counts.
#[derive(Debug)]
#[must_use = "dropping the lock releases it"]
pub struct FileLock {
    file: File,
}

impl FileLock {
    /// Waits for the lock. Holders keep it for the time of one small file operation.
    ///
    /// # Errors
    /// [`FsError::Io`] when the file cannot be opened or locked.
    pub fn acquire(path: &Path) -> Result<Self, FsError> {
        let failed = |error| FsError::io("lock", path, error);
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path).map_err(failed)?;
        file.lock().map_err(failed)?;
        Ok(Self { file })
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // The system releases the lock with the file as well; nothing is lost if this fails.
        let _released = self.file.unlock();
    }
}
