//! What may leave: arguments on the way in, output on the way out.
//!
//! **Job.** Measures results, cuts what is too large for a model, and plans where the whole goes.
//!
//! **Not its job.** It writes no file: a [`SpillPlan`] is executed by the caller, who tells the path or the reason.
//!
//! **Invariants.** A guarded output never exceeds its limits. Text is cut between characters. What is within the limits
//! passes unchanged. Images are never counted or cut.
//!
//! **Start reading at** [`apply`].

mod apply;
mod arguments;
mod limit;
mod measure;
mod render;
mod rules;

pub use apply::{Guarded, SpillPlan, apply};
pub use arguments::{ArgumentsTooLarge, check_arguments};
pub use limit::cut;
pub use rules::{GuardReport, GuardRules};
