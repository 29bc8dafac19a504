//! A home of its own for each test, the binaries, and watching processes by pid.
#![expect(clippy::disallowed_methods, reason = "tests start processes and read files of their own")]
#![allow(dead_code, clippy::allow_attributes, reason = "each test binary uses its own part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Gives the path of the `wharf` binary: beside the stub server that was built for these tests.
pub(crate) fn wharf_binary() -> PathBuf {
    let path = stub_server().with_file_name(format!("wharf{}", std::env::consts::EXE_SUFFIX));
    assert!(path.is_file(), "{} is missing: `cargo xtask test` builds it", path.display());
    path
}

/// Gives the path of the stub server.
pub(crate) fn stub_server() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_stub-server"))
}

/// Gives where `cargo xtask test` put the tools of the tests.
pub(crate) fn tool(variable: &str) -> PathBuf {
    let path =
        std::env::var_os(variable).unwrap_or_else(|| panic!("{variable} is not set: run `cargo xtask test`"));
    PathBuf::from(path)
}

/// A home directory with a configuration, removed at the end.
pub(crate) struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    /// Makes a home whose project configuration holds these servers.
    pub(crate) fn new(servers: &Value) -> Self {
        let home = Self { dir: tempfile::tempdir().unwrap() };
        home.write(
            ".mcp.json",
            &serde_json::to_string_pretty(&serde_json::json!({ "mcpServers": servers })).unwrap(),
        );
        home
    }

    /// Makes a home with one stub server of a temper.
    pub(crate) fn with_stub(temper: &str) -> Self {
        Self::new(&serde_json::json!({"stub": {"command": stub_server(), "args": [temper]}}))
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    /// Makes a `wharf` command that sees this home alone.
    pub(crate) fn wharf(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(wharf_binary());
        for variable in
            ["WHARF_CONFIG_DIR", "WHARF_STATE_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "WHARF_DEPTH"]
        {
            command.env_remove(variable);
        }
        command.env("HOME", self.path()).env("WHARF_CACHE_DIR", self.path().join("cache"));
        // A mark by which the processes of this test are found.
        command.env("WHARF_TEST_MARK", self.path());
        command.current_dir(self.path()).args(arguments).stdin(Stdio::null());
        command
    }

    /// Runs `wharf` to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run(self.wharf(arguments).output().unwrap())
    }

    /// Gives the processes that carry this home's mark, without those of the test itself.
    pub(crate) fn processes(&self) -> Vec<u32> {
        marked(self.path())
    }

    /// Waits until no process of this home is left; panics after `limit`.
    pub(crate) fn wait_until_empty(&self, limit: Duration) {
        let end = Instant::now() + limit;
        loop {
            let left = self.processes();
            if left.is_empty() {
                return;
            }
            assert!(
                Instant::now() < end,
                "still alive after {limit:?}: {:?}",
                left.iter().map(|pid| describe(*pid)).collect::<Vec<_>>()
            );
            std::thread::yield_now();
        }
    }
}

/// A finished `wharf`.
pub(crate) struct Run(Output);

impl Run {
    pub(crate) fn code(&self) -> i32 {
        self.0.status.code().unwrap_or(-1)
    }

    pub(crate) fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.0.stdout).unwrap_or_else(|error| {
            panic!("no JSON ({error}): {:?}\nstderr: {}", self.stdout(), self.stderr())
        })
    }

    /// Asserts exit code 0 and gives the output.
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code(), 0, "stdout: {}\nstderr: {}", self.stdout(), self.stderr());
        self
    }
}

/// Finds the processes whose environment holds the mark of a home. Zombies are not alive.
fn marked(home: &Path) -> Vec<u32> {
    let mark = format!("WHARF_TEST_MARK={}", home.display());
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes()) && !is_zombie(*pid)
        })
        .collect()
}

fn is_zombie(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_none_or(|rest| rest.starts_with(['Z', 'X']))
}

fn describe(pid: u32) -> String {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    format!("{pid}: {}", String::from_utf8_lossy(&line).replace('\0', " "))
}
