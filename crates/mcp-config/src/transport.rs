//! From the fields of an entry to the one way in which its server is reached.

use mcp_types::Secret;

use crate::diagnose::{line_of, shown};
use crate::field::{self, FieldReader, Flaw};
use crate::interpolate::{self, Dialect, Segment};
use crate::keys::quoted;
use crate::near::nearest;
use crate::parse::{Node, Position, Value};
use crate::raw::{RawField, place};
use crate::snapshot::{SecretText, TransportEntry};

/// What `type` may say.
const TYPES: &[&str] = &["stdio", "http", "streamable-http"];

/// Reads the transport of an entry. `None`: the reader knows why.
pub(crate) fn read(reader: &mut FieldReader<'_>) -> Option<TransportEntry> {
    let declared = declared_kind(reader)?;
    let mut present = ["command", "url", "socket"].into_iter().filter(|key| reader.fields.has(key));
    let first = present.next()?;
    if let Some(second) = present.next() {
        return several(reader, first, second);
    }
    match first {
        "command" if declared == Declared::Http => mismatch(reader, "command", "url"),
        "url" if declared == Declared::Stdio => mismatch(reader, "url", "command"),
        "command" => stdio(reader),
        "url" => http(reader),
        _ => unsupported(reader, "socket"),
    }
}

fn several(
    reader: &mut FieldReader<'_>,
    first: &'static str,
    second: &'static str,
) -> Option<TransportEntry> {
    let place = |key| reader.fields.last(key).map(RawField::place);
    let line =
        place(first).zip(place(second)).map(|(first, second)| line_of(&first, &second)).unwrap_or_default();
    let message = format!("`{second}` is given beside `{first}` on {line}; a server is reached in one way");
    reader.refuse(second, "several_transports", message, "keep one of them");
    None
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Declared {
    Nothing,
    Stdio,
    Http,
}

/// Reads `type`, in every spelling that other programs use.
fn declared_kind(reader: &mut FieldReader<'_>) -> Option<Declared> {
    if !reader.fields.has("type") {
        return Some(Declared::Nothing);
    }
    let written = reader.read("type", field::text)?;
    let plain: String = written.chars().filter(|character| !matches!(character, '-' | '_')).collect();
    match plain.to_ascii_lowercase().as_str() {
        "stdio" | "local" => Some(Declared::Stdio),
        "http" | "streamablehttp" | "remote" => Some(Declared::Http),
        "sse" | "socket" | "ws" | "websocket" | "tcp" => {
            unsupported(reader, "type").map(|_| Declared::Nothing)
        }
        other => {
            let near = nearest(other, TYPES.iter().copied()).map(|near| format!("did you mean \"{near}\"?"));
            let message = format!("`type` must be one of {}", quoted(TYPES));
            reader.refuse(
                "type",
                "unknown_value",
                message,
                &near.unwrap_or_else(|| "or leave it out".to_owned()),
            );
            None
        }
    }
}

fn unsupported(reader: &mut FieldReader<'_>, key: &'static str) -> Option<TransportEntry> {
    let message = format!("`{key}` asks for a transport that this version does not support");
    reader.refuse(key, "transport_unsupported", message, "use a local command or a streamable HTTP address");
    None
}

fn mismatch(reader: &mut FieldReader<'_>, has: &str, needs: &str) -> Option<TransportEntry> {
    let message = format!("`type` disagrees with `{has}`: it needs `{needs}`");
    reader.refuse("type", "transport_mismatch", message, "leave `type` out, or correct it");
    None
}

fn stdio(reader: &mut FieldReader<'_>) -> Option<TransportEntry> {
    for key in ["bearerToken", "bearerTokenEnv"] {
        let message = "a bearer token has no effect on a local server".to_owned();
        reader.without_effect(key, "bearer_on_stdio", message, "give the token in `env`");
    }
    let message = "`headers` has no effect on a local server".to_owned();
    reader.without_effect("headers", "field_without_effect", message, "");
    let command = reader.read("command", field::word)?;
    let args = reader.read("args", field::texts).unwrap_or_default();
    let env = secrets(reader, "env", |name| !name.is_empty() && !name.contains(['=', '\0']));
    let cwd = reader.read("cwd", field::word);
    let inherit_env = reader.read("inheritEnv", field::switch).unwrap_or(true);
    foreign_variables(reader, "command", &[command]);
    foreign_variables(reader, "args", &args);
    let cwd = cwd.map(str::to_owned);
    Some(TransportEntry::Stdio { command: command.to_owned(), args, env, cwd, inherit_env })
}

fn http(reader: &mut FieldReader<'_>) -> Option<TransportEntry> {
    for key in ["args", "env", "cwd", "inheritEnv"] {
        let message = format!("`{key}` has no effect on a remote server");
        reader.without_effect(key, "field_without_effect", message, "");
    }
    let url = reader.read("url", field::word)?;
    check_url(reader, url)?;
    let headers = secrets(reader, "headers", is_header_name);
    let (bearer, bearer_env) = bearer(reader);
    foreign_variables(reader, "url", &[url]);
    Some(TransportEntry::Http { url: url.to_owned(), headers, bearer, bearer_env })
}

/// Checks an address as far as it is known without its variables.
fn check_url(reader: &mut FieldReader<'_>, text: &str) -> Option<()> {
    let segments = interpolate::segments(text, Dialect::Wharf);
    let has_variables = segments.iter().any(|segment| !matches!(segment, Segment::Literal(_)));
    if has_variables {
        return Some(());
    }
    let hint = "write it as https://host/path";
    match url::Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Some(()),
        Ok(_) => {
            let message = "`url` begins with neither https:// nor http://".to_owned();
            reader.refuse("url", "transport_unsupported", message, hint);
            None
        }
        Err(error) => {
            reader.refuse("url", "bad_url", format!("`url` is no address: {error}"), hint);
            None
        }
    }
}

