//! `wharf call`: one call; text to standard output, pictures and the like into files.

use std::path::Path;

use serde_json::{Value, json};
use wharf::{
    Arguments, CallOutput, CallRequest, CallTarget, ContentBlock, Error, ErrorCode, Origin, Runtime, SessionId,
};

use super::{Outcome, parse_server};
use crate::args::Call;
use crate::exit::Exit;
use crate::settings::Settings;

pub(super) async fn run(settings: &Settings, runtime: &Runtime, call: Call) -> Outcome {
    let (whole, pairs, cwd) = (call.args, call.pairs, settings.cwd()?);
    // Reading standard input may take as long as it likes; an interrupt must get through.
    let read = tokio::task::spawn_blocking(move || super::pairs::arguments(whole.as_deref(), &pairs, &cwd));
    let arguments = read.await.map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))??;
    let arguments = Arguments::from_value(&Value::Object(arguments))
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
            printer.note(message);
        }
    };
    let answer = runtime.call_with_progress(request, std::sync::Arc::new(progress)).await?;
    printer.answer(&as_json(&answer), || as_text(&answer, runtime.results_dir().as_deref()));
    Ok(if answer.output.is_error { Exit::ToolError } else { Exit::Done })
}

fn as_json(answer: &CallOutput) -> Value {
    let mut value = json!({
        "server": answer.tool.server,
        "tool": answer.tool.tool,
        "name": answer.name,
        "isError": answer.output.is_error,
        "content": answer.output.content,
    });
    if let Some(members) = value.as_object_mut() {
        if let Some(structured) = &answer.output.structured_content {
            members.insert("structuredContent".to_owned(), json!(structured));
        }
        if let Some(meta) = answer.output.extra.get("_meta") {
            members.insert("_meta".to_owned(), json!(meta));
        }
        if let Some(guard) = &answer.guard {
            members.insert("guard".to_owned(), json!(guard));
        }
        members.insert("durationMs".to_owned(), json!(answer.duration.as_millis()));
    }
    value
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
            let mime: String = resource.read("mimeType").unwrap_or_else(|| "application/octet-stream".to_owned());
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
    use base64::Engine as _;
    let mime_type: String = mime_type.chars().take(100).collect();
    let Ok(bytes) = base64::engine::general_purpose::STANDARD.decode(data) else {
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
