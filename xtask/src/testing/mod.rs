//! `cargo xtask test`: the tools of the tests, then the tests.

mod needs;
mod stamp;
mod suite;
mod tools;

use crate::workspace::Workspace;

/// Runs all tests, or those whose name holds one of the filters.
pub(crate) fn run(workspace: &Workspace, filters: &[&str]) -> anyhow::Result<()> {
    let needs = needs::find()?;
    let tools = tools::install(workspace, &needs)?;
    suite::run_all(workspace, &tools, filters)
}
