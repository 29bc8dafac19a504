//! What an HTTP answer that is no MCP message means. The only place where a status becomes a failure class.

use http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};
use rmcp::model::ErrorData;
use url::Url;

use super::endpoint::{Endpoint, origin_of};
use crate::classify::{Failure, FailureClass};

/// Bounds what is taken over from a header into a message.
const MAX_SHOWN_HEADER: usize = 128;
const MAX_CHALLENGE: usize = 8 * 1024;

/// What of a request matters for the meaning of its answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    /// It carried a session id.
    pub(super) in_session: bool,
    /// It carried credentials.
    pub(super) with_credentials: bool,
}

/// Judges a status that needs no look at the body; `None` when the body may still hold the answer.
pub(super) fn by_status(
    status: StatusCode,
    headers: &HeaderMap,
    endpoint: &Endpoint,
    asked: Asked,
) -> Option<Failure> {
    let host = endpoint.label();
    let challenge = || {
        let text = headers.get(WWW_AUTHENTICATE)?.to_str().ok()?;
        (text.len() <= MAX_CHALLENGE).then(|| text.to_owned())
    };
    if status == StatusCode::UNAUTHORIZED {
        let message = if asked.with_credentials {
            format!("{host} does not accept the credentials (HTTP 401)")
        } else {
            format!("{host} wants a sign-in (HTTP 401)")
        };
        return Some(Failure::new(FailureClass::AuthRequired { challenge: challenge() }, message));
    }
    if status == StatusCode::FORBIDDEN && headers.contains_key(WWW_AUTHENTICATE) {
        return Some(Failure::new(
            FailureClass::AuthRequired { challenge: challenge() },
            format!("{host} wants a sign-in with more rights (HTTP 403)"),
        ));
    }
    if status == StatusCode::NOT_FOUND && asked.in_session {
        return Some(session_expired(endpoint));
    }
    if status.is_redirection() {
        return Some(redirected(status, headers, endpoint));
    }
    None
}

/// Judges an error status whose body holds no JSON-RPC error. Nothing of the body is shown: it may hold secrets.
pub(super) fn by_body(
    status: StatusCode,
    headers: &HeaderMap,
    endpoint: &Endpoint,
    asked: Asked,
    body: &str,
) -> Failure {
    let host = endpoint.label();
    let names_session =
        matches!(status, StatusCode::BAD_REQUEST | StatusCode::GONE) && names_lost_session(body);
    if asked.in_session && names_session {
        return session_expired(endpoint);
    }
    let retry_after = shown(headers, &RETRY_AFTER)
        .map(|value| format!("; it asks to be tried again after {value}"))
        .unwrap_or_default();
    match status {
        StatusCode::TOO_MANY_REQUESTS => Failure::new(
            FailureClass::Unreachable,
            format!("{host} limits the number of requests (HTTP 429){retry_after}"),
        ),
        StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
            Failure::new(
                FailureClass::Unreachable,
                format!("{host} is not available (HTTP {}){retry_after}", status.as_u16()),
            )
        }
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => Failure::new(
            FailureClass::Protocol,
            format!(
                "{host} has no MCP endpoint at this URL (HTTP {}, {}); check its path",
                status.as_u16(),
                content_type(headers)
            ),
        ),
        _ => Failure::new(
            FailureClass::Protocol,
            format!("{host} answered HTTP {} with {}{retry_after}", status.as_u16(), content_type(headers)),
        ),
    }
}

/// Judges a success whose body is no MCP message.
pub(super) fn not_mcp(status: StatusCode, headers: &HeaderMap, endpoint: &Endpoint) -> Failure {
    Failure::new(
        FailureClass::Protocol,
        format!(
            "{} does not appear to speak MCP at this URL: it answered HTTP {} with {}",
            endpoint.label(),
            status.as_u16(),
            content_type(headers)
        ),
    )
}

/// Tells whether a JSON-RPC error says that the session is gone.
pub(super) fn error_names_lost_session(error: &ErrorData) -> bool {
    match error.code.0 {
        -32000 => matches!(
            error.message.trim().trim_end_matches('.'),
            "Server not initialized" | "Bad Request: Server not initialized"
        ),
        -32001 => error.message.trim().trim_end_matches('.').eq_ignore_ascii_case("session not found"),
        _ => false,
    }
}

/// Gives the failure of a session that the server no longer knows.
pub(super) fn session_expired(endpoint: &Endpoint) -> Failure {
    Failure::new(FailureClass::SessionExpired, format!("{} no longer knows the session", endpoint.label()))
}

/// Tells whether the text of a refusal says that the session is gone. General words do not count.
pub(super) fn names_lost_session(body: &str) -> bool {
    const SAYINGS: [&str; 8] = [
        "server not initialized",
        "session not found",
        "session expired",
        "invalid session",
        "unknown session",
        "no valid session",
        "session does not exist",
        "session has expired",
    ];
    let body = body.to_ascii_lowercase();
    SAYINGS.iter().any(|saying| body.contains(saying))
}

