//! Which tools exist, how they are named, found and shown.
//!
//! **Job.** Makes one immutable [`Roster`] of what the servers listed, gives every tool an outward name, leads a
//! caller's spelling to the tool that is meant, ranks tools for a search, renders schemas as text, and gives the
//! bytes of the catalogue that remembers lists between runs.
//!
//! **Not its job.** No I/O and no clock: the facade reads and writes the catalogue's bytes and says what time it is.
//! Whether a call may happen is decided elsewhere.
//!
//! **Invariants.** Within a server outward names are distinct, and each leads back to its tool. An outward name is
//! made here and never taken apart: a tool's identity is its [`ToolRef`](mcp_types::ToolRef). Every answer depends on
//! its inputs alone, byte for byte. Whatever a server wrote into a schema, rendering it ends, and the text is bounded.
//!
//! **Start reading at** [`roster`](Roster), then [`search`] and [`render`].
#![deny(missing_docs)]

mod builder;
pub mod cache;
mod diff;
mod expose;
mod filter;
mod listing;
mod naming;
pub mod render;
mod resolve;
mod roster;
mod search;

pub use builder::RosterBuilder;
pub use diff::{RosterDiff, diff};
pub use expose::{ExposeSpec, PrefixMode};
pub use listing::ServerListing;
pub use naming::{outward_name, prefix, resource_tool_name, sanitize_server, spellings};
pub use resolve::Resolution;
pub use roster::{Roster, RosterTool, ServerRoster, ToolKind};
pub use search::{DEFAULT_LIMIT, Hit, SearchError, SearchPage, SearchQuery, search};