/// What `auth` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Auth {
    Bearer,
    OpenAuthorization,
    Nothing,
}

fn read_auth(node: &Node, expected: &str) -> Result<Auth, Flaw> {
    if node.value == Value::Bool(false) {
        return Ok(Auth::Nothing);
    }
    field::one_of(node, expected, &["bearer", "oauth"], |text| match text {
        "bearer" => Some(Auth::Bearer),
        "oauth" => Some(Auth::OpenAuthorization),
        _ => None,
    })
}

/// The token is sent unless `auth` says otherwise.
fn bearer(reader: &mut FieldReader<'_>) -> (Option<SecretText>, Option<String>) {
    let auth = reader.read("auth", read_auth);
    let token = reader.read("bearerToken", field::word).map(|token| Secret::new(token.to_owned()));
    let variable = reader.read("bearerTokenEnv", field::word).map(str::to_owned);
    match auth {
        None | Some(Auth::Bearer) => return (token, variable),
        Some(Auth::OpenAuthorization) => {
            let message = "`auth: \"oauth\"` is not supported by this version".to_owned();
            reader.without_effect(
                "auth",
                "not_read_yet",
                message,
                "give the server a `bearer` token or `headers`",
            );
        }
        Some(Auth::Nothing) => {}
    }
    for key in ["bearerToken", "bearerTokenEnv"] {
        let message = format!("`{key}` has no effect, because `auth` says otherwise");
        reader.without_effect(
            key,
            "field_without_effect",
            message,
            "write `auth: \"bearer\"`, or leave `auth` out",
        );
    }
    (None, None)
}

/// Reads an object of secrets whose names are checked.
fn secrets(
    reader: &mut FieldReader<'_>,
    key: &'static str,
    is_name: fn(&str) -> bool,
) -> Vec<(String, SecretText)> {
    let found = reader.read(key, field::pairs).unwrap_or_default();
    let mut secrets = Vec::with_capacity(found.len());
    for (name, value, at) in found {
        let breaks_lines = value.contains(['\r', '\n']) && key == "headers";
        if !is_name(name) || breaks_lines || value.contains('\0') {
            let what = if is_name(name) { "value under" } else { "name" };
            bad_pair(
                reader,
                key,
                at,
                format!("`{key}` holds the {what} \"{}\" that cannot be sent", shown(name)),
            );
            continue;
        }
        if interpolate::command(value).is_none() {
            foreign_variables_at(reader, key, at, value);
        }
        secrets.push((name.to_owned(), Secret::new(value.to_owned())));
    }
    secrets
}

fn bad_pair(reader: &mut FieldReader<'_>, key: &'static str, at: Position, message: String) {
    if let Some(field) = reader.fields.last(key) {
        reader.findings.error("bad_value", place(&field.file, at), message, "");
    }
    reader.failed.insert(key);
}

/// A header name is a token of the HTTP grammar.
fn is_header_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Tells of variables in the spelling of other programs: they are sent as they are written.
fn foreign_variables(reader: &mut FieldReader<'_>, key: &'static str, texts: &[impl AsRef<str>]) {
    let Some(at) = reader.fields.last(key).map(|field| field.at) else { return };
    for text in texts {
        foreign_variables_at(reader, key, at, text.as_ref());
    }
}

fn foreign_variables_at(reader: &mut FieldReader<'_>, key: &'static str, at: Position, text: &str) {
    let is_foreign = |segment: &Segment<'_>| matches!(segment, Segment::Foreign(_));
    let Some(field) = reader.fields.last(key) else { return };
    if interpolate::segments(text, Dialect::Wharf).iter().any(is_foreign) {
        let message = format!(
            "`{key}` holds a variable in a spelling that Wharf does not know; it stays as it is written"
        );
        reader.findings.warning(
            "variable_unsupported",
            place(&field.file, at),
            message,
            "write ${NAME} or ${NAME:-default}",
        );
    }
}
