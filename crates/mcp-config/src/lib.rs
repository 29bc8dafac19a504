//! Configuration: files in, one snapshot with diagnostics and origins out.
//!
//! **Job.** Finds the files, reads each once, merges them by precedence, checks every entry and says where each value
//! comes from. Gives the reference, the schema and the printable form from the same table of keys.
//!
//! **Not its job.** No lowering to specs (the facade), no secret commands run, no variable read before it is asked
//! for, nothing written.
//!
//! **Invariants.** Loading never fails as a whole: a bad file loses that file, a bad entry loses that entry, and each
//! loss is a diagnostic. Credentials never travel to another URL or command. What a project's file says about policy
//! only narrows what the user's files say. No diagnostic and no printed form holds a secret.
//!
//! **Start reading at** [`load`], then `source.rs` (which files), `merge.rs` (what inherits what), `entry.rs` (what an
//! entry becomes). [`KEYS`] is the one list of all keys.
#![deny(missing_docs)]

mod diagnose;
mod entry;
mod field;
pub mod interpolate;
mod key_table;
mod keys;
mod layer;
mod load;
mod merge;
mod near;
mod own_entry;
mod parse;
mod policy;
mod raw;
mod redact;
mod reference;
mod schema;
mod settings;
mod show;
mod snapshot;
mod source;
mod transport;

pub use interpolate::{Dialect, Expanded, Resolved};
pub use keys::{KEYS, Key, Kind, Scope, Support};
pub use load::{MAX_FILE_BYTES, load};
pub use reference::reference_markdown;
pub use schema::schema;
pub use settings::{Approvals, OutputGuard, Settings};
pub use show::show;
pub use snapshot::{
    Approval, ApproveTools, ConfigSnapshot, FileReport, FileState, Lifecycle, SecretText, ServerEntry,
    ToolPrefix, TransportEntry,
};
pub use source::{ConfigRequest, Layer};
