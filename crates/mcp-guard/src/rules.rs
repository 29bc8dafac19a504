//! The limits, and the report of what they did.

use std::path::PathBuf;

use serde::Serialize;

/// The limits of what a model receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuardRules {
    /// False lets everything pass.
    pub enabled: bool,
    /// The most bytes of text, UTF-8.
    pub max_bytes: usize,
    /// The most lines of text.
    pub max_lines: usize,
}

impl Default for GuardRules {
    fn default() -> Self {
        Self { enabled: true, max_bytes: 51_200, max_lines: 2_000 }
    }
}

/// What the guard did to one output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GuardReport {
    /// True when the model sees less than the tool returned.
    pub truncated: bool,
    /// Bytes of text before.
    pub original_bytes: usize,
    /// Bytes of text after.
    pub returned_bytes: usize,
    /// Lines of text before.
    pub original_lines: usize,
    /// Lines of text after.
    pub returned_lines: usize,
    /// Images that passed uncounted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_blocks_passed_through: Option<usize>,
    /// True when `structuredContent` was left out and stands in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_content_omitted: Option<bool>,
    /// Where the whole output is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_output_path: Option<PathBuf>,
    /// Why the whole output could not be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_error: Option<String>,
}
