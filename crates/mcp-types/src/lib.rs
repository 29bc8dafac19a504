//! The vocabulary of Wharf: names, counters, documents, codes and the `Host` port.
//!
//! **Job.** Gives every crate the same validated words for servers, tools, calls, results and failures.
//!
//! **Not its job.** No I/O, no clock, no async runtime, no protocol library.
//!
//! **Invariants.** A name that exists is valid. A counter never mixes with another. A document that came from a
//! server loses nothing on the way out again. A [`Secret`] never shows itself.
//!
//! **Start reading at** [`name`], then [`document`].
#![deny(missing_docs)]

pub mod call;
pub mod content;
pub mod counter;
pub mod diagnostic;
pub mod digest;
pub mod document;
pub mod error_code;
pub mod host;
mod lens;
pub mod name;
pub mod object;
pub mod output;
pub mod secret;

pub use call::{Arguments, CallId, CallRequest, CallTarget, Origin, SessionId};
pub use content::ContentBlock;
pub use counter::{Epoch, Generation, Version};
pub use diagnostic::{Diagnostic, Place, Severity};
pub use digest::Digest;
pub use document::{PromptSpec, ResourceSpec, ResourceTemplateSpec, ToolHints, ToolSpec};
pub use error_code::{ErrorCode, Retry};
pub use host::{ApprovalAnswer, ApprovalRequest, BoxFuture, HeadlessHost, Host, HostAbilities, Root};
pub use name::{NameError, PublicToolName, ServerName, ToolName, ToolRef};
pub use object::{DocumentError, RawObject};
pub use output::ToolOutput;
pub use secret::{Secret, SecretSource};
