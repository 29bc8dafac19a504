//! Opens one session with one server, asks it things, and closes it for certain.
//!
//! **Job.** Connects over standard streams, HTTP or any byte stream, speaks the protocol, bounds everything that comes
//! in, classifies what goes wrong, and leaves no process behind.
//!
//! **Not its job.** It never reconnects, retries or caches; it knows no configuration and no policy. When to connect
//! and what to do about a failure is decided above.
//!
//! **Invariants.** A document that came from a server leaves as it was written. Notifications are delivered in the
//! order of the wire, and progress before its reply. A reply reaches its own request or nobody. Every request ends:
//! with its reply, at its bound, with the session, or with its caller. A closed session has no process left.
//!
//! **Start reading at** [`session`], then `tap` (the message path), `stream` and `stdio`.

pub mod classify;
mod clock;
pub mod connect_spec;
pub mod connector;
mod convert;
mod establish;
pub mod event;
mod facts;
mod framing;
mod http;
mod hub;
mod pager;
mod questions;
mod request;
mod revision;
pub mod session;
mod stdio;
pub mod stream;
mod tap;
#[cfg(test)]
mod test_support;
mod wire;

pub use classify::{Failure, FailureClass};
pub use connect_spec::{
    BaseEnv, ClientInfo, ConnectSpec, HttpSpec, ProtocolEra, StdioSpec, Timeouts, TransportLimits,
    TransportSpec,
};
pub use connector::{ConnectRequest, Connector, SystemConnector};
pub use event::{EventSink, ListKind, SessionEvent};
pub use session::{
    Capabilities, CloseReport, Listed, Progress, ProgressFn, RequestOptions, Session, SessionFacts,
};
pub use stream::open_stream;
