//! `wharf resources` and `wharf read`.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use wharf::{Error, ErrorCode, RawObject, ResourceSpec, ResourceTemplateSpec, Runtime, ServerName};

use super::{Outcome, learn_asked, parse_server};
use crate::args::Read;
use crate::exit::Exit;
use crate::settings::Settings;

/// Definitions go out as they came in; a JSON value in between would lose digits of large numbers.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    servers: Vec<Entry<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    server: &'a ServerName,
    resources: &'a [Arc<ResourceSpec>],
    resource_templates: &'a [Arc<ResourceTemplateSpec>],
}

pub(super) async fn list(settings: &Settings, runtime: &Runtime, server: Option<&str>) -> Outcome {
    let only = parse_server(runtime, server)?;
    learn_asked(settings, runtime, only.as_ref()).await?;
    let roster = runtime.roster();
    let mut servers = Vec::new();
    let mut text = String::new();
    for server in roster.servers().filter(|server| only.as_ref().is_none_or(|name| server.name == *name)) {
        let Some(listing) = &server.listing else { continue };
        servers.push(Entry {
            server: &server.name,
            resources: &listing.resources,
            resource_templates: &listing.resource_templates,
        });
        for resource in &listing.resources {
            let _written = writeln!(text, "{}  {}  {}", server.name, resource.uri(), resource.display_name());
        }
        for template in &listing.resource_templates {
            let _written =
                writeln!(text, "{}  {}  {}", server.name, template.uri_template(), template.display_name());
        }
    }
    settings.printer.answer(&Answer { servers }, || text.clone());
    Ok(Exit::Done)
}

pub(super) async fn read(settings: &Settings, runtime: &Runtime, arguments: &Read) -> Outcome {
    let result = runtime.read_resource(&arguments.server, &arguments.uri).await?;
    if settings.printer.is_json() {
        settings.printer.json(&result);
        return Ok(Exit::Done);
    }
    let contents = RawObject::parse("resources/read result", result.get())
        .ok()
        .and_then(|object| object.read::<Vec<Value>>("contents"))
        .ok_or_else(|| Error::new(ErrorCode::ProtocolError, "the answer holds no contents"))?;
    for content in contents {
        match content.get("text").and_then(Value::as_str) {
            Some(text) => settings.printer.text(text),
            None => settings.printer.text(&blob(&content, &arguments.uri, runtime.results_dir().as_deref())),
        }
    }
    Ok(Exit::Done)
}

fn blob(content: &Value, uri: &str, files: Option<&Path>) -> String {
    let member = |name: &str| content.get(name).and_then(Value::as_str);
    let mime_type = member("mimeType").unwrap_or("application/octet-stream");
    match member("blob") {
        Some(data) => super::call::saved(&format!("resource {uri}"), data, mime_type, files),
        None => format!("[resource {uri}]"),
    }
}
