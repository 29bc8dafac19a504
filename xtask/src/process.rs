//! Running other programs: to the terminal, or for their output. None gets an input.
#![expect(clippy::disallowed_methods, reason = "a chore runs cargo, npm and python; nothing here ships")]

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};

/// Gives a command for cargo, the same one that runs this chore.
pub(crate) fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Gives a command that reads nothing.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null());
    command
}

/// Runs a command that speaks to the terminal. An exit code other than 0 is an error.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", shown(command)))?;
    if !status.success() {
        bail!("{} failed: {status}", shown(command));
    }
    Ok(())
}

/// Runs a command and gives its standard output. Its messages go to the terminal.
pub(crate) fn capture(command: &mut Command) -> anyhow::Result<String> {
    command.stderr(Stdio::inherit());
    let output = command.output().with_context(|| format!("cannot start {}", shown(command)))?;
    if !output.status.success() {
        bail!("{} failed: {}", shown(command), output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("the output of {} is no UTF-8", shown(command)))
}

/// Runs a command silently and gives its standard output if it could be started and ended well.
pub(crate) fn probe(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    format!("`{}`", words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_command_is_named_with_its_arguments() {
        let error = run(command("sh").args(["-c", "exit 3"])).unwrap_err().to_string();
        assert!(error.starts_with("`sh -c exit 3` failed"), "{error}");
        assert!(
            capture(&mut command("no-such-program")).unwrap_err().to_string().contains("no-such-program")
        );
    }

    #[test]
    fn a_probe_of_a_missing_program_is_none() {
        assert_eq!(probe(&mut command("no-such-program")), None);
        assert_eq!(probe(command("echo").arg("v1")), Some("v1".to_owned()));
    }
}
