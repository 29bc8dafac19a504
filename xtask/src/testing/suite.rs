//! The tests in their order: programs, examples of the documentation, the long run of the properties, tests. The tests
//! come last, so that the output ends with their summary.

use std::process::Command;

use crate::process::{cargo, probe, run};
use crate::say::say;
use crate::testing::tools::Tools;
use crate::workspace::Workspace;

/// How many random sequences the long run gives to each property of the machines.
const LONG_CASES: &str = "10000";

/// Runs the tests. With filters, only those tests; the long run and the examples are left out.
pub(super) fn run_all(workspace: &Workspace, tools: &Tools, filters: &[&str]) -> anyhow::Result<()> {
    let command = |arguments: &[&str]| {
        let mut command = cargo();
        command.current_dir(&workspace.root).args(arguments);
        command.env("WHARF_TEST_NODE_MODULES", &tools.node_modules).env("WHARF_TEST_VENV", &tools.venv);
        command
    };
    say("building the programs …")?;
    run(&mut command(&["build", "--workspace", "--bins"]))?;
    let nextest = probe(cargo().args(["nextest", "--version"])).is_some();
    let (tests, properties): (&[&str], &[&str]) = if nextest {
        (&["nextest", "run", "--workspace"], &["nextest", "run", "--profile", "long", "-p", "mcp-actors"])
    } else {
        (
            &["test", "--workspace", "--lib", "--bins", "--tests", "--examples"],
            &["test", "-p", "mcp-actors", "--lib"],
        )
    };
    if filters.is_empty() {
        say("running the examples of the documentation …")?;
        run(&mut command(&["test", "--workspace", "--doc"]))?;
        say(&format!("running the properties of the machines with {LONG_CASES} sequences …"))?;
        run(long(&mut command(properties)))?;
    }
    say("running the tests …")?;
    run(command(tests).arg("--").args(filters))
}

/// Narrows a run to the modules `properties`.
fn long(command: &mut Command) -> &mut Command {
    command.env("PROPTEST_CASES", LONG_CASES).args(["--", "properties::"])
}
