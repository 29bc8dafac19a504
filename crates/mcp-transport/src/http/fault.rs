//! What went wrong below HTTP, in words without secrets.

use std::error::Error as StdError;
use std::io;

use rmcp::transport::streamable_http_client::StreamableHttpError;

use crate::classify::{Failure, FailureClass};

/// Judges a request that brought no answer.
pub(super) fn of_send(error: &reqwest::Error, host: &str) -> Failure {
    if error.is_connect() {
        let message = format!("could not connect to {host}: {}", root_cause(error));
        return Failure::new(FailureClass::Unreachable, message);
    }
    if error.is_builder() {
        let message = format!("the request to {host} could not be made: {}", root_cause(error));
        return Failure::new(FailureClass::Unreachable, message);
    }
    of_body(error, host)
}

/// Judges a body that broke off.
pub(super) fn of_body(error: &reqwest::Error, host: &str) -> Failure {
    Failure::new(FailureClass::Closed, format!("the connection to {host} broke: {}", root_cause(error)))
}

/// Judges a stream that could not be taken up again.
pub(super) fn of_resumption(error: &StreamableHttpError<Failure>, host: &str) -> Failure {
    of_transport(error).unwrap_or_else(|| {
        Failure::new(FailureClass::Closed, format!("{host} ended its answer and does not go on with it"))
    })
}

/// Finds our failure in an error of rmcp's transport.
pub(super) fn find_failure(error: &(dyn StdError + 'static)) -> Option<Failure> {
    let mut next = Some(error);
    while let Some(current) = next {
        if let Some(error) = current.downcast_ref::<StreamableHttpError<Failure>>() {
            return of_transport(error);
        }
        next = current.source();
    }
    None
}

fn of_transport(error: &StreamableHttpError<Failure>) -> Option<Failure> {
    if let StreamableHttpError::Client(failure) = error {
        return Some(failure.clone());
    }
    // Our client gives all its failures in the variant above; this one is rmcp's own.
    matches!(error, StreamableHttpError::ControlRequestTimeout)
        .then(|| Failure::new(FailureClass::Timeout, "the server did not take a message in time"))
}

/// Gives the innermost error: the outer ones only say that something failed, and one of them shows the URL.
fn root_cause(error: &reqwest::Error) -> String {
    let mut innermost: Option<&(dyn StdError + 'static)> = None;
    let mut next = error.source();
    while let Some(current) = next {
        if let Some(error) = current.downcast_ref::<io::Error>()
            && error.kind() == io::ErrorKind::ConnectionRefused
        {
            return "the connection was refused".to_owned();
        }
        innermost = Some(current);
        next = current.source();
    }
    if error.is_timeout() {
        return "it took too long".to_owned();
    }
    innermost.map_or_else(
        || "no reason was given".to_owned(),
        |error| error.to_string().replace(['\n', '\r'], " "),
    )
}
