//! Sessions with child processes: start, drain, classify the end, leave nothing behind.

mod child;
mod guard;
mod process_group;
mod spawn;
mod stderr_ring;

use crate::classify::Failure;
use crate::connect_spec::StdioSpec;
use crate::connector::ConnectRequest;
use crate::establish::SessionResources;
use crate::session::Session;
use crate::stream;

use child::ChildProcess;
pub(crate) use guard::ProcessGuard;

/// Starts the process of a spec and opens a session over its standard streams.
pub(crate) async fn connect(
    request: ConnectRequest,
    spec: &StdioSpec,
    guard: &ProcessGuard,
) -> Result<Session, Failure> {
    let (child, stdin, stdout) = ChildProcess::start(&request.spec, spec, guard)?;
    let resources = SessionResources {
        transport: "stdio",
        process_id: child.process_id(),
        release: Box::new(move |how| Box::pin(child.end(how))),
        classify: |_| None,
    };
    stream::open(request, stdout, stdin, resources).await
}

#[cfg(all(test, unix))]
#[path = "stdio_tests.rs"]
mod tests;
