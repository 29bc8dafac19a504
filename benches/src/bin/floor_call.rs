//! The floor of a cold call: a program that uses rmcp alone to start a server, call one tool and end.
//!
//! Usage: `floor-call COMMAND [ARG]…`; calls `echo` with `{"text":"hi"}` and prints the text.

use anyhow::Context as _;
use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::TokioChildProcess;

#[tokio::main(flavor = "current_thread")]
#[expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark program, not a part of Wharf"
)]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut command = tokio::process::Command::new(arguments.next().context("no command given")?);
    command.args(arguments);
    let mut client = ().serve(TokioChildProcess::new(command)?).await?;
    let arguments = serde_json::json!({"text": "hi"}).as_object().cloned().unwrap_or_default();
    let result = client.call_tool(CallToolRequestParams::new("echo").with_arguments(arguments)).await?;
    println!("{}", serde_json::to_string(&result)?);
    client.close().await?;
    Ok(())
}
