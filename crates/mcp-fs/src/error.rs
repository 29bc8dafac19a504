//! What can go wrong with a file: which one, doing what, and why.

use std::io;
use std::path::{Path, PathBuf};

/// A failed file operation. Its text names the path and the reason.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FsError {
    /// The system refused.
    #[error("cannot {operation} {}: {source}", path.display())]
    Io {
        /// What was tried, such as `read`.
        operation: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The answer of the system.
        #[source]
        source: io::Error,
    },
    /// The file is larger than the reader accepts.
    #[error("{} has more than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file is no UTF-8 text.
    #[error("{} is not UTF-8 text: byte {valid_up_to} cannot be read", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// How many bytes from the start are text.
        valid_up_to: usize,
    },
}

impl FsError {
    pub(crate) fn io(operation: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { operation, path: path.to_owned(), source }
    }

    /// Tells whether the file simply is not there.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    /// Gives the path concerned.
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. } | Self::TooLarge { path, .. } | Self::NotText { path, .. } => path,
        }
    }
}
