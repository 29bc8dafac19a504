//! The output guard. An output within the limits passes untouched. Of a larger one the model gets the beginning and a
//! notice, and the caller gets a plan to keep the whole.

use std::borrow::Cow;
use std::path::PathBuf;

use mcp_types::{ContentBlock, RawObject, ToolOutput};

use crate::limit::cut;
use crate::measure::{lines, size};
use crate::rules::{GuardReport, GuardRules};

/// The most bytes of a path or a reason that the notice repeats.
const MAX_NOTICE_DETAIL_BYTES: usize = 512;

/// The whole of an output that was too large to return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpillPlan {
    /// What to write.
    pub text: String,
}

/// A guarded output. Where `spill` is set, write it and finish with [`Guarded::with_spill_path`].
#[derive(Debug, Clone, PartialEq)]
pub struct Guarded {
    /// What the model receives.
    pub output: ToolOutput,
    /// What was done; `None` when nothing was.
    pub report: Option<GuardReport>,
    /// What is to be kept.
    pub spill: Option<SpillPlan>,
    rules: GuardRules,
}

/// Guards one output.
///
/// ```
/// use mcp_guard::{GuardRules, apply};
/// let small = mcp_types::ToolOutput::text("fine");
/// assert_eq!(apply(&GuardRules::default(), small.clone()).output, small);
/// ```
pub fn apply(rules: &GuardRules, output: ToolOutput) -> Guarded {
    if !rules.enabled || is_within(rules, &output) {
        return Guarded { output, report: None, spill: None, rules: *rules };
    }
    let mut text = as_text(&output);
    let structured = output.structured_content.as_ref().map(|raw| raw.get());
    let report = GuardReport {
        truncated: true,
        original_bytes: text.len(),
        returned_bytes: 0,
        original_lines: lines(&text),
        returned_lines: 0,
        image_blocks_passed_through: count_of(output.content.iter().filter(|block| is_media(block)).count()),
        structured_content_omitted: structured.map(|_| true),
        full_output_path: None,
        write_error: None,
    };
    if let Some(structured) = structured {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(structured);
    }
    Guarded { output, report: Some(report), spill: Some(SpillPlan { text }), rules: *rules }
}

impl Guarded {
    /// Finishes a guarded output: what the model sees ends in a notice with the path, or with why there is none.
    #[must_use]
    pub fn with_spill_path(mut self, written: Result<PathBuf, String>) -> Self {
        let (Some(mut report), Some(plan)) = (self.report.take(), self.spill.take()) else { return self };
        match written {
            Ok(path) => report.full_output_path = Some(path),
            Err(reason) => report.write_error = Some(reason),
        }
        let notice = notice(&report, &plan);
        let budget_bytes = self.rules.max_bytes.saturating_sub(notice.len() + 2);
        let budget_lines = self.rules.max_lines.saturating_sub(lines(&notice) + 1);
        let preview = cut(&plan.text, budget_lines, budget_bytes);
        let whole = if preview.is_empty() { notice } else { format!("{preview}\n\n{notice}") };
        let shown = cut(&whole, self.rules.max_lines, self.rules.max_bytes);
        report.returned_bytes = shown.len();
        report.returned_lines = lines(shown);
        let mut content = vec![ContentBlock::text(shown)];
        content.extend(self.output.content.into_iter().filter(is_media));
        self.output = ToolOutput {
            content,
            structured_content: None,
            is_error: self.output.is_error,
            extra: bounded_extra(&self.rules, self.output.extra),
        };
        self.report = Some(report);
        self
    }
}

fn notice(report: &GuardReport, plan: &SpillPlan) -> String {
    let bytes = plan.text.len();
    let amount = format!("Output cut: {} lines, {} in all.", lines(&plan.text), size(bytes));
    match (&report.full_output_path, &report.write_error) {
        (Some(path), _) => {
            let path = path.display().to_string();
            format!(
                "[{amount} The whole is in {}; read or search that file for the rest.]",
                cut(&path, 1, MAX_NOTICE_DETAIL_BYTES)
            )
        }
        (None, Some(reason)) => {
            format!("[{amount} The whole could not be kept: {}.]", cut(reason, 1, MAX_NOTICE_DETAIL_BYTES))
        }
        (None, None) => format!("[{amount}]"),
    }
}

/// Text and structured content are one result told twice; each must stay within the limits by itself.
fn is_within(rules: &GuardRules, output: &ToolOutput) -> bool {
    let mut bytes = 0_usize;
    let mut count = 0_usize;
    for block in output.content.iter().filter(|block| !is_media(block)) {
        let text = block_text(block);
        bytes += text.len() + usize::from(bytes > 0);
        count += lines(&text);
    }
    let structured = output.structured_content.as_ref().map_or(0, |raw| raw.get().len());
    bytes <= rules.max_bytes
        && count <= rules.max_lines
        && structured <= rules.max_bytes
        && extra_bytes(&output.extra) <= rules.max_bytes
}

fn is_media(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Image { .. } | ContentBlock::Audio { .. })
}

fn as_text(output: &ToolOutput) -> String {
    let mut text = String::new();
    for block in output.content.iter().filter(|block| !is_media(block)) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&block_text(block));
    }
    text
}

/// Gives what a block is to a reader of text.
fn block_text(block: &ContentBlock) -> Cow<'_, str> {
    if let ContentBlock::Text { text, .. } = block {
        return Cow::Borrowed(text);
    }
    if let ContentBlock::ResourceLink { uri, name, .. } = block {
        return Cow::Owned(format!("[Resource link: {name}]\n{uri}"));
    }
    if let ContentBlock::Resource { resource, .. } = block
        && let Some(text) = resource.read::<String>("text")
    {
        let uri: String = resource.read("uri").unwrap_or_default();
        return Cow::Owned(format!("[Resource: {uri}]\n{text}"));
    }
    Cow::Owned(serde_json::to_string(block).unwrap_or_default())
}

fn extra_bytes(extra: &RawObject) -> usize {
    extra.iter().map(|(key, value)| key.len() + value.get().len()).sum()
}

fn bounded_extra(rules: &GuardRules, extra: RawObject) -> RawObject {
    if extra_bytes(&extra) <= rules.max_bytes { extra } else { RawObject::default() }
}

fn count_of(count: usize) -> Option<usize> {
    (count > 0).then_some(count)
}

#[cfg(test)]
#[path = "apply_tests.rs"]
mod tests;
