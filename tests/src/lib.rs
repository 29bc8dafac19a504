//! Tests of Wharf against real processes and sockets, through its public faces only.
//!
//! **Job.** Proves what a user relies on: commands, exit codes, JSON shapes, real servers, clean endings.
//!
//! **Not its job.** No fakes of Wharf's own parts, no private items.
//!
//! **Invariants.** Nothing sleeps to wait; each test waits on an exit, an event or a version. Every process that a test
//! starts is ended by it, by pid.
//!
//! **Start reading at** `tests/cli/main.rs`; [`stub_server`](../stub_server/index.html) is the server most tests mount.
