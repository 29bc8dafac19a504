//! The tree of a parsed file, owned and with positions.

use std::fmt;

/// A position in a file, both counted from one; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// A value and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) at: Position,
    pub(crate) value: Value,
}

/// The value of a node.
#[derive(Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// The number as it is written.
    Number(String),
    Text(String),
    List(Vec<Node>),
    /// The fields as they are written, repeated keys included.
    Map(Vec<Field>),
}

/// One key of a map with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) key: String,
    pub(crate) at: Position,
    pub(crate) node: Node,
}

impl Value {
    /// Names the kind of the value for a person.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Map(_) => "an object",
        }
    }

    pub(crate) const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn as_map(&self) -> Option<&[Field]> {
        if let Self::Map(fields) = self { Some(fields) } else { None }
    }
}

/// Any text of a file may be a secret, so only the kind is shown.
impl fmt::Debug for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.kind())
    }
}
