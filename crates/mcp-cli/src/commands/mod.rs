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
use crate::signals::Ending;

/// How long running calls get at the end of a command.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// What a command ends in.
type Outcome = Result<Exit, Error>;

/// Runs one command to its end.
pub(crate) async fn run(cli: Cli) -> Exit {
    let settings = Settings::new(cli.global);
    let printer = settings.printer;
    Box::pin(dispatch(&settings, cli.command)).await.unwrap_or_else(|error| printer.failure(&error))
}

async fn dispatch(settings: &Settings, command: Command) -> Outcome {
    let to = settings;
    match command {
        Command::Demo => demo::run(settings).await,
        Command::DemoServer(arguments) => serve::demo_server(settings, &arguments).await,
        Command::Serve(arguments) => Box::pin(serve::run(settings, &arguments)).await,
        Command::Config(command) => config::run(settings, &command),
        Command::Completions(arguments) => Ok(reference::completions(settings.printer, arguments.shell)),
        Command::Reference => Ok(reference::markdown(settings.printer)),
        Command::Call(asked) => with_runtime(to, async |runtime| call::run(to, runtime, asked).await).await,
        Command::Search(asked) => with_catalogue(to, async |runtime| search::run(to, runtime, &asked)).await,
        Command::Describe(asked) => {
            with_catalogue(to, async |runtime| show::describe(to, runtime, asked)).await
        }
        Command::List(asked) => {
            with_catalogue(to, async |runtime| list::run(to, runtime, asked.server.as_deref())).await
        }
        Command::Status => with_runtime(to, async |runtime| Ok(show::status(to, runtime))).await,
        Command::Instructions(asked) => {
            with_runtime(to, async |runtime| show::instructions(to, runtime, &asked.server)).await
        }
        Command::Connect(asked) => {
            with_runtime(to, async |runtime| connect::connect(to, runtime, &asked.server).await).await
        }
        Command::Reconnect(asked) => {
            with_runtime(to, async |runtime| connect::reconnect(to, runtime, asked.server.as_deref()).await)
                .await
        }
        Command::Resources(asked) => {
            with_catalogue(to, async |runtime| resources::list(to, runtime, asked.server.as_deref()).await)
                .await
        }
        Command::Read(asked) => {
            with_runtime(to, async |runtime| resources::read(to, runtime, &asked).await).await
        }
        Command::Prompts(asked) => {
            with_catalogue(to, async |runtime| prompts::list(to, runtime, asked.server.as_deref()).await)
                .await
        }
        Command::Prompt(asked) => {
            with_runtime(to, async |runtime| prompts::get(to, runtime, &asked).await).await
        }
    }
}

/// Runs a command on an open runtime. Whatever ends it, the runtime is shut down before this returns.
async fn with_runtime(settings: &Settings, command: impl AsyncFnOnce(&Runtime) -> Outcome) -> Outcome {
    let mut ending = Ending::listen();
    // A command asks one thing and ends: it wakes no server that it does not need.
    let runtime = settings.open(settings.builder()?.all_lazy()).await?;
    let outcome = tokio::select! {
        outcome = Box::pin(command(&runtime)) => outcome,
        () = ending.asked() => Err(Error::new(ErrorCode::Cancelled, "interrupted")),
    };
    runtime.shutdown(SHUTDOWN_GRACE).await;
    outcome
}

/// Runs a command that answers from the catalogue. Where there never was a catalogue, all servers are asked once first;
/// from then on such a command starts nothing.
async fn with_catalogue(settings: &Settings, command: impl AsyncFnOnce(&Runtime) -> Outcome) -> Outcome {
    with_runtime(settings, async |runtime| {
        learn_first(settings, runtime).await;
        command(runtime).await
    })
    .await
}

async fn learn_first(settings: &Settings, runtime: &Runtime) {
    let enabled = runtime.roster().servers().filter(|server| !server.disabled).count();
    if runtime.catalogue_found() || enabled == 0 {
        return;
    }
    settings.printer.note(&format!("first use: asking {enabled} servers what they offer"));
    for (server, outcome) in runtime.mount_all().await.servers {
        if let Err(error) = outcome {
            settings.printer.note(&format!("{server} is left out: {}", error.message()));
        }
    }
}

/// Tells which servers the catalogue knows nothing of. Answers from the catalogue start nothing; a person decides that.
fn tell_unknown(settings: &Settings, runtime: &Runtime, only: Option<&ServerName>) {
    let roster = runtime.roster();
    let unknown: Vec<&str> = roster
        .servers()
        .filter(|server| !server.disabled && !server.known)
        .filter(|server| only.is_none_or(|name| server.name == *name))
        .map(|server| server.name.as_str())
        .collect();
    match unknown.as_slice() {
        [] => {}
        [one] => settings.printer.note(&format!("nothing is known of {one} yet: wharf connect {one}")),
        more => settings
            .printer
            .note(&format!("nothing is known yet of {}; learn them all: wharf reconnect", more.join(", "))),
    }
}

/// Connects the one server that was asked for when nothing is known of it; of all servers only what is known is told.
async fn learn_asked(
    settings: &Settings,
    runtime: &Runtime,
    server: Option<&ServerName>,
) -> Result<(), Error> {
    let Some(name) = server else {
        tell_unknown(settings, runtime, None);
        return Ok(());
    };
    if runtime.roster().server(name.as_str()).is_some_and(|entry| !entry.known) {
        runtime.connect(name.as_str()).await?;
    }
    Ok(())
}

fn parse_server(runtime: &Runtime, server: Option<&str>) -> Result<Option<ServerName>, Error> {
    server.map(|name| runtime.server_name(name)).transpose()
}
