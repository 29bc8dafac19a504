//! A running gateway over HTTP, ended with its value.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use crate::support::Home;

pub(crate) struct Gateway {
    child: Child,
    pub(crate) url: String,
}

impl Gateway {
    pub(crate) fn start(home: &Home) -> Self {
        let mut child =
            home.wharf(&["serve", "--http", "127.0.0.1:0"]).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let url = lines
            .by_ref()
            .find_map(|line| {
                let line = line.unwrap();
                line.split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned)
            })
            .unwrap_or_else(|| panic!("the gateway told no address"));
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url: url.trim_end_matches(['.', ',']).to_owned() }
    }

    /// Asks the gateway to end and gives its exit code.
    pub(crate) fn stop(mut self) -> Option<i32> {
        self.terminate();
        self.child.wait().unwrap().code()
    }

    fn terminate(&self) {
        let pid = rustix::process::Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        let _gone = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.terminate();
            let _reaped = self.child.wait();
        }
    }
}
