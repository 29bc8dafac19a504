//! An echo through the gateway to a stdio server, against an echo of a bare rmcp server over HTTP.

use std::time::Instant;

use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{Peer, RoleClient};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use crate::Programs;
use crate::process::{Served, command};
use crate::report::{Row, quantile};

const WARM_UP: usize = 200;
const CALLS: usize = 1_500;
const IN_FLIGHT: usize = 64;
const LOADED_CALLS: usize = 6_000;

struct Figures {
    p50: f64,
    p99: f64,
    per_second: f64,
    errors: usize,
}

pub(crate) async fn measure(programs: &Programs) -> anyhow::Result<Vec<Row>> {
    let home = crate::idle::temporary_home("echo")?;
    let config = home.join("wharf.json");
    crate::idle::write_config(&config, &programs.stub, 1)?;
    let floor = Served::start(&mut command(&programs.floor_http, &home), false)?;
    let mut wharf = command(&programs.wharf, &home);
    wharf.arg("--only-config").arg(&config).args(["serve", "--http", "127.0.0.1:0"]);
    let gateway = Served::start(&mut wharf, true)?;
    let direct =
        CallToolRequestParams::new("echo").with_arguments(object(&serde_json::json!({"text": "hi"})));
    let through = CallToolRequestParams::new("mcp")
        .with_arguments(object(&serde_json::json!({"tool": "stub1_echo", "args": {"text": "hi"}})));
    let floor_figures = figures(&floor.url, &direct).await?;
    let gateway_figures = figures(&gateway.url, &through).await?;
    let resident = gateway.resident()?;
    drop((floor, gateway));
    crate::idle::remove(&home)?;
    #[expect(clippy::cast_precision_loss, reason = "a small count")]
    let errors = gateway_figures.errors as f64;
    Ok(vec![
        Row::new("echo HTTP → gateway → stdio, p50", "ms", Some(floor_figures.p50), gateway_figures.p50)
            .limit(1.5, 1.3),
        Row::new("the same, p99", "ms", Some(floor_figures.p99), gateway_figures.p99),
        Row::new(
            "throughput, 64 in flight",
            "calls/s",
            Some(floor_figures.per_second),
            gateway_figures.per_second,
        )
        .more_is_better()
        .limit(0.0, 0.6),
        Row::new("errors, 64 in flight", "calls", None, errors).limit(0.0, 0.0),
        Row::new("gateway under load, resident", "MiB", None, resident).limit(40.0, 20.0),
    ])
}

#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
async fn figures(url: &str, request: &CallToolRequestParams) -> anyhow::Result<Figures> {
    let config = StreamableHttpClientTransportConfig::with_uri(url).max_concurrent_requests(IN_FLIGHT);
    let mut client = ().serve(StreamableHttpClientTransport::from_config(config)).await?;
    let peer = client.peer().clone();
    let mut samples = Vec::with_capacity(CALLS);
    for call in 0..WARM_UP + CALLS {
        let start = Instant::now();
        let result = peer.call_tool(request.clone()).await?;
        anyhow::ensure!(result.is_error != Some(true), "the echo failed: {result:?}");
        if call >= WARM_UP {
            samples.push(start.elapsed().as_secs_f64() * 1000.0);
        }
    }
    let start = Instant::now();
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..IN_FLIGHT {
        workers.spawn(call_many(peer.clone(), request.clone(), LOADED_CALLS / IN_FLIGHT));
    }
    let errors = workers.join_all().await.into_iter().sum();
    #[expect(clippy::cast_precision_loss, reason = "a small count")]
    let per_second = (LOADED_CALLS / IN_FLIGHT * IN_FLIGHT) as f64 / start.elapsed().as_secs_f64();
    client.close().await?;
    Ok(Figures { p50: quantile(&mut samples, 0.5), p99: quantile(&mut samples, 0.99), per_second, errors })
}

async fn call_many(peer: Peer<RoleClient>, request: CallToolRequestParams, calls: usize) -> usize {
    let mut errors = 0;
    for _ in 0..calls {
        match peer.call_tool(request.clone()).await {
            Ok(result) if result.is_error != Some(true) => {}
            _ => errors += 1,
        }
    }
    errors
}

fn object(value: &serde_json::Value) -> serde_json::Map<String, serde_json::Value> {
    value.as_object().cloned().unwrap_or_default()
}
