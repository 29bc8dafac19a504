//! The catalogue as bytes: what servers listed, remembered between runs.
//!
//! A text of lines. The first says format and version. Then each server has a line of its own, which says how many
//! definitions follow, and those follow, one to a line, each under a letter for its kind. Splitting lines costs next to
//! nothing, so a definition is parsed once, by the type that holds it. A definition stands as its server wrote it; one
//! written over several lines stands as a JSON string. Whatever is broken loses its server, or only itself where it is
//! a definition.

mod read;
mod write;

use std::sync::Arc;

use crate::listing::ServerListing;

pub use read::decode;
pub use write::encode;

/// How long an entry may be used, in milliseconds: seven days.
pub const MAX_AGE_MS: u64 = 7 * 24 * 60 * 60 * 1_000;
/// The version that is written, and the only one that is read.
const VERSION: u32 = 1;
/// What the first line says besides the version.
const FORMAT: &str = "mcp-catalog";

/// What is remembered of one server.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheEntry {
    /// Hash of the definition the server was listed under.
    pub spec_hash: String,
    /// When it was listed, in milliseconds of the Unix epoch.
    pub cached_at_ms: u64,
    /// What it listed.
    pub listing: Arc<ServerListing>,
}

impl CacheEntry {
    /// Tells whether the entry may be used for a server of this hash: the hash is the same and the entry is at most
    /// seven days old. One from further in the future than that is wrong about its time and not used either.
    pub fn is_valid(&self, hash: &str, now_ms: u64) -> bool {
        self.spec_hash == hash && now_ms.abs_diff(self.cached_at_ms) <= MAX_AGE_MS
    }
}

/// The first line.
#[derive(serde::Serialize, serde::Deserialize)]
struct Header {
    format: String,
    version: u32,
}

/// The letter before a definition, by its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tool,
    Resource,
    ResourceTemplate,
    Prompt,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Tool, Self::Resource, Self::ResourceTemplate, Self::Prompt];

    const fn letter(self) -> char {
        match self {
            Self::Tool => 't',
            Self::Resource => 'r',
            Self::ResourceTemplate => 'm',
            Self::Prompt => 'p',
        }
    }
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
