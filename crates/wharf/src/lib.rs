//! Wharf for embedding: mount any number of MCP servers, find, describe and call their tools, and let none of them
//! harm the others.
//!
//! **Job.** Joins configuration, actors, catalogue, policy and guard into one [`Runtime`]; owns the call path.
//!
//! **Not its job.** It opens no listener, installs no subscriber, panic hook or signal handler, reads no process state
//! but through [`Environment`], and knows nothing of printing or of being an MCP server.
//!
//! **Invariants.** Every call takes the one path of `call.rs`; every started call ends in exactly one terminal event.
//! Rules are swapped before rosters. Several runtimes live in one process. Public items name no foreign protocol type.
//!
//! **Start reading at** `call.rs`, then `runtime.rs`, `mounts.rs` and `lower/`.
//!
//! ```no_run
//! # async fn example() -> Result<(), wharf::Error> {
//! let runtime = wharf::Runtime::builder().discover(".")?.build().await?;
//! let page = runtime.search(&wharf::SearchQuery::new("take a screenshot"))?;
//! for hit in &page.hits {
//!     println!("{}", hit.tool.name);
//! }
//! runtime.shutdown(std::time::Duration::from_secs(5)).await;
//! # Ok(())
//! # }
//! ```
#![deny(missing_docs)]

mod agent;
mod builder;
mod call;
mod catalogue;
mod clock;
mod deadline;
mod definition;
mod environment;
mod error;
mod explain;
mod lifecycle;
mod lower;
mod mounts;
mod permit;
mod registration;
mod resource;
mod rules;
mod runtime;
mod spill;
mod store;
mod unresolved;

pub use mcp_actors::{
    CallEnd, CallEvent, Event, Life, RosterReader, ServerStatus, ShutdownReport, StatusSnapshot, StatusV1,
    Subscription,
};
pub use mcp_catalog::{
    Hit, PrefixMode, Roster, RosterTool, SearchPage, SearchQuery, ServerListing, ServerRoster, ToolKind,
    render,
};
pub use mcp_config::{self as config, ConfigSnapshot};
pub use mcp_guard::GuardReport;
pub use mcp_transport::{Connector, Progress};
pub use mcp_types::{
    ApprovalAnswer, ApprovalRequest, Arguments, BoxFuture, CallId, CallRequest, CallTarget, ContentBlock,
    Diagnostic, DocumentError, Epoch, ErrorCode, Generation, HeadlessHost, Host, HostAbilities, Origin,
    Place, PromptSpec, PublicToolName, RawObject, ResourceSpec, ResourceTemplateSpec, Retry, Root, Secret,
    ServerName, SessionId, Severity, ToolHints, ToolName, ToolOutput, ToolRef, ToolSpec, Version,
};

pub use agent::Agent;
pub use builder::RuntimeBuilder;
pub use call::{CallOutput, ProgressSink};
pub use definition::ServerDefinition;
pub use environment::{DEPTH_VARIABLE, Environment, MAX_DEPTH};
pub use error::Error;
pub use lifecycle::{MountReport, ReloadReport};
pub use registration::Registration;
pub use runtime::Runtime;

/// The examples of the README are compiled with the other documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ReadmeExamples;
