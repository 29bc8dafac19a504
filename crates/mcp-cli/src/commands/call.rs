//! `wharf call`: one call; text to standard output, pictures and the like into files.

use std::path::Path;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use wharf::{
    Arguments, CallOutput, CallRequest, CallTarget, ContentBlock, Error, ErrorCode, GuardReport, Origin,
    PublicToolName, Runtime, ServerName, SessionId, ToolName,
};

use super::{Outcome, parse_server};
use crate::args::Call;
use crate::exit::Exit;
use crate::settings::Settings;

/// Servers write Base64 with and without its padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

pub(super) async fn run(settings: &Settings, runtime: &Runtime, call: Call) -> Outcome {
    let reads_elsewhere = call.args.as_deref().is_some_and(|text| text.starts_with(['-', '@']));
    let (whole, pairs, cwd) = (call.args, call.pairs, settings.cwd()?);
    let read = move || super::pairs::arguments(whole.as_deref(), &pairs, &cwd);
    let arguments = if reads_elsewhere {
        // Standard input or a pipe may take as long as it likes; an interrupt must get through.
        let reading = tokio::task::spawn_blocking(read);
        reading.await.map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))??
    } else {
        read()?
    };
    let arguments = Arguments::parse(mcp_types::object::to_raw(&arguments).get())
        .map_err(|error| Error::new(ErrorCode::InvalidArguments, error.to_string()))?;
    let request = CallRequest {
        target: CallTarget { server: parse_server(runtime, call.server.as_deref())?, tool: call.tool },
        arguments,
        origin: Origin::Cli,
        session: SessionId::new("cli"),
        timeout: None,
    };
    let printer = settings.printer;
    let progress = move |progress: wharf::Progress| {
        if let Some(message) = &progress.message {
            printer.progress(message);
        }
    };
    let answer = runtime.call_with_progress(request, std::sync::Arc::new(progress)).await?;
    printer.answer(&Answer::of(&answer), || as_text(&answer, runtime.results_dir().as_deref()));
    Ok(if answer.output.is_error { Exit::ToolError } else { Exit::Done })
}

/// The result goes out as it came in; a JSON value in between would lose digits of large numbers.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    server: &'a ServerName,
    tool: &'a ToolName,
    name: &'a PublicToolName,
    is_error: bool,
    content: &'a [ContentBlock],
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<&'a RawValue>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    guard: Option<&'a GuardReport>,
    duration_ms: u64,
}

impl<'a> Answer<'a> {
    fn of(answer: &'a CallOutput) -> Self {
        Self {
            server: &answer.tool.server,
            tool: &answer.tool.tool,
            name: &answer.name,
            is_error: answer.output.is_error,
            content: &answer.output.content,
            structured_content: answer.output.structured_content.as_deref(),
            meta: answer.output.extra.get("_meta"),
            guard: answer.guard.as_ref(),
            duration_ms: u64::try_from(answer.duration.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// Gives what a person reads: the text blocks, and where everything else was put.
pub(super) fn as_text(answer: &CallOutput, files: Option<&Path>) -> String {
    let mut parts: Vec<String> = answer.output.content.iter().map(|block| block_text(block, files)).collect();
    if parts.is_empty()
        && let Some(structured) = &answer.output.structured_content
    {
        let value: Value = serde_json::from_str(structured.get()).unwrap_or_default();
        parts.push(serde_json::to_string_pretty(&value).unwrap_or_default());
    }
    if parts.is_empty() {
        parts.push("(empty result)".to_owned());
    }
    parts.join("\n")
}

fn block_text(block: &ContentBlock, files: Option<&Path>) -> String {
    match block {
        ContentBlock::Text { text, .. } => text.clone(),
        ContentBlock::Image { data, mime_type, .. } => saved("image", data, mime_type, files),
        ContentBlock::Audio { data, mime_type, .. } => saved("audio", data, mime_type, files),
        ContentBlock::ResourceLink { uri, name, .. } => format!("[link {name}: {uri}]"),
        ContentBlock::Resource { resource, .. } => {
            let uri: String = resource.read("uri").unwrap_or_default();
            if let Some(text) = resource.read::<String>("text") {
                return format!("[resource {uri}]\n{text}");
            }
            let mime: String =
                resource.read("mimeType").unwrap_or_else(|| "application/octet-stream".to_owned());
            match resource.read::<String>("blob") {
                Some(blob) => saved(&format!("resource {uri}"), &blob, &mime, files),
                None => format!("[resource {uri}]"),
            }
        }
        ContentBlock::Other(_) | _ => serde_json::to_string(block).unwrap_or_default(),
    }
}

/// Puts bytes into a private file and names it.
pub(super) fn saved(what: &str, data: &str, mime_type: &str, files: Option<&Path>) -> String {
    let mime_type: String = mime_type.chars().take(100).collect();
    let Ok(bytes) = BASE64.decode(data) else {
        return format!("[{what}, {mime_type}: not valid Base64]");
    };
    let size = bytes.len();
    let Some(dir) = files else { return format!("[{what}, {mime_type}, {size} bytes]") };
    let written = mcp_fs::create_private_dir(dir)
        .and_then(|()| mcp_fs::create_private_file(dir, "result-", extension(&mime_type), &bytes));
    match written {
        Ok(path) => format!("[{what}, {mime_type}, {size} bytes: {}]", path.display()),
        Err(error) => format!("[{what}, {mime_type}, {size} bytes, not saved: {error}]"),
    }
}

fn extension(mime_type: &str) -> &'static str {
    match mime_type {
        "image/png" => ".png",
        "image/jpeg" => ".jpg",
        "image/gif" => ".gif",
        "image/webp" => ".webp",
        "image/svg+xml" => ".svg",
        "audio/wav" | "audio/x-wav" => ".wav",
        "audio/mpeg" => ".mp3",
        "application/pdf" => ".pdf",
        "application/json" => ".json",
        _ => ".bin",
    }
}
