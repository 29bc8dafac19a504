//! `wharf serve` and `wharf demo-server`.

use std::net::SocketAddr;

use mcp_gateway::{GatewayError, HttpOptions, demo, serve_http, serve_stdio};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use wharf::{DEPTH_VARIABLE, Environment, Error, ErrorCode, MAX_DEPTH, Runtime};

use super::{Outcome, SHUTDOWN_GRACE};
use crate::args::{DemoServer, Serve};
use crate::exit::Exit;
use crate::settings::Settings;
use crate::signals::Ending;

pub(super) async fn run(settings: &Settings, arguments: &Serve) -> Outcome {
    refuse_loops(Environment::from_process().depth())?;
    let mut ending = Ending::listen();
    let runtime = settings.open(settings.builder()?).await?;
    let outcome = Box::pin(serve(settings, &runtime, arguments.http, &mut ending)).await;
    runtime.shutdown(SHUTDOWN_GRACE).await;
    outcome
}

/// A gateway that mounts itself would go on for ever; the marker that children get tells how deep it has come.
fn refuse_loops(depth: u32) -> Result<(), Error> {
    if depth < MAX_DEPTH {
        return Ok(());
    }
    Err(Error::new(ErrorCode::ConfigInvalid, format!("Wharf runs inside Wharf {depth} levels deep already"))
        .with_hint(format!(
            "take out the server entry that starts Wharf itself; {DEPTH_VARIABLE} counts the levels"
        )))
}

async fn serve(
    settings: &Settings,
    runtime: &Runtime,
    http: Option<SocketAddr>,
    ending: &mut Ending,
) -> Outcome {
    tokio::select! {
        mounted = mount_required(runtime) => mounted?,
        () = ending.asked() => return Ok(Exit::Done),
    }
    let shutdown = CancellationToken::new();
    let serving = async {
        match http {
            Some(address) => {
                let listener = listen(address).await?;
                tell_address(settings, &listener)?;
                serve_http(runtime.clone(), listener, HttpOptions::default(), shutdown.clone())
                    .await
                    .map_err(|error| explain(&error))
            }
            None => serve_stdio(runtime.clone(), shutdown.clone()).await.map_err(|error| explain(&error)),
        }
    };
    let ending = async {
        ending.asked().await;
        shutdown.cancel();
    };
    Box::pin(with_helpers(serving, ending, learn_in_background(runtime))).await
}

/// Runs the service to its end; the helpers go on beside it and are dropped with it.
async fn with_helpers(
    serving: impl Future<Output = Result<(), Error>>,
    ending: impl Future<Output = ()>,
    learning: impl Future<Output = ()>,
) -> Outcome {
    let helpers = async {
        tokio::join!(ending, learning);
        std::future::pending::<()>().await;
    };
    tokio::select! {
        served = serving => served.map(|()| Exit::Done),
        () = helpers => Ok(Exit::Done),
    }
}

/// On the very first start nothing is known of any server: asks them all once while the gateway serves already.
async fn learn_in_background(runtime: &Runtime) {
    if runtime.catalogue_found() {
        return;
    }
    for (server, outcome) in runtime.mount_all().await.servers {
        if let Err(error) = outcome {
            tracing::warn!(%server, %error, "not learned");
        }
    }
}

async fn mount_required(runtime: &Runtime) -> Result<(), Error> {
    let config = runtime.config();
    let required: Vec<&str> =
        config.servers.iter().filter(|server| server.required).map(|server| server.name.as_str()).collect();
    if required.is_empty() {
        return Ok(());
    }
    let report = runtime.mount(&required).await;
    let failed = report.servers.into_iter().find_map(|(_, outcome)| outcome.err());
    failed.map_or(Ok(()), Err)
}

pub(super) async fn demo_server(settings: &Settings, arguments: &DemoServer) -> Outcome {
    let mut ending = Ending::listen();
    let Some(address) = arguments.http else {
        let served = tokio::select! {
            served = demo::serve_demo_stdio() => served,
            () = ending.asked() => Ok(()),
        };
        return served.map(|()| Exit::Done).map_err(|error| explain(&error));
    };
    let listener = listen(address).await?;
    tell_address(settings, &listener)?;
    let cancel = CancellationToken::new();
    let ending = async {
        ending.asked().await;
        cancel.cancel();
    };
    let serving =
        async { demo::serve_demo_http(listener, cancel.clone()).await.map_err(|error| explain(&error)) };
    with_helpers(serving, ending, std::future::ready(())).await
}

async fn listen(address: SocketAddr) -> Result<TcpListener, Error> {
    TcpListener::bind(address).await.map_err(|error| {
        Error::new(ErrorCode::InvalidRequest, format!("cannot listen on {address}: {error}"))
            .with_hint("choose another port, or :0 for any free one")
    })
}

/// Tells where it listens, also with --quiet: whoever started this waits for the line.
fn tell_address(settings: &Settings, listener: &TcpListener) -> Result<(), Error> {
    let address = listener
        .local_addr()
        .map_err(|error| Error::new(ErrorCode::Internal, format!("the listener has no address: {error}")))?;
    settings.printer.say(&format!("listening on http://{address}{}", mcp_gateway::http::MCP_PATH));
    Ok(())
}

fn explain(error: &GatewayError) -> Error {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    let explained = Error::new(error.code(), text);
    match error.hint() {
        Some(hint) => explained.with_hint(hint),
        None => explained,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gateway_three_levels_deep_does_not_start() {
        assert!(refuse_loops(0).is_ok() && refuse_loops(2).is_ok());
        let error = refuse_loops(3).unwrap_err();
        assert_eq!(error.code(), ErrorCode::ConfigInvalid);
        assert!(error.hint().unwrap().contains("WHARF_DEPTH"));
    }
}
