//! The chores of the workspace: `cargo xtask tidy | test | gen | bench`.
//!
//! **Job.** Checks the rules that no compiler checks, sets up what the tests need, writes the generated pages.
//!
//! **Not its job.** Nothing that ships. The order of the checks of a change stands in `.ci/run`.
//!
//! **Invariants.** What a chore makes goes below `target/`, except the pages of `gen`. A check prints every problem
//! it finds, each with its place, and then fails.
//!
//! **Start reading at** [`main`], then `tidy/`, `testing/`, `generate/`.

mod bench;
mod generate;
mod process;
mod say;
mod testing;
mod tidy;
mod workspace;

use std::process::ExitCode;

use anyhow::bail;

use crate::say::{complain, say};
use crate::workspace::Workspace;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

Commands:
  tidy              checks layers, file sizes, crate headers and generated pages
  test [FILTER]...  installs the tools of the tests and runs all tests, or those whose name holds a filter
  gen [--check]     writes docs/errors.md, docs/config.md and docs/cli.md, or tells which are stale
  bench [--check]   measures the release binary against the floor; with --check a missed limit is an error";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complain(&error),
    }
}

fn run(arguments: &[&str]) -> anyhow::Result<()> {
    match arguments {
        ["tidy"] => tidy::run(&Workspace::load()?),
        ["test", filters @ ..] => testing::run(&Workspace::load()?, filters),
        ["gen"] => generate::write(&Workspace::load()?),
        ["gen", "--check"] => generate::check(&Workspace::load()?),
        ["bench"] => bench::run(&Workspace::load()?, &[]),
        ["bench", "--check"] => bench::run(&Workspace::load()?, &["--check"]),
        [] | ["help" | "--help" | "-h"] => say(USAGE),
        other => bail!("`{}` is no chore.\n{USAGE}", other.join(" ")),
    }
}
