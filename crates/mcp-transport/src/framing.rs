//! Lines out of a byte stream, each bounded.
//!
//! Bytes are appended to one buffer and searched for newlines once: what was searched is never searched again. A line
//! beyond the limit is not kept; only its first and last bytes are, because the id of the message stands in one of
//! them, and with it the caller who waits can be told.

use bytes::BytesMut;
use rmcp::model::RequestId;

/// Space made for one read.
const READ_BYTES: usize = 16 * 1024;
/// A buffer larger than this is given back once it is empty.
const KEEP_BYTES: usize = 256 * 1024;
/// What is kept of each end of an oversized line.
const END_BYTES: usize = 2 * 1024;

/// One line of the stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// A line within the limit, without its newline.
    Line(BytesMut),
    /// A line beyond the limit.
    Oversized {
        /// Its length in bytes.
        bytes: usize,
        /// The id of the reply it holds, where that could be found.
        id: Option<RequestId>,
    },
}

/// Cuts a byte stream into lines.
#[derive(Debug)]
pub(crate) struct Framer {
    buffer: BytesMut,
    searched: usize,
    limit: usize,
    oversized: Option<Oversized>,
}

#[derive(Debug, Default)]
struct Oversized {
    head: Vec<u8>,
    tail: Vec<u8>,
    bytes: usize,
}

impl Framer {
    pub(crate) fn new(limit: usize) -> Self {
        Self { buffer: BytesMut::new(), searched: 0, limit, oversized: None }
    }

    /// Gives the buffer that the next read appends to.
    pub(crate) fn space(&mut self) -> &mut BytesMut {
        self.buffer.reserve(READ_BYTES);
        &mut self.buffer
    }

    /// Gives the next whole line; `None` asks for more bytes.
    pub(crate) fn next(&mut self) -> Option<Frame> {
        let fresh = self.buffer.get(self.searched..).unwrap_or_default();
        if let Some(offset) = fresh.iter().position(|byte| *byte == b'\n') {
            let end = self.searched + offset;
            let mut line = self.buffer.split_to(end + 1);
            line.truncate(end);
            self.searched = 0;
            return Some(self.close_line(line));
        }
        self.searched = self.buffer.len();
        if self.oversized.is_some() || self.buffer.len() > self.limit {
            let part = self.buffer.split();
            self.searched = 0;
            self.oversized.get_or_insert_default().extend(&part);
        }
        if self.buffer.is_empty() && self.buffer.capacity() > KEEP_BYTES {
            self.buffer = BytesMut::new();
        }
        None
    }

    /// Gives what stands after the last newline once the stream has ended.
    pub(crate) fn rest(&mut self) -> Option<Frame> {
        let line = self.buffer.split();
        self.searched = 0;
        if line.is_empty() && self.oversized.is_none() {
            return None;
        }
        Some(self.close_line(line))
    }

    fn close_line(&mut self, line: BytesMut) -> Frame {
        if self.oversized.is_none() && line.len() <= self.limit {
            return Frame::Line(line);
        }
        let mut oversized = self.oversized.take().unwrap_or_default();
        oversized.extend(&line);
        Frame::Oversized { bytes: oversized.bytes, id: reply_id(&oversized.head, &oversized.tail) }
    }
}

impl Oversized {
    fn extend(&mut self, part: &[u8]) {
        self.bytes += part.len();
        let room = END_BYTES.saturating_sub(self.head.len());
        self.head.extend_from_slice(part.get(..room.min(part.len())).unwrap_or_default());
        let last = part.get(part.len().saturating_sub(END_BYTES)..).unwrap_or_default();
        self.tail.extend_from_slice(last);
        let excess = self.tail.len().saturating_sub(END_BYTES);
        self.tail.drain(..excess);
    }
}

/// Finds the id of a reply of which only the ends are known, or which is no JSON. A question or notification has none.
pub(crate) fn reply_id(head: &[u8], tail: &[u8]) -> Option<RequestId> {
    match id_in_head(&String::from_utf8_lossy(head)) {
        HeadId::Found(id) => Some(id),
        HeadId::NoReply => None,
        HeadId::NotHere => id_in_tail(&String::from_utf8_lossy(tail)),
    }
}

enum HeadId {
    Found(RequestId),
    NoReply,
    NotHere,
}

/// Walks the members of the object up to the first that is itself an object or array.
fn id_in_head(text: &str) -> HeadId {
    let mut id = HeadId::NotHere;
    let Some(mut rest) = text.trim_start().strip_prefix('{') else { return HeadId::NoReply };
    loop {
        let Some((key, after)) = take_string(rest.trim_start()) else { return id };
        if key == "method" {
            return HeadId::NoReply;
        }
        let Some(value) = after.trim_start().strip_prefix(':') else { return id };
        let Some((scalar, after)) = take_scalar(value.trim_start()) else { return id };
        if key == "id"
            && let Some(found) = scalar
        {
            id = HeadId::Found(found);
        }
        let Some(next) = after.trim_start().strip_prefix(',') else { return id };
        rest = next;
    }
}

/// Reads an id that is the last member of the whole object, or the last but `jsonrpc`. One of a nested object is
/// followed by two closing braces; one inside of a text has escaped quotes. Neither is taken.
fn id_in_tail(text: &str) -> Option<RequestId> {
    let (_, after) = text.rsplit_once("\"id\"")?;
    let (id, after) = take_scalar(after.trim_start().strip_prefix(':')?.trim_start())?;
    let mut after = after.trim();
    if let Some(next) = after.strip_prefix(',') {
        let (key, value) = take_string(next.trim_start())?;
        let (_, end) = take_string(value.trim_start().strip_prefix(':')?.trim_start())?;
        if key != "jsonrpc" {
            return None;
        }
        after = end.trim();
    }
    if after == "}" { id } else { None }
}

/// Takes a JSON string without escapes.
fn take_string(text: &str) -> Option<(&str, &str)> {
    let (value, rest) = text.strip_prefix('"')?.split_once('"')?;
    (!value.contains('\\')).then_some((value, rest))
}

/// Takes a scalar; its first part is an id when it can be one.
fn take_scalar(text: &str) -> Option<(Option<RequestId>, &str)> {
    if text.starts_with('"') {
        let (value, rest) = take_string(text)?;
        return Some((Some(RequestId::String(value.into())), rest));
    }
    let end =
        text.find(|character: char| !character.is_ascii_alphanumeric() && !"+-.".contains(character))?;
    let (word, rest) = text.split_at_checked(end)?;
    if word.is_empty() {
        return None;
    }
    Some((word.parse().ok().map(RequestId::Number), rest))
}

#[cfg(test)]
#[path = "framing_tests.rs"]
mod tests;
