//! The only door to files.
//!
//! **Job.** Reads with a bound, writes in one step, keeps private things private, locks across processes.
//!
//! **Not its job.** No formats, no async (callers use `spawn_blocking`), no knowledge of what a file is for.
//!
//! **Invariants.** A reader never sees half a file. A read never exceeds its bound. An error names path and operation.
//!
//! **Start reading at** [`read_bounded`] and [`write_atomic`].

mod error;
mod lock;
mod path;
mod read;
mod write;

pub use error::FsError;
pub use lock::FileLock;
pub use path::{expand_home, is_file, list_dir, remove_dir_all};
pub use read::{read_bounded, read_text_bounded};
pub use write::{Mode, create_private_dir, create_private_file, write_atomic};