fn redirected(status: StatusCode, headers: &HeaderMap, endpoint: &Endpoint) -> Failure {
    let target = headers
        .get(LOCATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|location| endpoint.url().join(location).ok())
        .filter(Url::has_host);
    let host = endpoint.label();
    let code = status.as_u16();
    let message = match target {
        None => format!("{host} redirects to nowhere (HTTP {code})"),
        Some(target) if target.origin() == endpoint.url().origin() => format!(
            "{host} redirects the endpoint within itself in a way that loses requests (HTTP {code}); configure the \
             URL it redirects to"
        ),
        Some(target) => format!(
            "{host} redirects to {} (HTTP {code}), where the configured headers may not go; configure that URL if \
             it is right",
            origin_of(&target)
        ),
    };
    Failure::new(FailureClass::Protocol, message)
}

fn content_type(headers: &HeaderMap) -> String {
    shown(headers, &CONTENT_TYPE)
        .map_or_else(|| "no content type".to_owned(), |value| format!("content type {value}"))
}

fn shown<'a>(headers: &'a HeaderMap, name: &http::HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().filter(|value| value.len() <= MAX_SHOWN_HEADER)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    const FIRST: Asked = Asked { in_session: false, with_credentials: false };
    const LATER: Asked = Asked { in_session: true, with_credentials: true };

    fn judge(status: u16, headers: &[(http::HeaderName, &'static str)], asked: Asked, body: &str) -> Failure {
        let endpoint = Endpoint::parse("http://host.example:8080/mcp?key=canary").unwrap();
        let status = StatusCode::from_u16(status).unwrap();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(name, HeaderValue::from_static(value));
        }
        let failure = by_status(status, &map, &endpoint, asked)
            .unwrap_or_else(|| by_body(status, &map, &endpoint, asked, body));
        assert!(!failure.message.contains("canary"), "{}", failure.message);
        failure
    }

    fn class(
        status: u16,
        headers: &[(http::HeaderName, &'static str)],
        asked: Asked,
        body: &str,
    ) -> FailureClass {
        judge(status, headers, asked, body).class
    }

    #[test]
    fn a_401_asks_for_a_sign_in_with_or_without_a_challenge() {
        let with = [(WWW_AUTHENTICATE, "Bearer realm=\"x\"")];
        assert_eq!(class(401, &[], FIRST, ""), FailureClass::AuthRequired { challenge: None });
        assert_eq!(
            class(401, &with, FIRST, ""),
            FailureClass::AuthRequired { challenge: Some("Bearer realm=\"x\"".to_owned()) }
        );
        assert_eq!(
            class(403, &with, LATER, ""),
            FailureClass::AuthRequired { challenge: Some("Bearer realm=\"x\"".to_owned()) }
        );
        assert_eq!(class(403, &[], LATER, ""), FailureClass::Protocol);
        assert_eq!(
            judge(401, &[], LATER, "").message,
            "host.example:8080 does not accept the credentials (HTTP 401)"
        );
    }

    #[test]
    fn fc_015_a_session_is_lost_only_where_one_was() {
        let sdk = r#"{"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}"#;
        for (status, asked, body, lost) in [
            (404, LATER, "", true),
            (404, FIRST, "", false),
            (400, LATER, sdk, true),
            (400, LATER, "Bad Request: No valid session ID provided", true),
            (400, LATER, "bad request", false),
            (400, FIRST, sdk, false),
            (410, LATER, "session expired", true),
            (401, LATER, "session expired", false),
            (500, LATER, "invalid session", false),
        ] {
            assert_eq!(
                class(status, &[], asked, body) == FailureClass::SessionExpired,
                lost,
                "{status} {body}"
            );
        }
    }

    #[test]
    fn an_overloaded_server_is_quoted_with_its_retry_after() {
        assert_eq!(
            judge(503, &[(RETRY_AFTER, "30")], LATER, "<canary>"),
            Failure::new(
                FailureClass::Unreachable,
                "host.example:8080 is not available (HTTP 503); it asks to be tried again after 30"
            )
        );
        assert_eq!(
            judge(429, &[], LATER, "").message,
            "host.example:8080 limits the number of requests (HTTP 429)"
        );
    }

    #[test]
    fn fc_102_a_redirect_is_an_error_that_names_the_origin() {
        let failure = judge(301, &[(LOCATION, "https://other.example/x?token=canary")], FIRST, "");
        assert_eq!(failure.class, FailureClass::Protocol);
        assert!(failure.message.contains("https://other.example (HTTP 301)"), "{}", failure.message);
    }

    #[test]
    fn adapter_9_only_two_error_texts_mean_a_lost_session() {
        for (code, message, lost) in [
            (-32000, "Server not initialized", true),
            (-32000, "Bad Request: Server not initialized", true),
            (-32000, "Server not initialized yet", false),
            (-32001, "Session not found", true),
            (-32603, "Server not initialized", false),
        ] {
            let error = ErrorData::new(rmcp::model::ErrorCode(code), message, None);
            assert_eq!(error_names_lost_session(&error), lost, "{code} {message}");
        }
    }
}
