//! Where the requests go and what every one of them carries: the checked URL, the static headers, the HTTP client.

use std::time::Duration;

use http::header::{
    ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, TRANSFER_ENCODING, UPGRADE,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use reqwest::redirect;
use url::{Host, Url};

use crate::classify::{Failure, FailureClass};
use crate::connect_spec::HttpSpec;

/// The header that names a session.
pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// The header with which a stream is taken up again.
pub(super) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// The transport sets these itself; a configured value would break the framing or the session.
const OWNED_HEADERS: [HeaderName; 10] = [
    ACCEPT,
    CONNECTION,
    CONTENT_LENGTH,
    CONTENT_TYPE,
    HOST,
    TRANSFER_ENCODING,
    UPGRADE,
    SESSION_ID,
    LAST_EVENT_ID,
    PROTOCOL_VERSION,
];

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Common servers close a silent connection after 5 s. We let go earlier, so that no request meets a connection
/// that is being closed.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(4);
const POOL_IDLE_CONNECTIONS: usize = 16;
const TCP_KEEPALIVE: Duration = Duration::from_secs(30);
const MAX_REDIRECTS: usize = 5;

/// A checked URL. `Debug` and every message show the host alone: user names, paths and queries may be secret.
#[derive(Clone)]
pub(super) struct Endpoint {
    url: Url,
    label: String,
}

impl Endpoint {
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let url = Url::parse(text.trim())
            .map_err(|error| misconfigured(format!("the URL is not valid: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(misconfigured("the URL does not begin with http:// or https://".to_owned()));
        }
        let label = label_of(&url);
        Ok(Self { url, label })
    }

    pub(super) const fn url(&self) -> &Url {
        &self.url
    }

    /// Gives host and port, safe to show.
    pub(super) fn label(&self) -> &str {
        &self.label
    }

    fn is_encrypted(&self) -> bool {
        self.url.scheme() == "https"
    }

    fn is_loopback(&self) -> bool {
        match self.url.host() {
            Some(Host::Domain(name)) => name.trim_end_matches('.').eq_ignore_ascii_case("localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }

    /// Builds the HTTP client: bounded connects, reused connections, redirects within the origin only, and no
    /// limit on the length of a request, because streams live long.
    pub(super) fn agent(&self) -> Result<reqwest::Client, Failure> {
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("wharf/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_idle_timeout(POOL_IDLE_TIMEOUT)
            .pool_max_idle_per_host(POOL_IDLE_CONNECTIONS)
            .tcp_keepalive(TCP_KEEPALIVE)
            .tcp_nodelay(true)
            .referer(false)
            .redirect(redirect::Policy::custom(follow_within_origin));
        if self.is_loopback() {
            builder = builder.no_proxy();
        }
        if !self.is_encrypted() {
            // Redirects stay within the origin, so no certificate will be checked: the trust store, which costs
            // time and memory, is not loaded.
            builder = builder.tls_certs_only([]);
        }
        builder.build().map_err(|error| {
            misconfigured(format!("the HTTP client could not be set up: {}", error.without_url()))
        })
    }
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Endpoint").field(&self.label).finish()
    }
}

/// Turns the configured headers and the bearer token into header fields that no log shows.
pub(super) fn static_headers(spec: &HttpSpec) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    for (name, value) in &spec.headers {
        let Ok(header) = HeaderName::try_from(name.trim()) else {
            return Err(misconfigured(format!("{:?} is not a legal HTTP header name", one_word(name))));
        };
        if OWNED_HEADERS.contains(&header) {
            tracing::warn!(%header, "the transport sets this header itself; the configured value is ignored");
            continue;
        }
        headers.append(header, secret_value(name, value.expose())?);
    }
    if let Some(token) = &spec.bearer
        && !headers.contains_key(AUTHORIZATION)
    {
        headers.insert(AUTHORIZATION, secret_value("Authorization", &format!("Bearer {}", token.expose()))?);
    }
    Ok(headers)
}

fn secret_value(name: &str, value: &str) -> Result<HeaderValue, Failure> {
    let Ok(mut value) = HeaderValue::from_str(value.trim()) else {
        return Err(misconfigured(format!(
            "the value of the header {} holds characters that HTTP does not allow, such as a line break",
            one_word(name)
        )));
    };
    value.set_sensitive(true);
    Ok(value)
}

/// Gives scheme, host and port of a URL: all of it that may be shown.
pub(super) fn origin_of(url: &Url) -> String {
    format!("{}://{}", url.scheme(), label_of(url))
}

fn label_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// Header names come from a file: what is shown of a bad one is short and on one line.
fn one_word(name: &str) -> String {
    name.chars().filter(|character| !character.is_control()).take(60).collect()
}

fn misconfigured(message: String) -> Failure {
    Failure { class: FailureClass::Unreachable, message }
}

/// Only 307 and 308 repeat a POST whole, and only within the origin may the headers travel. Everything else is
/// returned as it is and becomes an error that names the place to configure.
fn follow_within_origin(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let repeats = matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let same_origin =
        attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
    if repeats && same_origin && attempt.previous().len() <= MAX_REDIRECTS {
        return attempt.follow();
    }
    attempt.stop()
}

#[cfg(test)]
mod tests {
    use mcp_types::Secret;

    use super::*;

    fn spec(headers: &[(&str, &str)], bearer: Option<&str>) -> HttpSpec {
        HttpSpec {
            url: "http://127.0.0.1/mcp".to_owned(),
            headers: headers.iter().map(|(n, v)| ((*n).to_owned(), Secret::new((*v).to_owned()))).collect(),
            bearer: bearer.map(|token| Secret::new(token.to_owned())),
        }
    }

    #[test]
    fn a_label_shows_neither_user_nor_query() {
        let endpoint = Endpoint::parse("https://user:canary@host.example:8443/p?key=canary#canary").unwrap();
        assert_eq!(endpoint.label(), "host.example:8443");
        assert_eq!(format!("{endpoint:?}"), "Endpoint(\"host.example:8443\")");
    }

    #[test]
    fn a_bad_url_is_named_without_being_shown() {
        for text in ["canary", "ftp://canary/", "http://"] {
            let failure = Endpoint::parse(text).unwrap_err();
            assert_eq!(failure.class, FailureClass::Unreachable);
            assert!(!failure.message.contains("canary"), "{}", failure.message);
        }
    }

    #[test]
    fn loopback_is_recognised_in_every_spelling() {
        for (text, expect) in [
            ("http://localhost:1/", true),
            ("http://LOCALHOST./", true),
            ("http://127.8.9.1/", true),
            ("http://[::1]:9/", true),
            ("http://localhost.example/", false),
            ("http://10.0.0.1/", false),
        ] {
            assert_eq!(Endpoint::parse(text).unwrap().is_loopback(), expect, "{text}");
        }
    }

    #[test]
    fn adapter_2_8_a_bad_header_value_fails_without_being_shown() {
        for (headers, bearer) in
            [(vec![("X-Key", "canary\r\nInjected: 1")], None), (vec![], Some("canary\nmore"))]
        {
            let failure = static_headers(&spec(&headers, bearer)).unwrap_err();
            assert!(!failure.message.contains("canary"), "{}", failure.message);
            assert!(failure.message.contains("line break"), "{}", failure.message);
        }
    }

    #[test]
    fn values_are_marked_secret_and_owned_headers_are_left_out() {
        let headers = static_headers(&spec(
            &[("X-Key", "canary"), ("Accept", "text/html"), ("Mcp-Session-Id", "1")],
            Some("canary"),
        ))
        .unwrap();
        assert_eq!(headers.len(), 2);
        assert!(!format!("{headers:?}").contains("canary"));
        assert_eq!(headers.get(AUTHORIZATION).unwrap().as_bytes(), b"Bearer canary");
    }

    #[test]
    fn a_configured_authorization_header_wins_over_the_bearer_token() {
        let headers = static_headers(&spec(&[("authorization", "Basic abc")], Some("token"))).unwrap();
        assert_eq!(headers.get(AUTHORIZATION).unwrap().as_bytes(), b"Basic abc");
    }
}
