//! What `cargo metadata` tells of this workspace.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::Value;

use crate::process;

/// The workspace: where it is and what it holds.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
    pub(crate) packages: Vec<Package>,
}

/// A package of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// Relative to the root of the workspace.
    pub(crate) dir: PathBuf,
    /// The packages of this workspace that it needs to be built, without those of its tests.
    pub(crate) uses: Vec<String>,
}

impl Workspace {
    /// Asks cargo.
    pub(crate) fn load() -> anyhow::Result<Self> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut cargo = process::cargo();
        cargo.current_dir(here).args(["metadata", "--no-deps", "--format-version", "1"]);
        Self::parse(&process::capture(&mut cargo)?)
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let metadata: Value = serde_json::from_str(text).context("cargo metadata gave no JSON")?;
        let root = PathBuf::from(string(&metadata, "workspace_root")?);
        let target = PathBuf::from(string(&metadata, "target_directory")?);
        let packages = array(&metadata, "packages")?;
        let packages =
            packages.iter().map(|package| Package::parse(package, &root)).collect::<Result<_, _>>()?;
        Ok(Self { root, target, packages })
    }

    /// Gives the place of a built program.
    pub(crate) fn program(&self, profile: &str, name: &str) -> PathBuf {
        self.target.join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }
}

impl Package {
    fn parse(package: &Value, root: &Path) -> anyhow::Result<Self> {
        let manifest = PathBuf::from(string(package, "manifest_path")?);
        let dir = manifest
            .parent()
            .unwrap_or(root)
            .strip_prefix(root)
            .context("a package outside the workspace")?;
        let mut uses = Vec::new();
        for dependency in array(package, "dependencies")? {
            let of_tests = dependency.get("kind").and_then(Value::as_str) == Some("dev");
            let local = dependency.get("path").and_then(Value::as_str).is_some();
            if local && !of_tests {
                uses.push(string(dependency, "name")?.to_owned());
            }
        }
        Ok(Self { name: string(package, "name")?.to_owned(), dir: dir.to_owned(), uses })
    }
}

fn string<'a>(value: &'a Value, key: &str) -> anyhow::Result<&'a str> {
    value.get(key).and_then(Value::as_str).with_context(|| format!("cargo metadata gave no `{key}`"))
}

fn array<'a>(value: &'a Value, key: &str) -> anyhow::Result<&'a Vec<Value>> {
    value.get(key).and_then(Value::as_array).with_context(|| format!("cargo metadata gave no `{key}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_of_tests_and_of_registries_are_left_out() {
        let text = r#"{"workspace_root": "/w", "target_directory": "/t", "packages": [{
            "name": "a", "manifest_path": "/w/crates/a/Cargo.toml", "dependencies": [
                {"name": "b", "kind": null, "path": "/w/crates/b"},
                {"name": "c", "kind": "build", "path": "/w/crates/c"},
                {"name": "d", "kind": "dev", "path": "/w/crates/d"},
                {"name": "serde", "kind": null}
        ]}]}"#;
        let workspace = Workspace::parse(text).unwrap();
        let expected =
            Package { name: "a".into(), dir: "crates/a".into(), uses: vec!["b".into(), "c".into()] };
        assert_eq!(workspace.packages, [expected]);
        assert!(workspace.program("debug", "a").starts_with("/t/debug"));
    }
}
