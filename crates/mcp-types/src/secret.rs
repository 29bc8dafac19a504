//! Secrets: values that do not show themselves, and the places they come from.

use std::fmt;

/// A value that is never printed. `Debug` and `Display` say only that there is one.
///
/// ```
/// let token = mcp_types::Secret::new("hunter2".to_owned());
/// assert_eq!(format!("{token:?} {token}"), "[secret] [secret]");
/// assert_eq!(token.expose(), "hunter2");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Hides a value.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// Shows the value to the one place that must send it.
    pub const fn expose(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[secret]")
    }
}

impl<T> fmt::Display for Secret<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[secret]")
    }
}

/// Where a secret value comes from. It is resolved late: at connect time, never while reading configuration.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SecretSource {
    /// The value itself.
    Literal(Secret<String>),
    /// A variable of the environment.
    Env(String),
    /// The standard output of a shell command.
    Command(Secret<String>),
    /// A credential store, under a key.
    Stored(String),
}
