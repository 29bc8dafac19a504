//! One server: its machine (pure), its shell (the actor), and what callers hold of it (leases).
//!
//! ```text
//!   handle ──Acquire──▶ actor ──event──▶ machine ──effects──▶ run ──▶ tasks: connect, list, ping, close
//!     ▲                   ▲                                    │              │
//!     └──── Lease ────────┼────────────────────────────────────┘              │
//!                         └──────────────────── event ◀───────────────────────┘
//! ```

pub(crate) mod actor;
mod ask;
pub(crate) mod backoff;
pub(crate) mod cell;
mod connect;
mod drain;
pub(crate) mod effect;
pub(crate) mod event;
mod events_in;
mod fetch;
pub(crate) mod handle;
pub(crate) mod in_flight;
#[cfg(debug_assertions)]
mod invariants;
pub(crate) mod lease;
mod listed;
mod listings;
pub(crate) mod machine;
mod phase;
#[cfg(test)]
mod properties;
mod ready;
pub(crate) mod refusal;
pub(crate) mod report;
mod respec;
#[cfg(test)]
mod rig;
mod run;
pub(crate) mod spec;
mod waiters;

pub(crate) use drain::UNMOUNT_GRACE;
