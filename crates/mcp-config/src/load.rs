//! Loading: plan the files, read each once, merge, check.

use std::sync::Arc;

use mcp_types::{Diagnostic, Place};

use crate::diagnose::Findings;
use crate::merge::overlay;
use crate::parse;
use crate::raw::RawConfig;
use crate::snapshot::{ConfigSnapshot, FileReport, FileState};
use crate::source::{ConfigRequest, SourceFile, plan};
use crate::{entry, layer, settings};

/// The largest file that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Reads all configuration. It never fails as a whole: what is wrong stands in the diagnostics, what is right works.
///
/// Blocking: an async caller uses a blocking task.
pub fn load(request: &ConfigRequest) -> ConfigSnapshot {
    let mut findings = Findings::default();
    let mut config = RawConfig::default();
    let mut files = Vec::new();
    for file in plan(request) {
        let file = Arc::new(file);
        let (state, content) = read_file(&file, &mut findings);
        if let Some(content) = content {
            overlay(&mut config, content, &mut findings);
        }
        files.push(FileReport { path: file.path.clone(), layer: file.layer, state });
    }
    let mut snapshot = check(&config, findings);
    snapshot.files = files;
    snapshot
}

fn read_file(file: &Arc<SourceFile>, findings: &mut Findings) -> (FileState, Option<RawConfig>) {
    match mcp_fs::read_text_bounded(&file.path, MAX_FILE_BYTES) {
        Ok(text) => read_text(&text, file, findings),
        Err(error) if error.is_not_found() && !file.named => (FileState::Absent, None),
        Err(error) => {
            let state = if error.is_not_found() { FileState::Absent } else { FileState::Unreadable };
            let here = Place { file: file.path.clone(), line: None, column: None };
            findings.error(
                "file_unreadable",
                here,
                error.to_string(),
                "nothing in it is used; other files are",
            );
            (state, None)
        }
    }
}

pub(crate) fn read_text(
    text: &str,
    file: &Arc<SourceFile>,
    findings: &mut Findings,
) -> (FileState, Option<RawConfig>) {
    match parse::parse(text) {
        Ok(None) => (FileState::Loaded { servers: 0 }, None),
        Ok(Some(root)) => {
            let content = layer::read(&root, file, findings);
            (FileState::Loaded { servers: content.servers.len() }, Some(content))
        }
        Err(error) => {
            let here = crate::raw::place(file, error.at);
            let message = format!("the file does not parse: {}", error.message);
            findings.error(
                "syntax_error",
                here,
                message,
                "nothing in this file is used until it is mended; other files are",
            );
            (FileState::Malformed, None)
        }
    }
}

/// Makes the snapshot of merged layers.
pub(crate) fn check(config: &RawConfig, mut findings: Findings) -> ConfigSnapshot {
    let (settings, floor) = settings::read(&config.settings, &mut findings);
    let servers =
        config.servers.iter().filter_map(|server| entry::read(server, &floor, &mut findings)).collect();
    ConfigSnapshot { servers, settings, diagnostics: sorted(findings.into_inner()), files: Vec::new() }
}

/// By file and line; what belongs to no place comes first. Equal findings are told once.
fn sorted(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by(|left, right| left.place.cmp(&right.place));
    diagnostics.dedup();
    diagnostics
}

#[cfg(test)]
#[path = "load_tests.rs"]
pub(crate) mod tests;
