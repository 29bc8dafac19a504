//! From flags and environment to an open runtime.

use std::path::PathBuf;

use wharf::{Diagnostic, Environment, Error, ErrorCode, Runtime, RuntimeBuilder, Severity};

use crate::args::Global;
use crate::printer::Printer;

/// What every command works with.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) global: Global,
    pub(crate) printer: Printer,
}

impl Settings {
    pub(crate) fn new(global: Global) -> Self {
        let printer = Printer::new(global.json, global.quiet);
        Self { global, printer }
    }

    /// Gives the directory to work in, as an absolute path.
    pub(crate) fn cwd(&self) -> Result<PathBuf, Error> {
        let Some(dir) = &self.global.cwd else { return current_dir() };
        let here = current_dir()?.join(dir);
        if here.is_dir() {
            return Ok(here);
        }
        Err(Error::new(ErrorCode::FileAccess, format!("{} is no directory", here.display()))
            .with_hint("give --cwd a directory that is there"))
    }

    pub(crate) fn builder(&self) -> Result<RuntimeBuilder, Error> {
        let mut builder = Runtime::builder().read_in_place().discover(self.cwd()?)?;
        if let Some(file) = &self.global.config {
            builder = builder.config_file(file);
        }
        if let Some(file) = &self.global.only_config {
            builder = builder.only_config(file);
        }
        if let Some(timeout) = self.global.timeout {
            builder = builder.request_timeout(timeout);
        }
        Ok(builder)
    }

    /// Opens the runtime and tells once what is wrong with the files.
    pub(crate) async fn open(&self, builder: RuntimeBuilder) -> Result<Runtime, Error> {
        let runtime = builder.environment(Environment::from_process()).build().await?;
        self.tell(&runtime.diagnostics());
        Ok(runtime)
    }

    /// Tells what is wrong: errors always, warnings unless told to be quiet.
    pub(crate) fn tell(&self, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => self.printer.say(&diagnostic.to_string()),
                Severity::Warning => self.printer.note(&diagnostic.to_string()),
                Severity::Info => {}
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the binary owns the process")]
pub(crate) fn current_dir() -> Result<PathBuf, Error> {
    std::env::current_dir().map_err(|error| {
        Error::new(ErrorCode::FileAccess, format!("the working directory is not usable: {error}"))
    })
}
