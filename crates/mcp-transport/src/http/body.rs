//! Bounded reads of bodies: nothing of a server is taken into memory whole without a limit.

use http::HeaderMap;
use http::header::CONTENT_TYPE;

use super::fault;
use crate::classify::{Failure, FailureClass};

/// What a body claims to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MediaType {
    Json,
    EventStream,
    /// No content type at all: some servers leave it out beside a good message.
    Unnamed,
    Other,
}

pub(super) fn media_type(headers: &HeaderMap) -> MediaType {
    let Some(value) = headers.get(CONTENT_TYPE) else { return MediaType::Unnamed };
    let essence = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        MediaType::Json
    } else if essence.eq_ignore_ascii_case("text/event-stream") {
        MediaType::EventStream
    } else {
        MediaType::Other
    }
}

/// Reads a body that must be complete. One byte over the limit is [`FailureClass::TooLarge`]. The announced length is
/// used only to refuse early.
pub(super) async fn read_capped(
    mut response: reqwest::Response,
    limit: usize,
    host: &str,
) -> Result<String, Failure> {
    let announced = response.content_length().and_then(|length| usize::try_from(length).ok());
    if announced.is_some_and(|length| length > limit) {
        return Err(too_large(host, limit));
    }
    let mut body = Vec::new();
    loop {
        let Some(chunk) = response.chunk().await.map_err(|error| fault::of_body(&error, host))? else {
            return Ok(into_text(body));
        };
        if chunk.len() > limit - body.len() {
            return Err(too_large(host, limit));
        }
        body.extend_from_slice(&chunk);
    }
}

/// Reads at most `limit` bytes of a body that is only looked at. A broken body gives what came before.
pub(super) async fn read_prefix(mut response: reqwest::Response, limit: usize) -> String {
    let mut body = Vec::new();
    while body.len() < limit {
        let Ok(Some(chunk)) = response.chunk().await else { break };
        let room = limit - body.len();
        body.extend(chunk.iter().take(room));
    }
    into_text(body)
}

/// Gives the failure of a message over the limit.
pub(super) fn too_large(host: &str, limit: usize) -> Failure {
    Failure::new(
        FailureClass::TooLarge { limit },
        format!("{host} sent a message of more than {limit} bytes"),
    )
}

fn into_text(body: Vec<u8>) -> String {
    let text = String::from_utf8(body)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_media_type_is_told_without_its_parameters_and_case() {
        for (value, expect) in [
            (Some("application/json"), MediaType::Json),
            (Some("Application/JSON ; charset=utf-8"), MediaType::Json),
            (Some("text/event-stream;charset=UTF-8"), MediaType::EventStream),
            (Some("text/html"), MediaType::Other),
            (Some("application/jsonp"), MediaType::Other),
            (None, MediaType::Unnamed),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(value) = value {
                headers.insert(CONTENT_TYPE, HeaderValue::from_static(value));
            }
            assert_eq!(media_type(&headers), expect, "{value:?}");
        }
    }
}
