//! A note of what an installation was made from, so that it is made again only when that changed.
#![expect(clippy::disallowed_methods, reason = "a chore keeps its notes; nothing here ships")]

use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// A file inside the installation: where the installation is removed, the note is gone too.
#[derive(Debug)]
pub(super) struct Stamp {
    file: PathBuf,
    inputs: String,
}

impl Stamp {
    /// Describes an installation in a directory that depends on these texts.
    pub(super) fn new(dir: &Path, inputs: &[&str]) -> Self {
        Self { file: dir.join(".made-from"), inputs: inputs.join("\n") }
    }

    /// Tells whether the installation is there and was made from the same texts.
    pub(super) fn is_fresh(&self) -> bool {
        std::fs::read_to_string(&self.file).is_ok_and(|text| text == self.inputs)
    }

    /// Notes that the installation is complete.
    pub(super) fn set(&self) -> anyhow::Result<()> {
        std::fs::write(&self.file, &self.inputs)
            .with_context(|| format!("cannot write {}", self.file.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_fresh_only_for_the_same_inputs() {
        let dir = tempfile::tempdir().unwrap();
        let stamp = Stamp::new(dir.path(), &["a", "1"]);
        assert!(!stamp.is_fresh());
        stamp.set().unwrap();
        assert!(Stamp::new(dir.path(), &["a", "1"]).is_fresh());
        assert!(!Stamp::new(dir.path(), &["a", "2"]).is_fresh());
    }
}
