//! Entries as they are written, with every layer's word kept until all layers are known.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcp_types::Place;

use crate::parse::{Node, Position};
use crate::source::SourceFile;

/// One written value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RawField {
    pub(crate) node: Node,
    /// Where its key stands.
    pub(crate) at: Position,
    pub(crate) file: Arc<SourceFile>,
    /// True: written twice in one file, so nobody knows which one is meant.
    pub(crate) repeated: bool,
}

impl RawField {
    pub(crate) fn place(&self) -> Place {
        place(&self.file, self.at)
    }

    pub(crate) fn text(&self) -> Option<&str> {
        self.node.value.as_text()
    }
}

/// What all layers wrote for each key, lowest first and never empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Fields(pub(crate) BTreeMap<String, Vec<RawField>>);

impl Fields {
    /// Gives the word that counts.
    pub(crate) fn last(&self, key: &str) -> Option<&RawField> {
        self.0.get(key).and_then(|values| values.last())
    }

    pub(crate) fn all(&self, key: &str) -> &[RawField] {
        self.0.get(key).map(Vec::as_slice).unwrap_or_default()
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    pub(crate) fn push(&mut self, key: String, field: RawField) {
        self.0.entry(key).or_default().push(field);
    }

    pub(crate) fn remove(&mut self, key: &str) -> bool {
        self.0.remove(key).is_some()
    }

    /// Lays a later layer over this one.
    pub(crate) fn extend(&mut self, later: Self) {
        for (key, values) in later.0 {
            self.0.entry(key).or_default().extend(values);
        }
    }
}

/// The entry of one server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RawServer {
    pub(crate) name: String,
    pub(crate) fields: Fields,
    /// Where each layer's entry stands, lowest first and never empty.
    pub(crate) entries: Vec<(Arc<SourceFile>, Position)>,
    /// True: a mistake has been told already because of which the entry is not used.
    pub(crate) rejected: bool,
}

/// The content of one file, or of several merged.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct RawConfig {
    pub(crate) servers: Vec<RawServer>,
    pub(crate) settings: Fields,
}

pub(crate) fn place(file: &SourceFile, at: Position) -> Place {
    Place { file: file.path.clone(), line: Some(at.line), column: Some(at.column) }
}
