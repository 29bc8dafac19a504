//! Fakes below the actors: a scripted server, a connector without processes, a programmed host, a faulty stream.
//!
//! **Job.** Lets tests run real sessions against a server they script, in memory and under paused time.
//!
//! **Not its job.** Real processes and sockets. Nothing above the transport is faked here.
//!
//! **Invariants.** A script does only what it was told. Counts are exact. Nothing waits on time but what a script
//! says.
//!
//! **Start reading at** [`connector`], then [`script`].

pub mod connector;
pub mod fault;
pub mod host;
pub mod script;
mod server;

pub use connector::FakeConnector;
pub use fault::{FaultPlan, FaultTransport};
pub use host::FakeHost;
pub use script::{Answer, ReceivedCall, Script, ScriptHandle};

#[cfg(test)]
#[path = "kit_tests.rs"]
mod tests;
