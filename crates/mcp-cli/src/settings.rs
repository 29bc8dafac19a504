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

    /// Gives the directory to work in.
    pub(crate) fn cwd(&self) -> Result<PathBuf, Error> {
        match &self.global.cwd {
            Some(dir) => Ok(dir.clone()),
            None => current_dir(),
        }
    }

    pub(crate) fn builder(&self) -> Result<RuntimeBuilder, Error> {
        let mut builder = Runtime::builder().discover(self.cwd()?)?;
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
    pub(crate) async fn open(&self) -> Result<Runtime, Error> {
        let runtime = self.builder()?.environment(Environment::from_process()).build().await?;
        for diagnostic in runtime.diagnostics().iter().filter(|found| found.severity > Severity::Info) {
            self.printer.note(&brief(diagnostic));
        }
        Ok(runtime)
    }
}

fn brief(diagnostic: &Diagnostic) -> String {
    diagnostic.to_string()
}

#[expect(clippy::disallowed_methods, reason = "the binary owns the process")]
pub(crate) fn current_dir() -> Result<PathBuf, Error> {
    std::env::current_dir()
        .map_err(|error| Error::new(ErrorCode::FileAccess, format!("the working directory is not usable: {error}")))
}
