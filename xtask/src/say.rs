//! Lines for the person who runs a chore.

use std::io::Write as _;

/// Writes one line to the standard output.
pub(crate) fn say(line: &str) -> anyhow::Result<()> {
    writeln!(std::io::stdout().lock(), "{line}")?;
    Ok(())
}
