//! What the demo's tools do.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, ErrorData, JsonObject, ProgressNotificationParam,
};
use rmcp::service::RequestContext;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Number, Value, json};

use super::picture::{LOGO_PNG_BASE64, PNG};
use super::tools::{MAX_BLOB_BYTES, MAX_GROWN, MAX_SLEEP_MS};

const PROGRESS_STEPS: u32 = 10;
const DEFAULT_LINES: u64 = 100;

/// What all sessions of one demo share.
#[derive(Debug)]
pub(super) struct Shared {
    environment: Vec<String>,
    calls: AtomicU64,
}

impl Shared {
    pub(super) fn new(environment: Vec<String>) -> Self {
        Self { environment, calls: AtomicU64::new(0) }
    }
}

/// Why a tool gave no result of its own.
enum Trouble {
    /// Told to the model, which may try again.
    Tool(String),
    /// Told to the client.
    Protocol(ErrorData),
}

/// Runs a tool. `grown` is the number of tools that `grow` has added to this session.
pub(super) async fn run(
    shared: &Shared,
    grown: &AtomicU64,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let arguments = request.arguments.unwrap_or_default();
    let outcome = match request.name.as_ref() {
        "echo" => echo(arguments),
        "add" => add(arguments),
        "sleep" => sleep(arguments, context).await,
        "blob" => blob(arguments),
        "fail" => fail(arguments),
        "picture" => Ok(CallToolResult::success(vec![ContentBlock::image(LOGO_PNG_BASE64, PNG)])),
        "grow" => grow(grown, context).await,
        "environment" => Ok(CallToolResult::structured(json!({"names": shared.environment}))),
        "counter" => {
            let count = shared.calls.fetch_add(1, Ordering::Relaxed) + 1;
            Ok(CallToolResult::structured(json!({"count": count})))
        }
        name => grown_tool(name, grown.load(Ordering::Relaxed)),
    };
    match outcome {
        Ok(result) => Ok(result),
        Err(Trouble::Tool(message)) => Ok(CallToolResult::error(vec![ContentBlock::text(message)])),
        Err(Trouble::Protocol(error)) => Err(error),
    }
}

fn echo(arguments: JsonObject) -> Result<CallToolResult, Trouble> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Echo {
        message: String,
    }
    let Echo { message } = read(arguments)?;
    let mut result = CallToolResult::structured(json!({"message": message}));
    result.content = vec![ContentBlock::text(message)];
    Ok(result)
}

fn add(arguments: JsonObject) -> Result<CallToolResult, Trouble> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Add {
        a: Number,
        b: Number,
    }
    let Add { a, b } = read(arguments)?;
    let whole = a.as_i64().zip(b.as_i64()).and_then(|(a, b)| a.checked_add(b)).map(Number::from);
    let sum = whole.or_else(|| Number::from_f64(a.as_f64()? + b.as_f64()?));
    let sum = sum.ok_or_else(|| Trouble::Tool("the sum is too large".to_owned()))?;
    let mut result = CallToolResult::structured(json!({"sum": sum}));
    result.content = vec![ContentBlock::text(sum.to_string())];
    Ok(result)
}

async fn sleep(
    arguments: JsonObject,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, Trouble> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sleep {
        ms: u64,
    }
    let Sleep { ms } = read(arguments)?;
    if ms > MAX_SLEEP_MS {
        return Err(Trouble::Tool(format!("ms may be {MAX_SLEEP_MS} at most")));
    }
    let step = Duration::from_millis(ms) / PROGRESS_STEPS;
    for number in 1..=PROGRESS_STEPS {
        tokio::select! {
            () = context.ct.cancelled() => {
                return Err(Trouble::Protocol(ErrorData::internal_error("cancelled", None)));
            }
            () = tokio::time::sleep(step) => report(number, context).await,
        }
    }
    Ok(CallToolResult::success(vec![ContentBlock::text(format!("slept for {ms} ms"))]))
}

/// Progress goes to clients that asked for it. One that has left is found out by the reply.
async fn report(step: u32, context: &RequestContext<RoleServer>) {
    let Some(token) = context.meta.get_progress_token() else { return };
    let progress = ProgressNotificationParam::new(token, f64::from(step))
        .with_total(f64::from(PROGRESS_STEPS))
        .with_message(format!("step {step} of {PROGRESS_STEPS}"));
    if let Err(error) = context.peer.notify_progress(progress).await {
        tracing::debug!(%error, "progress could not be told");
    }
}

fn blob(arguments: JsonObject) -> Result<CallToolResult, Trouble> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Blob {
        lines: Option<u64>,
        bytes: Option<u64>,
    }
    let text = match read(arguments)? {
        Blob { lines: Some(_), bytes: Some(_) } => {
            return Err(Trouble::Tool("give lines or bytes, not both".to_owned()));
        }
        Blob { bytes: Some(bytes), .. } => text_of_bytes(bytes)?,
        Blob { lines, .. } => text_of_lines(lines.unwrap_or(DEFAULT_LINES))?,
    };
    Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
}

fn text_of_lines(lines: u64) -> Result<String, Trouble> {
    let line = |number: u64| format!("line {number}: the quick brown fox jumps over the lazy dog\n");
    let longest = u64::try_from(line(lines).len()).unwrap_or(u64::MAX);
    if lines.saturating_mul(longest) > MAX_BLOB_BYTES {
        return Err(too_much());
    }
    Ok((1..=lines).map(line).collect())
}

fn text_of_bytes(bytes: u64) -> Result<String, Trouble> {
    if bytes > MAX_BLOB_BYTES {
        return Err(too_much());
    }
    let bytes = usize::try_from(bytes).map_err(|_| too_much())?;
    let alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";
    Ok(alphabet.chars().cycle().take(bytes).collect())
}

fn too_much() -> Trouble {
    Trouble::Tool(format!("a text may have {MAX_BLOB_BYTES} bytes at most"))
}

fn fail(arguments: JsonObject) -> Result<CallToolResult, Trouble> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Fail {
        message: Option<String>,
    }
    let Fail { message } = read(arguments)?;
    Err(Trouble::Tool(message.unwrap_or_else(|| "this tool always fails".to_owned())))
}

async fn grow(grown: &AtomicU64, context: &RequestContext<RoleServer>) -> Result<CallToolResult, Trouble> {
    let added = grown
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| (count < MAX_GROWN).then_some(count + 1));
    let Ok(before) = added else {
        return Err(Trouble::Tool(format!("the list has grown {MAX_GROWN} times already")));
    };
    if let Err(error) = context.peer.notify_tool_list_changed().await {
        tracing::debug!(%error, "the change of the list could not be told");
    }
    let name = format!("grown_{}", before + 1);
    Ok(CallToolResult::success(vec![ContentBlock::text(format!("added the tool {name}"))]))
}

fn grown_tool(name: &str, grown: u64) -> Result<CallToolResult, Trouble> {
    let number = name.strip_prefix("grown_").and_then(|number| number.parse::<u64>().ok());
    match number {
        Some(number) if (1..=grown).contains(&number) => {
            Ok(CallToolResult::success(vec![ContentBlock::text(format!("this is tool number {number}"))]))
        }
        _ => Err(Trouble::Protocol(ErrorData::invalid_params(format!("unknown tool {name:?}"), None))),
    }
}

fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Trouble> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Trouble::Tool(format!("the arguments do not fit: {error}")))
}
