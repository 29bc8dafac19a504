//! The commands of the binary, as it tells them itself.

use crate::process;
use crate::workspace::Workspace;

/// Gives the page; builds the binary for it.
pub(super) fn body(workspace: &Workspace) -> anyhow::Result<String> {
    let mut cargo = process::cargo();
    cargo.current_dir(&workspace.root).args(["run", "--quiet", "--package", "mcp-cli", "--", "reference"]);
    process::capture(&mut cargo)
}
