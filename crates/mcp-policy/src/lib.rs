//! May this call happen? A pure decision over rules, grants and facts.
//!
//! **Job.** Turns rules, what was granted before and the facts of one call into allow, ask or deny.
//!
//! **Not its job.** It asks nobody, reads no file and knows no clock.
//!
//! **Invariants.** Layers only narrow: no later rule admits what an earlier one refuses. The allow list settles a call
//! before any person is asked. A hint of a server never relaxes a rule that does not name hints. A grant holds for the
//! exact tool definition and arguments it was given for.
//!
//! **Start reading at** [`decide`].

mod decide;
mod facts;
mod grants;
mod pattern;
mod rules;

pub use decide::{AskReason, Decision, decide};
pub use facts::Facts;
pub use grants::{GrantScope, Grants};
pub use pattern::{Pattern, PatternError};
pub use rules::{ApprovalMode, ApproveTools, PolicyRules, ServerRules};
