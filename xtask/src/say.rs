//! Lines for the person who runs a chore.

use std::io::Write as _;
use std::process::ExitCode;

/// Writes one line to the standard output.
pub(crate) fn say(line: &str) -> anyhow::Result<()> {
    writeln!(std::io::stdout().lock(), "{line}")?;
    Ok(())
}

/// Writes an error with its causes to the standard error and gives the exit code for it.
pub(crate) fn complain(error: &anyhow::Error) -> ExitCode {
    // Nobody is left to hear of a closed standard error.
    let _unheard = writeln!(std::io::stderr().lock(), "error: {error:#}");
    ExitCode::FAILURE
}
