//! The demo's resources.

use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use super::picture::{LOGO_PNG_BASE64, LOGO_PNG_BYTES, PNG};

const README: &str = "\
# Wharf demo server

This server is part of Wharf. It needs no network, no files and no settings.

Try `echo`, `add` and `sleep`; see what happens with `fail`, `blob` and `grow`.
";
const README_URI: &str = "demo://readme";
const LOGO_URI: &str = "demo://logo";
const NOTE_PREFIX: &str = "demo://note/";
const MAX_NOTE_ID: usize = 64;

/// Lists the resources that have a fixed address.
pub(super) fn all() -> Vec<Resource> {
    vec![
        Resource::new(README_URI, "readme")
            .with_title("Read me")
            .with_description("What this server is and what to try.")
            .with_mime_type("text/markdown")
            .with_size(README.len() as u64),
        Resource::new(LOGO_URI, "logo")
            .with_title("Logo")
            .with_description("A small picture, as a binary resource.")
            .with_mime_type(PNG)
            .with_size(LOGO_PNG_BYTES),
    ]
}

/// Lists the templates.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("demo://note/{id}", "note")
            .with_title("Note")
            .with_description("A short note for any id of letters, digits, `-` and `_`.")
            .with_mime_type("text/plain"),
    ]
}

/// Reads a resource.
pub(super) fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let contents = match uri {
        README_URI => ResourceContents::text(README, uri).with_mime_type("text/markdown"),
        LOGO_URI => ResourceContents::blob(LOGO_PNG_BASE64, uri).with_mime_type(PNG),
        _ => {
            let Some(id) = uri.strip_prefix(NOTE_PREFIX).filter(|id| is_note_id(id)) else {
                return Err(ErrorData::resource_not_found("no such resource", Some(json!({"uri": uri}))));
            };
            ResourceContents::text(format!("This is note {id}."), uri)
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

fn is_note_id(id: &str) -> bool {
    (1..=MAX_NOTE_ID).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_can_be_read_and_nothing_else() {
        for resource in all() {
            assert_eq!(read(&resource.uri).unwrap().contents.len(), 1, "{}", resource.uri);
        }
        read("demo://note/a-1").unwrap();
        for uri in ["demo://note/", "demo://note/a/b", "demo://other", "file:///etc/passwd"] {
            assert_eq!(read(uri).unwrap_err().code, rmcp::model::ErrorCode::RESOURCE_NOT_FOUND, "{uri}");
        }
    }
}
