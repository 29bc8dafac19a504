//! An echo through the gateway to a stdio server, against an echo of a bare rmcp server over HTTP.

use std::time::Instant;

use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{Peer, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use crate::Programs;
use crate::process::{Served, command};
use crate::report::{Row, quantile};

const TURNS: usize = 12;
const CALLS: usize = 150;
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
    let (floor_figures, gateway_figures) = figures(
        &Subject::connect(&floor.url, direct).await?,
        &Subject::connect(&gateway.url, through).await?,
    )
    .await?;
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

/// One side of the comparison: a connected client and what it asks.
struct Subject {
    client: RunningService<RoleClient, ()>,
    request: CallToolRequestParams,
}

impl Subject {
    async fn connect(url: &str, request: CallToolRequestParams) -> anyhow::Result<Self> {
        let config = StreamableHttpClientTransportConfig::with_uri(url).max_concurrent_requests(IN_FLIGHT);
        let client = ().serve(StreamableHttpClientTransport::from_config(config)).await?;
        Ok(Self { client, request })
    }

    /// Calls one after another and gives the milliseconds of each.
    #[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
    async fn one_by_one(&self, calls: usize) -> anyhow::Result<Vec<f64>> {
        let mut samples = Vec::with_capacity(calls);
        for _ in 0..calls {
            let start = Instant::now();
            let result = self.client.peer().call_tool(self.request.clone()).await?;
            samples.push(start.elapsed().as_secs_f64() * 1000.0);
            anyhow::ensure!(result.is_error != Some(true), "the echo failed: {result:?}");
        }
        Ok(samples)
    }

    /// Calls with many in flight; gives calls per second and failures.
    #[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
    async fn loaded(&self) -> (f64, usize) {
        let start = Instant::now();
        let mut workers = tokio::task::JoinSet::new();
        for _ in 0..IN_FLIGHT {
            workers.spawn(call_many(
                self.client.peer().clone(),
                self.request.clone(),
                LOADED_CALLS / IN_FLIGHT,
            ));
        }
        let errors = workers.join_all().await.into_iter().sum();
        #[expect(clippy::cast_precision_loss, reason = "a small count")]
        let calls = (LOADED_CALLS / IN_FLIGHT * IN_FLIGHT) as f64;
        (calls / start.elapsed().as_secs_f64(), errors)
    }
}

/// Measures both sides in turns, so that a change of the machine's mood meets both alike.
async fn figures(floor: &Subject, gateway: &Subject) -> anyhow::Result<(Figures, Figures)> {
    let mut samples = [Vec::new(), Vec::new()];
    for turn in 0..=TURNS {
        for (subject, samples) in [floor, gateway].into_iter().zip(&mut samples) {
            let measured = subject.one_by_one(CALLS).await?;
            // The first turn warms up.
            if turn > 0 {
                samples.extend(measured);
            }
        }
    }
    let [mut of_floor, mut of_gateway] = samples;
    Ok((summary(&mut of_floor, floor.loaded().await), summary(&mut of_gateway, gateway.loaded().await)))
}

fn summary(samples: &mut [f64], (per_second, errors): (f64, usize)) -> Figures {
    Figures { p50: quantile(samples, 0.5), p99: quantile(samples, 0.99), per_second, errors }
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
