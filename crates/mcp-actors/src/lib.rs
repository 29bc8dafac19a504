//! Keeps every server in the state its spec asks for, and publishes what is.
//!
//! **Job.** Takes a desired set of servers, connects, lists, watches, drains and closes them as their lifecycles say,
//! leases their sessions to callers, and publishes one consistent state.
//!
//! **Not its job.** It reads no configuration and decides on no call: who may call what, how results are shown and
//! where definitions come from is known above. It speaks no protocol: sessions come from below.
//!
//! **Invariants.** S1–S8 of the server machine (`server/invariants.rs`): one live session per server, every request
//! answered once and in time, no dial that is not allowed, no busy loop. No actor ever waits for another, and none
//! waits for I/O. A server that fails never touches another. Whoever drops or shuts down a house leaves nothing behind.
//!
//! **Start reading at** [`HouseHandle`], then `server/machine.rs`, then `registry/machine.rs`.
//!
//! ```text
//!   apply ──▶ RegistryActor ──spec──▶ ServerActor ──effects──▶ tasks ──▶ Session
//!                 │   ▲                  │    ▲                   │
//!                 │   └───── report ─────┘    └───── events ──────┘
//!                 ▼                              ▲
//!           watch + broadcast ──▶ readers        └── acquire ── callers (a lease each)
//! ```
#![deny(missing_docs)]

pub mod bus;
pub mod house;
mod registry;
mod server;
pub mod snapshot;
pub mod status;
mod supervise;
mod tasks;

pub use bus::{CallEnd, CallEvent, Event, RosterReader, Subscription};
pub use house::{AcquireOptions, HouseHandle, HouseOptions, StartError};
pub use registry::effect::ShutdownReport;
pub use registry::event::Desired;
pub use server::backoff::BackoffSpec;
pub use server::event::LeaseOutcome;
pub use server::lease::Lease;
pub use server::refusal::Refusal;
pub use server::spec::{LifecycleMode, LifecycleSpec, MountSpec};
pub use snapshot::{ErrorLine, Life, ServerState, ServerStatus, StatusSnapshot};
pub use status::{ServerV1, StatusV1, status_v1};

#[cfg(test)]
mod shell_tests;
#[cfg(test)]
mod test_support;
