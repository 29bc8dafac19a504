//! The log: standard error, warnings by default.

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Installs the subscriber of this process.
pub(crate) fn install(verbose: u8, quiet: bool) {
    let level = match (quiet, verbose) {
        (true, _) => LevelFilter::ERROR,
        (false, 0) => LevelFilter::WARN,
        (false, 1) => LevelFilter::INFO,
        (false, _) => LevelFilter::DEBUG,
    };
    // rmcp shows whole messages from `info` on; they may hold secrets.
    let protocol = match (quiet, verbose) {
        (true, _) => LevelFilter::OFF,
        (false, 0) => LevelFilter::ERROR,
        (false, _) => LevelFilter::WARN,
    };
    let targets = Targets::new()
        .with_default(level)
        .with_target("rmcp", protocol)
        .with_target("hyper", level.min(LevelFilter::INFO))
        .with_target("reqwest", level.min(LevelFilter::INFO));
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .without_time()
        // Telling about a closed standard error would write to it, and that would be a panic.
        .log_internal_errors(false);
    let installed = tracing_subscriber::registry().with(targets).with(lines).try_init();
    if let Err(error) = installed {
        tracing::debug!(%error, "a subscriber was installed before");
    }
}
