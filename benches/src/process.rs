//! Starting, timing and reading the processes that are measured.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::Context as _;

/// Makes a command that sees none of the files of the person who measures.
#[expect(clippy::disallowed_methods, reason = "the benchmark measures whole processes")]
pub(crate) fn command(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("HOME", home).env_remove("WHARF_CONFIG_DIR").env("WHARF_CACHE_DIR", home.join("cache"));
    command.env_remove("XDG_CONFIG_HOME").current_dir(home);
    command
}

/// Runs a command to its end and gives the milliseconds it took.
#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
pub(crate) fn time(command: &mut Command) -> anyhow::Result<f64> {
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {command:?}"))?;
    let elapsed = start.elapsed().as_secs_f64() * 1000.0;
    anyhow::ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(elapsed)
}

/// A server that is ended with this value.
pub(crate) struct Served {
    child: Child,
    pub(crate) url: String,
    /// Milliseconds from the start to the line that tells the address.
    pub(crate) ready: f64,
}

impl Served {
    /// Starts a server and reads lines of the given stream until one holds a URL.
    #[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
    pub(crate) fn start(command: &mut Command, from_stderr: bool) -> anyhow::Result<Self> {
        command.stdin(Stdio::piped());
        if from_stderr {
            command.stderr(Stdio::piped())
        } else {
            command.stdout(Stdio::piped())
        };
        let start = Instant::now();
        let mut child = command.spawn().with_context(|| format!("cannot run {command:?}"))?;
        let stream: Box<dyn std::io::Read + Send> = if from_stderr {
            Box::new(child.stderr.take().context("no stderr")?)
        } else {
            Box::new(child.stdout.take().context("no stdout")?)
        };
        let mut lines = BufReader::new(stream).lines();
        let url = loop {
            let line = lines.next().context("the server ended before it told its address")??;
            let found = line.split_whitespace().find(|word| word.starts_with("http://"));
            if let Some(url) = found {
                break url.trim_end_matches(['.', ',']).to_owned();
            }
        };
        let ready = start.elapsed().as_secs_f64() * 1000.0;
        // Keeps the pipe open, so that the server never writes into a closed one.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self { child, url, ready })
    }

    /// Gives the resident memory in MiB.
    #[expect(clippy::disallowed_methods, reason = "the figure lives in a file of the kernel")]
    pub(crate) fn resident(&self) -> anyhow::Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS")?;
        let kib: f64 = line.split_whitespace().nth(1).context("no figure")?.parse()?;
        Ok(kib / 1024.0)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let pid = self.child.id().to_string();
        #[expect(clippy::disallowed_methods, reason = "ends the one process that this value started")]
        let asked = Command::new("kill").args(["-TERM", &pid]).status();
        if asked.is_err() {
            let _killed = self.child.kill();
        }
        let _reaped = self.child.wait();
    }
}
