//! Texts of an entry with their variables replaced. What cannot be resolved is gathered and refuses the server.

use mcp_config::interpolate::{self, Dialect};
use mcp_transport::{Failure, FailureClass};
use mcp_types::{Secret, SecretSource};

use crate::environment::Environment;

/// Replaces variables for one server.
pub(super) struct Texts<'a> {
    dialect: Dialect,
    environment: &'a Environment,
    refusals: Vec<String>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(dialect: Dialect, environment: &'a Environment) -> Self {
        Self { dialect, environment, refusals: Vec::new() }
    }

    /// Replaces variables and a leading `~`. A missing variable leaves nothing.
    pub(super) fn path(&self, text: &str) -> String {
        interpolate::expand(text, &self.environment.vars, &self.environment.home, self.dialect).text
    }

    /// Replaces variables of an address. A missing one refuses the server before any request.
    pub(super) fn url(&mut self, text: &str) -> String {
        let expanded = interpolate::expand_value(text, &self.environment.vars, self.dialect);
        if !expanded.missing.is_empty() {
            self.refuse(format!("its url names variables that are not set: {}", expanded.missing.join(", ")));
        }
        expanded.text
    }

    /// Resolves a value that may be secret. What must be run to be known refuses the server.
    pub(super) fn secret(&mut self, what: &str, value: &Secret<String>) -> Secret<String> {
        let resolved = interpolate::secret(value.expose(), &self.environment.vars, self.dialect);
        match resolved.source {
            SecretSource::Literal(literal) => literal,
            SecretSource::Env(name) => self.variable(&name).unwrap_or_default(),
            SecretSource::Command(_) | SecretSource::Stored(_) | _ => {
                self.refuse(format!("{what} is the output of a command, which this version does not run"));
                Secret::default()
            }
        }
    }

    /// Gives a variable; one that is not set is absent.
    pub(super) fn variable(&self, name: &str) -> Option<Secret<String>> {
        self.environment.vars.get(name).cloned().map(Secret::new)
    }

    pub(super) fn refuse(&mut self, reason: String) {
        self.refusals.push(reason);
    }

    pub(super) fn into_refusal(self) -> Option<Failure> {
        (!self.refusals.is_empty())
            .then(|| Failure { class: FailureClass::Unreachable, message: self.refusals.join("; ") })
    }
}
