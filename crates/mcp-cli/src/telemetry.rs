//! The log: standard error, warnings by default.

use tracing_subscriber::EnvFilter;

/// Installs the subscriber of this process.
pub(crate) fn install(verbose: u8, quiet: bool) {
    // rmcp shows whole messages from `info` on; they may hold secrets.
    let directives = match (quiet, verbose) {
        (true, _) => "error,rmcp=off",
        (false, 0) => "warn,rmcp=error",
        (false, 1) => "info,rmcp=warn",
        (false, _) => "debug,rmcp=warn,hyper=info,reqwest=info",
    };
    let installed = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(directives))
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .without_time()
        // Telling about a closed standard error would write to it, and that would be a panic.
        .log_internal_errors(false)
        .try_init();
    if let Err(error) = installed {
        tracing::debug!(%error, "a subscriber was installed before");
    }
}
