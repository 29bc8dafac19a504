//! Names: validated once, then carried as types. A server's own tool name and the outward name differ in type.

use std::fmt;
use std::sync::Arc;

/// The longest name of a server in bytes.
pub const MAX_SERVER_NAME_BYTES: usize = 128;
/// The longest name of a tool in bytes. The protocol asks for at most 128; more is accepted because real servers
/// exceed it, and bounded because everything a server sends is.
pub const MAX_TOOL_NAME_BYTES: usize = 512;

/// Says why a text is no name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// The text is empty.
    #[error("{kind} name is empty")]
    Empty {
        /// What was to be named.
        kind: &'static str,
    },
    /// The text is longer than the limit.
    #[error("{kind} name has {bytes} bytes, more than {limit}")]
    TooLong {
        /// What was to be named.
        kind: &'static str,
        /// Length of the text in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The text holds a character that no name may hold.
    #[error("{kind} name {name:?} holds the character {found:?}")]
    Forbidden {
        /// What was to be named.
        kind: &'static str,
        /// The text, cut to 64 characters.
        name: String,
        /// The first forbidden character.
        found: char,
    },
}

fn validate(kind: &'static str, text: &str, limit: usize) -> Result<(), NameError> {
    if text.trim().is_empty() {
        return Err(NameError::Empty { kind });
    }
    if text.len() > limit {
        return Err(NameError::TooLong { kind, bytes: text.len(), limit });
    }
    match text.chars().find(|character| is_forbidden(*character)) {
        Some(found) => Err(NameError::Forbidden { kind, name: text.chars().take(64).collect(), found }),
        None => Ok(()),
    }
}

/// Control characters and the invisible marks that turn the reading direction have no place in a name.
fn is_forbidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

macro_rules! name_type {
    ($(#[$doc:meta])* $type:ident, $kind:literal, $limit:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $type(Arc<str>);

        impl $type {
            /// Validates a text as this kind of name.
            pub fn new(text: impl AsRef<str>) -> Result<Self, NameError> {
                validate($kind, text.as_ref(), $limit)?;
                Ok(Self(Arc::from(text.as_ref())))
            }

            /// Gives the name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&*self.0, formatter)
            }
        }

        impl AsRef<str> for $type {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::borrow::Borrow<str> for $type {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl std::str::FromStr for $type {
            type Err = NameError;
            fn from_str(text: &str) -> Result<Self, NameError> {
                Self::new(text)
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                Self::new(text).map_err(serde::de::Error::custom)
            }
        }
    };
}

name_type!(
    /// The name of a mounted server, as its configuration key gives it.
    ///
    /// ```
    /// let name = mcp_types::ServerName::new("chrome-devtools")?;
    /// assert_eq!(name.as_str(), "chrome-devtools");
    /// assert!(mcp_types::ServerName::new("two\nlines").is_err());
    /// # Ok::<(), mcp_types::NameError>(())
    /// ```
    ServerName,
    "server",
    MAX_SERVER_NAME_BYTES
);
name_type!(
    /// A tool's own name, as its server lists it. Untrusted, bounded, without control characters.
    ToolName,
    "tool",
    MAX_TOOL_NAME_BYTES
);
name_type!(
    /// The outward name of a tool: prefix and tool name joined, as a model sees it.
    PublicToolName,
    "public tool",
    MAX_SERVER_NAME_BYTES * 10 + MAX_TOOL_NAME_BYTES
);

/// One tool of one server: the identity that is never parsed back out of a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolRef {
    /// The server that offers the tool.
    pub server: ServerName,
    /// The server's own name of the tool.
    pub tool: ToolName,
}

impl fmt::Display for ToolRef {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.server, self.tool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t_cfg_04_a_server_name_is_checked_as_a_whole() {
        let rows = [
            ("ok-name_1", true),
            ("my.server", true),
            ("", false),
            ("  ", false),
            ("a\n", false),
            ("a\u{202e}b", false),
        ];
        for (text, expected) in rows {
            assert_eq!(ServerName::new(text).is_ok(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_name_over_the_limit_names_both_lengths() {
        assert_eq!(
            ServerName::new("x".repeat(129)),
            Err(NameError::TooLong { kind: "server", bytes: 129, limit: 128 })
        );
    }
}
