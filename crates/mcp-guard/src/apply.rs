//! The output guard. An output within the limits passes untouched. Of a larger one the model gets the beginning and a
//! notice, and the caller gets a plan to keep the whole.

use std::path::PathBuf;

use mcp_types::{ContentBlock, ToolOutput};

use crate::limit::cut;
use crate::measure::{lines, size};
use crate::render::{Measure, is_media, members_bytes, shown_text, whole_text};
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
    /// What the model sees the beginning of: the text without what is no text.
    preview: String,
    rules: GuardRules,
}

/// Guards one output.
///
/// ```
/// use mcp_guard::{GuardRules, apply};
/// let small = mcp_types::ToolOutput::text("fine");
/// assert_eq!(apply(&GuardRules::default(), small.clone()).output, small);
/// ```
pub fn apply(rules: &GuardRules, mut output: ToolOutput) -> Guarded {
    if !rules.enabled || is_within(rules, &output) {
        return Guarded { output, report: None, spill: None, preview: String::new(), rules: *rules };
    }
    let text = whole_text(&output);
    let mut report = GuardReport {
        truncated: true,
        original_bytes: text.len(),
        returned_bytes: 0,
        original_lines: lines(&text),
        returned_lines: 0,
        image_blocks_passed_through: count_of(output.content.iter().filter(|block| is_media(block)).count()),
        structured_content_omitted: None,
        full_output_path: None,
        write_error: None,
    };
    let mut plan = SpillPlan { text };
    let mut preview = shown_text(&output);
    if let Some(structured) = output.structured_content.take_if(|raw| !is_small(rules, raw.get().len())) {
        report.structured_content_omitted = Some(true);
        append(&mut plan.text, structured.get());
        append(&mut preview, structured.get());
    }
    if !is_small(rules, members_bytes(&output.extra)) {
        let extra = std::mem::take(&mut output.extra);
        append(&mut plan.text, &serde_json::to_string(&extra).unwrap_or_default());
    }
    Guarded { output, report: Some(report), spill: Some(plan), preview, rules: *rules }
}

/// Puts a part below what is there, with an empty line between.
fn append(text: &mut String, part: &str) {
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(part);
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
        let preview = cut(&self.preview, budget_lines, budget_bytes);
        let whole = if preview.is_empty() { notice } else { format!("{preview}\n\n{notice}") };
        let shown = cut(&whole, self.rules.max_lines, self.rules.max_bytes);
        report.returned_bytes = shown.len();
        report.returned_lines = lines(shown);
        let mut content = vec![ContentBlock::text(shown)];
        content.extend(self.output.content.into_iter().filter(is_media));
        self.output.content = content;
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

/// Text and structured content are one result told twice; each must stay within the limits by itself, and so must all
/// that is said beside them.
fn is_within(rules: &GuardRules, output: &ToolOutput) -> bool {
    let text = Measure::of(output);
    text.bytes <= rules.max_bytes
        && text.lines <= rules.max_lines
        && text.bytes_beside <= rules.max_bytes
        && is_small(rules, output.structured_content.as_ref().map_or(0, |raw| raw.get().len()))
        && is_small(rules, members_bytes(&output.extra))
}

fn is_small(rules: &GuardRules, bytes: usize) -> bool {
    bytes <= rules.max_bytes
}

fn count_of(count: usize) -> Option<usize> {
    (count > 0).then_some(count)
}

#[cfg(test)]
#[path = "apply_tests.rs"]
mod tests;
