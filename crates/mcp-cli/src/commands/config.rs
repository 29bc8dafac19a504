//! `wharf config`: what the files say, whether they are right, what they may say. Opens no runtime.

use mcp_config::ConfigRequest;
use serde_json::json;
use wharf::Environment;

use super::Outcome;
use crate::args::Config;
use crate::exit::Exit;
use crate::settings::Settings;

pub(super) fn run(settings: &Settings, command: &Config) -> Outcome {
    match command {
        Config::Show(arguments) => show(settings, arguments.server.as_deref()),
        Config::Validate => validate(settings),
        Config::Schema => {
            settings.printer.text(&serde_json::to_string_pretty(&mcp_config::schema()).unwrap_or_default());
            Ok(Exit::Done)
        }
    }
}

fn load(settings: &Settings) -> Result<mcp_config::ConfigSnapshot, wharf::Error> {
    let environment = Environment::from_process();
    Ok(mcp_config::load(&ConfigRequest {
        cwd: Some(settings.cwd()?),
        home: environment.home,
        env: environment.vars,
        override_file: settings.global.config.clone(),
        only_file: settings.global.only_config.clone(),
    }))
}

fn show(settings: &Settings, server: Option<&str>) -> Outcome {
    let snapshot = load(settings)?;
    let mut shown = mcp_config::show(&snapshot);
    if let Some(name) = server {
        if snapshot.server(name).is_none() {
            return Err(wharf::Error::new(
                wharf::ErrorCode::ServerNotFound,
                format!("no server {name:?} is configured"),
            )
            .with_hint("see the configured servers: wharf config show"));
        }
        if let Some(servers) = shown.get_mut("servers").and_then(serde_json::Value::as_array_mut) {
            servers.retain(|entry| entry.get("name").and_then(serde_json::Value::as_str) == Some(name));
        }
    }
    settings.printer.answer(&shown, || serde_json::to_string_pretty(&shown).unwrap_or_default());
    settings.tell(&snapshot.diagnostics);
    Ok(Exit::Done)
}

fn validate(settings: &Settings) -> Outcome {
    let snapshot = load(settings)?;
    let invalid = snapshot.has_errors();
    let value =
        json!({"valid": !invalid, "servers": snapshot.servers.len(), "diagnostics": snapshot.diagnostics});
    settings.printer.answer(&value, || {
        let mut lines: Vec<String> = snapshot.diagnostics.iter().map(ToString::to_string).collect();
        let verdict = if invalid { "invalid" } else { "valid" };
        lines.push(format!("{verdict}: {} usable servers", snapshot.servers.len()));
        lines.join("\n")
    });
    Ok(if invalid { Exit::ConfigInvalid } else { Exit::Done })
}
