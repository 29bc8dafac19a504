//! One file a command. A command gets an open runtime, answers through the printer and gives an exit code.

mod call;
mod config;
mod connect;
mod demo;
mod list;
mod pairs;
mod prompts;
mod reference;
mod resources;
mod search;
mod serve;
mod show;

use std::time::Duration;

use wharf::{Error, ErrorCode, Runtime, ServerName};

use crate::args::{Cli, Command};
use crate::exit::Exit;
use crate::settings::Settings;
use crate::signals::asked_to_end;

/// How long running calls get at the end of a command.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// What a command ends in.
type Outcome = Result<Exit, Error>;

/// Runs one command to its end.
pub(crate) async fn run(cli: Cli) -> Exit {
    let settings = Settings::new(cli.global);
    let printer = settings.printer;
    dispatch(&settings, cli.command).await.unwrap_or_else(|error| printer.failure(&error))
}

async fn dispatch(settings: &Settings, command: Command) -> Outcome {
    match command {
        Command::Demo => demo::run(settings).await,
        Command::DemoServer(arguments) => serve::demo_server(settings, &arguments).await,
        Command::Serve(arguments) => serve::run(settings, &arguments).await,
        Command::Config(command) => config::run(settings, &command),
        Command::Completions(arguments) => Ok(reference::completions(settings.printer, arguments.shell)),
        Command::Reference => Ok(reference::markdown(settings.printer)),
        command => with_runtime(settings, command).await,
    }
}

/// Runs a command on an open runtime. Whatever ends it, the runtime is shut down before this returns.
async fn with_runtime(settings: &Settings, command: Command) -> Outcome {
    let runtime = settings.open().await?;
    let outcome = tokio::select! {
        outcome = one_shot(settings, &runtime, command) => outcome,
        () = asked_to_end() => Err(Error::new(ErrorCode::Cancelled, "interrupted")),
    };
    runtime.shutdown(SHUTDOWN_GRACE).await;
    outcome
}

async fn one_shot(settings: &Settings, runtime: &Runtime, command: Command) -> Outcome {
    match command {
        Command::Call(arguments) => call::run(settings, runtime, arguments).await,
        Command::Search(arguments) => search::run(settings, runtime, arguments).await,
        Command::Describe(arguments) => show::describe(settings, runtime, arguments).await,
        Command::List(arguments) => list::run(settings, runtime, arguments.server.as_deref()).await,
        Command::Status => Ok(show::status(settings, runtime)),
        Command::Instructions(arguments) => show::instructions(settings, runtime, &arguments.server),
        Command::Connect(arguments) => connect::connect(settings, runtime, &arguments.server).await,
        Command::Reconnect(arguments) => connect::reconnect(settings, runtime, arguments.server.as_deref()).await,
        Command::Resources(arguments) => resources::list(settings, runtime, arguments.server.as_deref()).await,
        Command::Read(arguments) => resources::read(settings, runtime, &arguments).await,
        Command::Prompts(arguments) => prompts::list(settings, runtime, arguments.server.as_deref()).await,
        Command::Prompt(arguments) => prompts::get(settings, runtime, &arguments).await,
        Command::Demo
        | Command::DemoServer(_)
        | Command::Serve(_)
        | Command::Config(_)
        | Command::Completions(_)
        | Command::Reference => Err(Error::new(ErrorCode::Internal, "this command takes no runtime")),
    }
}

/// Learns what all servers offer when nobody ever asked them: once, before the first answer from the catalogue.
async fn learn_first(settings: &Settings, runtime: &Runtime) {
    if runtime.catalogue_found() {
        return;
    }
    let enabled = runtime.roster().servers().filter(|server| !server.disabled).count();
    if enabled == 0 {
        return;
    }
    settings.printer.note(&format!("first use: asking {enabled} servers what they offer"));
    for (server, outcome) in runtime.mount_all().await.servers {
        if let Err(error) = outcome {
            settings.printer.note(&format!("{server} is left out: {}", error.message()));
        }
    }
}

fn parse_server(runtime: &Runtime, server: Option<&str>) -> Result<Option<ServerName>, Error> {
    server.map(|name| runtime.server_name(name)).transpose()
}
