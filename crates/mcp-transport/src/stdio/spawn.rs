//! The one place that starts processes.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::{Child, Command};

use crate::classify::{Failure, FailureClass};
use crate::connect_spec::StdioSpec;

/// Starts the process of a spec in a process group of its own, with all three standard streams piped.
pub(super) fn spawn(server: &str, spec: &StdioSpec) -> Result<Child, Failure> {
    let path = child_path(spec);
    if let Some(cwd) = &spec.cwd
        && !cwd.is_dir()
    {
        return Err(unreachable(format!(
            "server `{server}` cannot start: its working directory `{}` is no directory",
            cwd.display()
        )));
    }
    let Some(program) = find_program(&spec.command, path.as_deref(), spec.cwd.as_deref()) else {
        return Err(not_found(server, spec, path.as_deref()));
    };
    let mut command = bare_command(program.as_os_str());
    // The program sees the name it was called by, as from a shell.
    #[cfg(unix)]
    command.arg0(&spec.command);
    command.args(&spec.args).envs(&spec.base_env.0);
    for (key, value) in &spec.env {
        command.env(key, value.expose());
    }
    if let Some(cwd) = &spec.cwd {
        command.current_dir(cwd);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
        .spawn()
        .map_err(|error| unreachable(format!("server `{server}` cannot start: `{}`: {error}", spec.command)))
}

/// Starts a small shell program that reads our pipe and outlives us.
pub(super) fn spawn_shell(script: &str) -> std::io::Result<Child> {
    let mut command = bare_command(OsStr::new("/bin/sh"));
    command.args(["-c", script]).env("PATH", "/usr/bin:/bin");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}

#[expect(clippy::disallowed_methods, reason = "this is the file that the lint names")]
fn bare_command(program: &OsStr) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    #[cfg(unix)]
    command.process_group(0);
    command
}

/// Gives the `PATH` that the child will have; the lookup of its command uses the same.
fn child_path(spec: &StdioSpec) -> Option<OsString> {
    let overlay = spec.env.iter().rev().find(|(key, _)| key == "PATH");
    overlay
        .map(|(_, value)| OsString::from(value.expose()))
        .or_else(|| spec.base_env.0.get(OsStr::new("PATH")).cloned())
}

fn find_program(command: &str, path: Option<&OsStr>, cwd: Option<&Path>) -> Option<PathBuf> {
    if command.is_empty() {
        return None;
    }
    let written = Path::new(command);
    if written.components().count() > 1 || written.is_absolute() {
        let from = cwd.unwrap_or_else(|| Path::new(""));
        return Some(from.join(written)).filter(|file| is_program(file));
    }
    std::env::split_paths(path?).map(|directory| directory.join(written)).find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file() || file.with_extension("exe").is_file()
}

fn not_found(server: &str, spec: &StdioSpec, path: Option<&OsStr>) -> Failure {
    let command = &spec.command;
    if command.is_empty() {
        return unreachable(format!("server `{server}` has an empty command"));
    }
    let place = if command.contains(std::path::MAIN_SEPARATOR) {
        "there is no executable file of this name".to_owned()
    } else {
        let path = path.map_or_else(|| "is not set".into(), OsStr::to_string_lossy);
        format!("it is not in the PATH of the server ({path})")
    };
    unreachable(format!("server `{server}` cannot start: the command `{command}` was not found; {place}"))
}

fn unreachable(message: String) -> Failure {
    Failure::new(FailureClass::Unreachable, message)
}
