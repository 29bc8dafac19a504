//! `wharf prompts` and `wharf prompt`.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use wharf::{PromptSpec, Runtime, ServerName};

use super::{Outcome, learn_asked, parse_server};
use crate::args::Prompt;
use crate::exit::Exit;
use crate::settings::Settings;

/// Definitions go out as they came in.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    servers: Vec<Entry<'a>>,
}

#[derive(Debug, Serialize)]
struct Entry<'a> {
    server: &'a ServerName,
    prompts: &'a [Arc<PromptSpec>],
}

pub(super) async fn list(settings: &Settings, runtime: &Runtime, server: Option<&str>) -> Outcome {
    let only = parse_server(runtime, server)?;
    learn_asked(settings, runtime, only.as_ref()).await?;
    let roster = runtime.roster();
    let mut servers = Vec::new();
    let mut text = String::new();
    for server in roster.servers().filter(|server| only.as_ref().is_none_or(|name| server.name == *name)) {
        let Some(listing) = &server.listing else { continue };
        servers.push(Entry { server: &server.name, prompts: &listing.prompts });
        for prompt in &listing.prompts {
            let _written = writeln!(
                text,
                "{}  {}  {}",
                server.name,
                prompt.display_name(),
                prompt.description().unwrap_or_default()
            );
        }
    }
    settings.printer.answer(&Answer { servers }, || text.clone());
    Ok(Exit::Done)
}

pub(super) async fn get(settings: &Settings, runtime: &Runtime, arguments: &Prompt) -> Outcome {
    let values = super::pairs::arguments(None, &arguments.pairs, &settings.cwd()?)?;
    let result = runtime.get_prompt(&arguments.server, &arguments.name, &values).await?;
    settings.printer.answer(&result, || as_text(result.get()));
    Ok(Exit::Done)
}

fn as_text(result: &str) -> String {
    let result: Value = serde_json::from_str(result).unwrap_or_default();
    let messages = result.get("messages").and_then(Value::as_array).cloned().unwrap_or_default();
    let shown = messages.iter().map(|message| {
        let role = message.get("role").and_then(Value::as_str).unwrap_or("?");
        let content = message.get("content");
        let text = content.and_then(|content| content.get("text")).and_then(Value::as_str);
        format!(
            "{role}: {}",
            text.map_or_else(|| content.map(Value::to_string).unwrap_or_default(), str::to_owned)
        )
    });
    shown.collect::<Vec<_>>().join("\n\n")
}
