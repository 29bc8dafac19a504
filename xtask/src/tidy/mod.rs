//! `cargo xtask tidy`: the rules of the house that no compiler checks.
#![expect(clippy::disallowed_methods, reason = "a chore reads the sources; nothing here ships")]

mod header;
mod layers;
mod size;
mod table;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::generate;
use crate::say::say;
use crate::workspace::Workspace;

/// Checks all rules and prints what is against them.
pub(crate) fn run(workspace: &Workspace) -> anyhow::Result<()> {
    let mut problems = layer_problems(workspace)?;
    for package in &workspace.packages {
        for file in rust_files(&workspace.root.join(&package.dir))? {
            let shown = file.strip_prefix(&workspace.root).unwrap_or(&file);
            problems.extend(size::problem(shown, &read(&file)?));
        }
        problems.extend(header_problem(workspace, &package.dir)?);
    }
    // A page that cannot be made must not hide what else is wrong.
    problems.extend(generate::problems(workspace).unwrap_or_else(|error| vec![format!("{error:#}")]));
    for problem in &problems {
        say(problem)?;
    }
    if !problems.is_empty() {
        bail!("{} problems", problems.len());
    }
    say("tidy")
}

fn layer_problems(workspace: &Workspace) -> anyhow::Result<Vec<String>> {
    let page = read(&workspace.root.join("docs/architecture.md"))?;
    let table = table::parse(&page).context("docs/architecture.md")?;
    Ok(layers::problems(&table, &workspace.packages))
}

/// A package with neither a library nor a main program has no header.
fn header_problem(workspace: &Workspace, dir: &Path) -> anyhow::Result<Option<String>> {
    for name in ["src/lib.rs", "src/main.rs"] {
        let file = workspace.root.join(dir).join(name);
        if file.is_file() {
            return Ok(header::problem(&dir.join(name), &read(&file)?));
        }
    }
    Ok(None)
}

/// Gives the Rust files below a directory in order of their paths.
fn rust_files(dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                dirs.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn read(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}
