//! The catalogue on disk: read once at the start, merged and written when a server told something new.
//!
//! Several processes may share the file. A write takes a lock, reads what is there, lays its own entries over it and
//! replaces the file in one step; what another process learned in between stays.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use mcp_catalog::{ServerListing, cache};
use mcp_fs::FileLock;
use mcp_types::{Diagnostic, ServerName, Severity};

/// The largest catalogue that is read.
const MAX_CATALOGUE_BYTES: u64 = 256 * 1024 * 1024;
/// An unchanged listing is written again only when its entry is older than this.
const REFRESH_AFTER_MS: u64 = 60 * 60 * 1000;

/// The entries of the catalogue by server.
pub(crate) type Entries = BTreeMap<ServerName, cache::CacheEntry>;

/// The place of the catalogue and of spilled results.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    dir: PathBuf,
}

/// What was found at the start.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) entries: Entries,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// False when there was no file at all: nobody ever learned what the servers offer.
    pub(crate) found: bool,
}

impl Store {
    pub(crate) fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    fn catalogue(&self) -> PathBuf {
        self.dir.join("catalogue.json")
    }

    pub(crate) fn spill_dir(&self) -> PathBuf {
        self.dir.join("results")
    }

    /// Reads the catalogue. A damaged file is reported and counts as empty; it is replaced at the next write.
    pub(crate) fn load(&self) -> Loaded {
        let path = self.catalogue();
        match mcp_fs::read_bounded(&path, MAX_CATALOGUE_BYTES) {
            Ok(bytes) => {
                let (entries, diagnostics) = cache::decode(&bytes);
                Loaded { entries, diagnostics, found: true }
            }
            Err(error) if error.is_not_found() => Loaded::default(),
            Err(error) => Loaded {
                entries: Entries::new(),
                diagnostics: vec![
                    Diagnostic::new("catalogue_unreadable", Severity::Warning, error.to_string())
                        .with_hint("the servers are asked again; delete the file if this stays"),
                ],
                found: true,
            },
        }
    }

    /// Lays `learned` over what the file holds now and replaces it.
    pub(crate) fn merge(&self, learned: &Entries) -> Result<(), mcp_fs::FsError> {
        mcp_fs::create_private_dir(&self.dir)?;
        let _lock = FileLock::acquire(&self.dir.join("catalogue.lock"))?;
        let mut entries = self.load().entries;
        entries.extend(learned.iter().map(|(name, entry)| (name.clone(), entry.clone())));
        mcp_fs::write_atomic(&self.catalogue(), &cache::encode(&entries), mcp_fs::Mode::Private, false)
    }

    /// Writes a result that was too large to return whole into a private file.
    pub(crate) fn spill(&self, text: &str) -> Result<PathBuf, mcp_fs::FsError> {
        let dir = self.spill_dir();
        mcp_fs::create_private_dir(&dir)?;
        mcp_fs::create_private_file(&dir, "output-", ".txt", text.as_bytes())
    }
}

/// Tells whether what a server says now is worth a write.
pub(crate) fn is_news(
    known: Option<&cache::CacheEntry>,
    hash: &str,
    listing: &Arc<ServerListing>,
    now_ms: u64,
) -> bool {
    let Some(entry) = known else { return true };
    if entry.spec_hash != hash {
        return true;
    }
    // The very listing that came from the file says nothing about the server's present.
    if Arc::ptr_eq(&entry.listing, listing) {
        return false;
    }
    now_ms.saturating_sub(entry.cached_at_ms) > REFRESH_AFTER_MS || entry.listing != *listing
}
