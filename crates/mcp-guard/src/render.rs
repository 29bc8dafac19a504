//! What the blocks of an output are to a reader of text, and how large that is.

use std::borrow::Cow;

use mcp_types::{ContentBlock, RawObject, ToolOutput};

use crate::measure::size;

/// The size of an output as text, without making that text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Measure {
    /// Bytes of the text.
    pub(crate) bytes: usize,
    /// Lines of the text; each block counts as one at least.
    pub(crate) lines: usize,
    /// Bytes that the blocks carry beside their text, such as `_meta`.
    pub(crate) bytes_beside: usize,
}

impl Measure {
    pub(crate) fn of(output: &ToolOutput) -> Self {
        let mut measure = Self::default();
        for block in texts(output) {
            let text = whole(block);
            measure.bytes += text.len() + usize::from(measure.bytes > 0);
            measure.lines += text.bytes().filter(|byte| *byte == b'\n').count() + 1;
            measure.bytes_beside += bytes_beside(block);
        }
        measure
    }
}

/// Tells whether a block passes uncounted: a picture or a sound.
pub(crate) fn is_media(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Image { .. } | ContentBlock::Audio { .. })
}

/// Gives the whole text, nothing left out.
pub(crate) fn whole_text(output: &ToolOutput) -> String {
    joined(texts(output).map(whole))
}

/// Gives the text for a model: of binary content only what it is.
pub(crate) fn shown_text(output: &ToolOutput) -> String {
    joined(texts(output).map(shown))
}

/// Gives the bytes of the members of an object.
pub(crate) fn members_bytes(object: &RawObject) -> usize {
    object.iter().map(|(key, value)| key.len() + value.get().len()).sum()
}

fn texts(output: &ToolOutput) -> impl Iterator<Item = &ContentBlock> {
    output.content.iter().filter(|block| !is_media(block))
}

fn joined<'a>(texts: impl Iterator<Item = Cow<'a, str>>) -> String {
    let mut joined = String::new();
    for text in texts {
        if !joined.is_empty() {
            joined.push('\n');
        }
        joined.push_str(&text);
    }
    joined
}

fn whole(block: &ContentBlock) -> Cow<'_, str> {
    if let ContentBlock::Text { text, .. } = block {
        return Cow::Borrowed(text);
    }
    if let ContentBlock::ResourceLink { uri, name, .. } = block {
        return Cow::Owned(format!("[Resource link: {name}]\n{uri}"));
    }
    if let ContentBlock::Resource { resource, .. } = block
        && let Some(text) = resource.read::<String>("text")
    {
        return Cow::Owned(format!("[Resource: {}]\n{text}", uri_of(resource)));
    }
    Cow::Owned(serde_json::to_string(block).unwrap_or_default())
}

fn shown(block: &ContentBlock) -> Cow<'_, str> {
    if let ContentBlock::Resource { resource, .. } = block
        && resource.get("text").is_none()
        && let Some(blob) = resource.get("blob")
    {
        let kind = resource.read::<String>("mimeType").unwrap_or_else(|| "binary".to_owned());
        let amount = size(blob.get().len());
        return Cow::Owned(format!(
            "[Resource: {}]\n({kind}, {amount} of Base64 not shown)",
            uri_of(resource)
        ));
    }
    whole(block)
}

fn uri_of(resource: &RawObject) -> String {
    resource.read("uri").unwrap_or_default()
}

/// Gives the bytes that the text of a block does not tell. An unknown block is text as a whole.
fn bytes_beside(block: &ContentBlock) -> usize {
    if let ContentBlock::Text { extra, .. } | ContentBlock::ResourceLink { extra, .. } = block {
        return members_bytes(extra);
    }
    if let ContentBlock::Resource { resource, extra } = block
        && let Some(text) = resource.get("text")
    {
        return members_bytes(extra) + members_bytes(resource).saturating_sub(text.get().len());
    }
    0
}
