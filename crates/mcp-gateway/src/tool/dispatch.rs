//! From the parameters of a `tools/call` to its answer. Whatever goes wrong is an answer too.

use mcp_types::ToolOutput;
use serde_json::{Map, Value};
use wharf::Error;

use crate::tool::request::{self, Mode};
use crate::tool::{Caller, call, connect, describe, instructions, list, reply, search, status};

/// Runs the mode that the parameters ask for. Dropping the future cancels what it does.
pub(crate) async fn dispatch(caller: &Caller, parameters: Map<String, Value>) -> ToolOutput {
    let answer = match request::parse(parameters) {
        Ok(mode) => run(caller, mode).await,
        Err(error) => Err(error),
    };
    answer.unwrap_or_else(|error| reply::failure(&error))
}

async fn run(caller: &Caller, mode: Mode) -> Result<ToolOutput, Error> {
    let runtime = &caller.runtime;
    match mode {
        Mode::Call { tool, server, arguments } => {
            Box::pin(call::answer(caller, tool, server.as_deref(), arguments)).await
        }
        Mode::Connect { server } => Box::pin(connect::answer(runtime, &server)).await,
        Mode::Describe { tool, server } => Box::pin(describe::answer(runtime, tool, server.as_deref())).await,
        Mode::Instructions { server } => instructions::answer(runtime, &server),
        Mode::Search(search) => search::answer(runtime, search),
        Mode::List { server } => list::answer(runtime, &server),
        Mode::Status => Ok(status::answer(runtime)),
    }
}

#[cfg(test)]
#[path = "dispatch_tests.rs"]
mod tests;
