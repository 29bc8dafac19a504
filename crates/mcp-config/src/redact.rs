//! Hiding secrets in what is printed. Names of variables stay, because they say where a secret comes from.

use crate::interpolate::{self, Dialect, Segment};

/// What stands in place of a secret.
pub(crate) const HIDDEN: &str = "[secret]";

/// Hides a value that may be a secret: its variables stay, everything written out goes.
pub(crate) fn value(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    if interpolate::command(text).is_some() {
        return "[command]".to_owned();
    }
    let (scheme, rest) = authorization_scheme(text);
    let mut shown = scheme.to_owned();
    for segment in interpolate::segments(rest, Dialect::Wharf) {
        match segment {
            Segment::Literal(_) | Segment::Foreign(_) => shown.push_str(HIDDEN),
            Segment::Variable { default: None, written, .. } => shown.push_str(written),
            Segment::Variable { name, default: Some(default), .. } => {
                let default = if default.is_empty() { "" } else { HIDDEN };
                shown.extend(["${", name, ":-", default, "}"]);
            }
        }
    }
    shown
}

/// `Bearer` and `Basic` are no secret.
fn authorization_scheme(text: &str) -> (&str, &str) {
    for scheme in ["Bearer ", "bearer ", "Basic ", "basic "] {
        if let Some(rest) = text.strip_prefix(scheme) {
            return (scheme, rest);
        }
    }
    ("", text)
}

/// Hides the user part, the values of the query and the fragment of an address.
pub(crate) fn url(text: &str) -> String {
    let (text, fragment) = split(text, '#');
    let (text, query) = split(text, '?');
    let mut shown = without_user(text);
    if let Some(query) = query {
        let pairs: Vec<String> = query.split('&').map(pair).collect();
        shown.push('?');
        shown.push_str(&pairs.join("&"));
    }
    if let Some(fragment) = fragment {
        shown.push('#');
        shown.push_str(&value(fragment));
    }
    shown
}

fn split(text: &str, mark: char) -> (&str, Option<&str>) {
    text.split_once(mark).map_or((text, None), |(before, after)| (before, Some(after)))
}

fn pair(text: &str) -> String {
    match text.split_once('=') {
        Some((name, secret)) => format!("{name}={}", value(secret)),
        None => value(text),
    }
}

fn without_user(text: &str) -> String {
    let (scheme, rest) = text.split_once("://").map_or(("", text), |(scheme, rest)| (scheme, rest));
    let (authority, path) = split(rest, '/');
    let Some((user, host)) = authority.rsplit_once('@') else { return text.to_owned() };
    let separator = if text.contains("://") { "://" } else { "" };
    let path = path.map(|path| format!("/{path}")).unwrap_or_default();
    format!("{scheme}{separator}{}@{host}{path}", value(user))
}

/// Hides what arguments of a command give away: values of options named like a secret, and parts of addresses.
pub(crate) fn arguments(arguments: &[String]) -> Vec<String> {
    let mut follows_secret_option = false;
    let mut shown = Vec::with_capacity(arguments.len());
    for argument in arguments {
        if std::mem::take(&mut follows_secret_option) && !argument.starts_with('-') {
            shown.push(value(argument));
            continue;
        }
        follows_secret_option =
            argument.starts_with('-') && !argument.contains('=') && names_secret(argument);
        shown.push(one_argument(argument));
    }
    shown
}

fn one_argument(argument: &str) -> String {
    if let Some((name, secret)) = argument.split_once('=')
        && names_secret(name)
    {
        return format!("{name}={}", value(secret));
    }
    if let Some((name, secret)) = argument.split_once(':')
        && names_secret(name)
        && !argument.contains("://")
    {
        return format!("{name}:{}", value(secret));
    }
    if argument.contains("://") { url(argument) } else { argument.to_owned() }
}

/// Tells whether a name is that of a secret.
fn names_secret(name: &str) -> bool {
    let name: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    [
        "token",
        "secret",
        "password",
        "passwd",
        "apikey",
        "accesskey",
        "privatekey",
        "credential",
        "authorization",
        "auth",
        "bearer",
        "pat",
    ]
    .iter()
    .any(|word| name.ends_with(word) || name.starts_with(word) && *word != "pat" && *word != "auth")
        || name == "key"
        || name == "header"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_shows_its_variables_alone() {
        let rows = [
            ("hunter2", "[secret]"),
            ("", ""),
            ("Bearer hunter2", "Bearer [secret]"),
            ("Bearer ${TOKEN}", "Bearer ${TOKEN}"),
            ("a${TOKEN}b", "[secret]${TOKEN}[secret]"),
            ("${TOKEN:-hunter2}", "${TOKEN:-[secret]}"),
            ("!pass show x", "[command]"),
        ];
        for (text, expected) in rows {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn an_address_shows_where_it_goes() {
        let rows = [
            ("https://h.example/mcp", "https://h.example/mcp"),
            ("https://u:p@h.example:8/mcp", "https://[secret]@h.example:8/mcp"),
            ("https://h/mcp?key=abc&x=${V}&y", "https://h/mcp?key=[secret]&x=${V}&[secret]"),
            ("https://h/#abc", "https://h/#[secret]"),
            ("u:p@h", "[secret]@h"),
        ];
        for (text, expected) in rows {
            assert_eq!(url(text), expected, "{text}");
        }
    }

    #[test]
    fn arguments_show_what_is_no_secret() {
        let rows: [(&[&str], &[&str]); 4] = [
            (&["-y", "server@1", "--path", "/x"], &["-y", "server@1", "--path", "/x"]),
            (&["--api-key", "abc", "x"], &["--api-key", "[secret]", "x"]),
            (&["--token=abc", "API_KEY=${K}"], &["--token=[secret]", "API_KEY=${K}"]),
            (
                &["--header", "Authorization: abc", "postgres://u:p@h/db"],
                &["--header", "[secret]", "postgres://[secret]@h/db"],
            ),
        ];
        for (given, expected) in rows {
            let given: Vec<String> = given.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(arguments(&given), expected, "{given:?}");
        }
    }
}
