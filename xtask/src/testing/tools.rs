//! The MCP servers and clients of other people that the tests run against, below `target/tools`.
#![expect(clippy::disallowed_methods, reason = "a chore installs tools; nothing here ships")]

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::process::{command, run};
use crate::say::say;
use crate::testing::needs::Needs;
use crate::testing::stamp::Stamp;
use crate::workspace::Workspace;

/// Where the tools are.
#[derive(Debug)]
pub(super) struct Tools {
    pub(super) node_modules: PathBuf,
    pub(super) venv: PathBuf,
}

/// Installs what is missing or older than its pins. Two chores at once take turns.
pub(super) fn install(workspace: &Workspace, needs: &Needs) -> anyhow::Result<Tools> {
    let pins = workspace.root.join("xtask/tools");
    let target = workspace.target.join("tools");
    make_dir(&target)?;
    let turn = File::create(target.join("lock")).context("cannot make the lock of the tools")?;
    turn.lock().context("cannot lock the tools")?;
    let node_modules = install_npm(&pins.join("npm"), &target.join("npm"), needs)?;
    let venv = install_python(&pins.join("python/requirements.txt"), &target.join("venv"), needs)?;
    Ok(Tools { node_modules, venv })
}

fn install_npm(pins: &Path, dir: &Path, needs: &Needs) -> anyhow::Result<PathBuf> {
    let mut inputs = vec![needs.node.clone()];
    make_dir(dir)?;
    for name in ["package.json", "package-lock.json", ".npmrc"] {
        let text = read(&pins.join(name))?;
        std::fs::write(dir.join(name), &text).with_context(|| format!("cannot write {name}"))?;
        inputs.push(text);
    }
    let modules = dir.join("node_modules");
    let stamp = Stamp::new(&modules, &inputs.iter().map(String::as_str).collect::<Vec<_>>());
    if !stamp.is_fresh() {
        say("installing the npm packages of the tests …")?;
        let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
        run(command("npm").args(arguments).current_dir(dir))?;
        stamp.set()?;
    }
    Ok(modules)
}

fn install_python(requirements: &Path, venv: &Path, needs: &Needs) -> anyhow::Result<PathBuf> {
    let place = venv.to_string_lossy();
    let stamp = Stamp::new(venv, &[&needs.python, &place, &read(requirements)?]);
    if !stamp.is_fresh() {
        say("installing the Python packages of the tests …")?;
        run(command("python3").args(["-m", "venv", "--clear"]).arg(venv))?;
        let arguments =
            ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", "-r"];
        run(command(venv.join("bin/python")).args(arguments).arg(requirements))?;
        stamp.set()?;
    }
    Ok(venv.to_owned())
}

fn make_dir(dir: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))
}

fn read(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}
