//! The program `wharf`: MCP servers behind one small tool, from the command line.
//!
//! **Job.** Reads arguments, opens a runtime, runs one command, prints, gives an exit code. Owns all process globals:
//! signals, the log, the exit code.
//!
//! **Not its job.** No protocol, no policy, no naming: whatever a second face would need lives in a library.
//!
//! **Invariants.** Standard output holds the answer alone. Text of servers is made safe before it is printed. The
//! runtime is shut down before the process ends, so no child is left.
//!
//! **Start reading at** `args.rs`, then `commands/mod.rs`.

mod args;
mod commands;
mod exit;
mod printer;
mod sanitize;
mod settings;
mod signals;
mod telemetry;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Cli, Command};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            return printer::usage(&error, std::env::args_os().any(|argument| argument == "--json")).into();
        }
    };
    telemetry::install(cli.global.verbose, cli.global.quiet);
    let mut runtime = if matches!(cli.command, Command::Serve(_) | Command::DemoServer(_)) {
        tokio::runtime::Builder::new_multi_thread()
    } else {
        tokio::runtime::Builder::new_current_thread()
    };
    let runtime = match runtime.worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            tracing::error!(%error, "cannot start");
            return ExitCode::FAILURE;
        }
    };
    let exit = runtime.block_on(Box::pin(commands::run(cli)));
    // A blocked read of standard input must not hold the process.
    runtime.shutdown_background();
    exit.into()
}
