//! From inner failures to the public error: what, where, why, and what to do next.

use std::fmt::Write as _;

use mcp_actors::Refusal;
use mcp_catalog::Resolution;
use mcp_transport::{Failure, FailureClass};
use mcp_types::{CallTarget, ErrorCode, ServerName, ToolRef};

use crate::error::Error;

/// The most characters of an unknown name that an error repeats.
const MAX_SHOWN_CHARS: usize = 160;

pub(crate) fn unresolved(target: &CallTarget, resolution: Resolution) -> Error {
    let error = match resolution {
        Resolution::Disabled { server } => disabled(&server),
        Resolution::UnknownServer { suggestions } => {
            let server = target.server.as_ref().map(ToString::to_string).unwrap_or_default();
            server_not_found(&server, suggestions.iter().map(ToString::to_string).collect())
        }
        Resolution::Ambiguous { candidates } => {
            let mut names: Vec<String> = candidates.iter().map(|tool| tool.reference.to_string()).collect();
            names.sort();
            Error::new(
                ErrorCode::AmbiguousTool,
                format!("{:?} is offered by {} servers", shown(&target.tool), names.len()),
            )
            .with_hint("name the server as well")
            .with_suggestions(names)
        }
        Resolution::Discover { servers } => {
            let names: Vec<String> = servers.iter().map(ToString::to_string).collect();
            Error::new(
                ErrorCode::NotConnected,
                format!("the tools of {} are not known yet", names.join(", ")),
            )
            .with_hint(format!(
                "connect it first: wharf connect {}",
                names.first().map_or("", String::as_str)
            ))
        }
        Resolution::Unknown { server, suggestions } => {
            let place = server.as_ref().map(|name| format!(" on server {name}")).unwrap_or_default();
            let error =
                Error::new(ErrorCode::ToolNotFound, format!("no tool {:?}{place}", shown(&target.tool)))
                    .with_suggestions(suggestions.iter().map(ToString::to_string));
            match &server {
                Some(name) => error.with_hint(format!("list its tools: wharf list {name}")).for_server(name),
                None => error.with_hint("search for it: wharf search WORDS, or list all tools: wharf list"),
            }
        }
        Resolution::Found(tool) => Error::new(ErrorCode::Internal, "a found tool was reported as unresolved")
            .for_tool(&tool.reference),
    };
    error.for_name(shown(&target.tool))
}

/// Gives the beginning of what a caller wrote: enough to recognise it, never a flood.
fn shown(text: &str) -> String {
    text.chars().take(MAX_SHOWN_CHARS).collect()
}

pub(crate) fn server_not_found(server: &str, suggestions: Vec<String>) -> Error {
    Error::new(ErrorCode::ServerNotFound, format!("no server {:?} is configured", shown(server)))
        .with_hint("see the configured servers: wharf status")
        .with_suggestions(suggestions)
}

pub(crate) fn not_connected(server: &ServerName) -> Error {
    Error::new(ErrorCode::NotConnected, format!("{server} was never connected, so nothing is known of it"))
        .with_hint(format!("connect it first: wharf connect {server}"))
        .for_server(server)
}

pub(crate) fn disabled(server: &ServerName) -> Error {
    Error::new(ErrorCode::ServerDisabled, format!("server {server} is disabled"))
        .with_hint("remove `\"disabled\": true` from its entry")
        .for_server(server)
}

pub(crate) fn vanished(tool: &ToolRef) -> Error {
    Error::new(
        ErrorCode::ToolNotFound,
        format!("server {} no longer offers the tool {}", tool.server, tool.tool),
    )
    .with_hint(format!("see what it offers now: wharf list {}", tool.server))
    .for_tool(tool)
}

pub(crate) fn unmounted(tool: &ToolRef) -> Error {
    Error::new(
        ErrorCode::ServerUnmounted,
        format!("server {} was unmounted before the answer came", tool.server),
    )
    .for_tool(tool)
}

pub(crate) fn unstable_definition(tool: &ToolRef) -> Error {
    Error::new(
        ErrorCode::ProtocolError,
        format!("the definition of {tool} changed twice while the call was being prepared"),
    )
    .with_hint("look at the tool again before calling it")
    .for_tool(tool)
}

pub(crate) fn failure(tool: &ToolRef, failure: &Failure) -> Error {
    let error = of_server(&tool.server, failure);
    error.for_tool(tool)
}

/// Explains a failure of a server's connection or of a request to it.
pub(crate) fn of_server(server: &ServerName, failure: &Failure) -> Error {
    let named = failure.message.contains(&format!("`{server}`"));
    let mut message =
        if named { failure.message.clone() } else { format!("server `{server}`: {}", failure.message) };
    if let FailureClass::Exited { stderr_tail, .. } = &failure.class
        && !stderr_tail.is_empty()
        && !stderr_tail.iter().all(|line| failure.message.contains(line.as_str()))
    {
        let _written = write!(message, " (stderr: {})", stderr_tail.join(" | "));
    }
    let error = Error::new(failure.code(), message).for_server(server);
    match hint(server, &failure.class) {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

fn hint(server: &ServerName, class: &FailureClass) -> Option<String> {
    if let FailureClass::Exited { .. } = class {
        return Some("run the command by hand to see why it ends; other servers are not affected".to_owned());
    }
    if let FailureClass::Unreachable = class {
        return Some(format!("check its command or address: wharf config show {server}"));
    }
    if let FailureClass::Timeout = class {
        return Some("raise `timeout` for this server, or try again".to_owned());
    }
    if let FailureClass::AuthRequired { .. } = class {
        return Some("give the server a `bearer` token or `headers` in its entry".to_owned());
    }
    if let FailureClass::TooLarge { .. } = class {
        return Some("raise `maxMessageBytes` for this server, or ask for less".to_owned());
    }
    None
}

pub(crate) fn refusal(server: &ServerName, refusal: &Refusal) -> Error {
    let code = refusal.code();
    let error = match refusal {
        Refusal::Disabled => return disabled(server),
        Refusal::Unknown => return server_not_found(server.as_str(), Vec::new()),
        Refusal::ConnectFailed(failure) => return of_server(server, failure),
        Refusal::Backoff { failed_ago, retry_in, last } => Error::new(
            code,
            format!(
                "{server} failed {}s ago ({}); the next attempt is due in {}s",
                failed_ago.as_secs(),
                last.message,
                retry_in.as_secs()
            ),
        )
        .with_hint(format!("try at once: wharf connect {server}")),
        Refusal::NeedsAuth { .. } => Error::new(code, format!("{server} wants a sign-in"))
            .with_hint("give the server a `bearer` token or `headers` in its entry"),
        Refusal::StillStarting => Error::new(code, format!("{server} is still starting"))
            .with_hint("ask again in a few seconds; the start goes on"),
        Refusal::Overloaded => {
            Error::new(code, format!("{server} has as many calls in flight as it may have"))
                .with_hint("try again later, or raise `rateLimit.maxInFlight`")
        }
        Refusal::Unmounted | Refusal::ShuttingDown | _ => Error::new(code, format!("{server} was unmounted")),
    };
    error.for_server(server)
}
