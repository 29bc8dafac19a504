//! What a key is. The table of all keys is in `key_table.rs`: the one source of the reference page, the schema and the suggestions.

use crate::key_table::FOREIGN;
pub use crate::key_table::KEYS;
use crate::near::nearest;

/// Where a key stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// At the top of a file.
    Root,
    /// In the entry of a server.
    Server,
    /// In `settings`.
    Setting,
    /// In `rateLimit` of a server.
    RateLimit,
    /// In `settings.outputGuard`.
    OutputGuard,
}

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A text.
    Text,
    /// A text that is or names a secret.
    Secret,
    /// A text, or a list whose first text is the command and whose others are arguments.
    Command,
    /// A list of texts.
    Texts,
    /// An object of texts that may be secrets.
    Secrets,
    /// An object of lists of texts.
    TextLists,
    /// `true` or `false`.
    Switch,
    /// A number of minutes, 0 or more.
    Minutes,
    /// A number of seconds above 0.
    Seconds,
    /// A number of milliseconds above 0.
    Milliseconds,
    /// A whole number above 0.
    Count,
    /// One of these words.
    Words(&'static [&'static str]),
    /// `"bearer"`, `"oauth"` or `false`.
    Auth,
    /// `true`, `false` or a list of tool patterns.
    Approve,
    /// `true`, `false` or an object with the keys of a scope.
    SwitchOr(Scope),
    /// An object with the keys of a scope.
    Object(Scope),
    /// An object whose values have the keys of a scope.
    Entries(Scope),
    /// Anything: the key is not read by this version.
    Any,
}

/// What this version does with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Support {
    /// It is read.
    Read,
    /// It is read as this other key.
    Alias(&'static str),
    /// It is known and not read yet; a file that holds it gets a diagnostic.
    Later,
}

/// One key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Key {
    /// Where it stands.
    pub scope: Scope,
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Its default as a person reads it; empty where there is none.
    pub default: &'static str,
    /// What it means, in one sentence.
    pub meaning: &'static str,
    /// What this version does with it.
    pub support: Support,
}

/// Finds a key.
pub(crate) fn find(scope: Scope, name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.scope == scope && key.name == name)
}

/// Tells whether a key belongs to another program.
pub(crate) fn is_foreign(name: &str) -> bool {
    FOREIGN.contains(&name)
}

/// Gives the key that was most likely meant.
pub(crate) fn suggestion(scope: Scope, name: &str) -> Option<&'static str> {
    nearest(name, KEYS.iter().filter(|key| key.scope == scope).map(|key| key.name))
}

impl Kind {
    /// Says what is taken, after "must be".
    pub(crate) fn expected(self) -> String {
        let text = match self {
            Self::Text | Self::Secret => "a text",
            Self::Command => "a text, or a list of texts that is not empty",
            Self::Texts => "a list of texts",
            Self::Secrets => "an object whose values are texts",
            Self::TextLists => "an object whose values are lists of texts",
            Self::Switch => "true or false",
            Self::Minutes => "a number of minutes, 0 or more",
            Self::Seconds => "a number of seconds above 0",
            Self::Milliseconds => "a number of milliseconds above 0",
            Self::Count => "a whole number above 0",
            Self::Words(words) => return format!("one of {}", quoted(words)),
            Self::Auth => "\"bearer\", \"oauth\" or false",
            Self::Approve => "true, false or a list of tool patterns",
            Self::SwitchOr(_) => "true, false or an object",
            Self::Object(_) | Self::Entries(_) => "an object",
            Self::Any => "anything",
        };
        text.to_owned()
    }
}

/// Joins words for a person.
pub(crate) fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::Scope::{Root, Server, Setting};
    use super::*;

    #[test]
    fn no_key_stands_twice_and_aliases_lead_to_read_keys() {
        for (index, key) in KEYS.iter().enumerate() {
            let twin =
                KEYS.iter().skip(index + 1).find(|other| other.scope == key.scope && other.name == key.name);
            assert_eq!(twin, None);
            assert!(key.meaning.ends_with('.'), "{}", key.name);
            if let Support::Alias(of) = key.support {
                assert_eq!(find(key.scope, of).map(|key| key.support), Some(Support::Read), "{}", key.name);
            }
            assert!(!is_foreign(key.name), "{}", key.name);
        }
    }

    #[test]
    fn t_cfg_02_a_slip_finds_the_key() {
        assert_eq!(suggestion(Server, "aproval"), Some("approval"));
        assert_eq!(suggestion(Server, "comand"), Some("command"));
        assert_eq!(suggestion(Root, "mcpServer"), Some("mcpServers"));
        assert_eq!(suggestion(Setting, "zzz"), None);
    }
}
