//! `cargo xtask bench`: builds what ships and what it is measured against, and measures.

use crate::process;
use crate::say::say;
use crate::workspace::Workspace;

/// Measures; `flags` go to the program that measures.
pub(crate) fn run(workspace: &Workspace, flags: &[&str]) -> anyhow::Result<()> {
    say("building the release programs …")?;
    let mut build = process::cargo();
    build.current_dir(&workspace.root).args(["build", "--release", "--bins"]);
    process::run(build.args(["-p", "mcp-cli", "-p", "wharf-bench", "-p", "wharf-tests"]))?;
    let mut bench = process::command(workspace.program("release", "bench"));
    for program in ["wharf", "stub-server", "floor-call", "floor-http"] {
        bench.arg(workspace.program("release", program));
    }
    process::run(bench.args(flags).current_dir(&workspace.root))
}
