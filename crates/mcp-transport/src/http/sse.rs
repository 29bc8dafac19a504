//! Server-sent events out of byte chunks, with a bound on what one event may hold in memory.
//!
//! An event over the bound is skipped and reported; the events behind it are read as usual.

use std::collections::VecDeque;

use bytes::Bytes;
use futures::stream::{BoxStream, Stream, StreamExt, unfold};

/// What an event stream gives.
#[derive(Debug)]
pub(super) enum Incoming {
    /// One event.
    Event(Event),
    /// An event larger than the limit went by.
    TooLarge,
    /// The connection broke. Nothing follows.
    Broken(reqwest::Error),
}

/// One event as it stood on the wire; absent fields are `None`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) name: Option<String>,
    pub(super) data: Option<String>,
    pub(super) id: Option<String>,
    /// Milliseconds to wait before the stream is taken up again.
    pub(super) retry: Option<u64>,
}

/// Reads the events of a body. Only complete events count, except that the last may lack its blank line.
pub(super) fn events(
    body: impl Stream<Item = reqwest::Result<Bytes>> + Send + 'static,
    limit: usize,
) -> BoxStream<'static, Incoming> {
    let reader = Reader { body: Some(body.boxed()), decoder: Decoder::new(limit), ready: VecDeque::new() };
    unfold(reader, |mut reader| async move { reader.next().await.map(|incoming| (incoming, reader)) }).boxed()
}

struct Reader {
    /// `None` once the body has ended.
    body: Option<BoxStream<'static, reqwest::Result<Bytes>>>,
    decoder: Decoder,
    /// Holds no more than one chunk's worth.
    ready: VecDeque<Incoming>,
}

impl Reader {
    async fn next(&mut self) -> Option<Incoming> {
        loop {
            if let Some(incoming) = self.ready.pop_front() {
                return Some(incoming);
            }
            match self.body.as_mut()?.next().await {
                Some(Ok(chunk)) => self.decoder.push(&chunk, &mut self.ready),
                Some(Err(error)) => {
                    self.body = None;
                    self.ready.push_back(Incoming::Broken(error));
                }
                None => {
                    self.body = None;
                    self.decoder.finish(&mut self.ready);
                }
            }
        }
    }
}

/// The line and field rules of the event stream format.
struct Decoder {
    limit: usize,
    line: Line,
    last_was_carriage_return: bool,
    saw_first_line: bool,
    event: Event,
    /// The `data` lines of the event so far.
    data: Option<Vec<u8>>,
    too_large: bool,
}

/// The line being read; never larger than the limit.
#[derive(Default)]
enum Line {
    #[default]
    Empty,
    Kept(Vec<u8>),
    /// A comment or a line of a too large event: its bytes are not kept.
    Discarded,
}

impl Decoder {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Line::Empty,
            last_was_carriage_return: false,
            saw_first_line: false,
            event: Event::default(),
            data: None,
            too_large: false,
        }
    }

    fn push(&mut self, chunk: &[u8], out: &mut VecDeque<Incoming>) {
        let mut rest = chunk;
        if self.last_was_carriage_return && !rest.is_empty() {
            self.last_was_carriage_return = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (segment, tail) = rest.split_at(end);
            self.take_in(segment);
            self.end_line(out);
            rest = match tail {
                [b'\r'] => {
                    self.last_was_carriage_return = true;
                    &[]
                }
                [b'\r', b'\n', after @ ..] | [_, after @ ..] => after,
                [] => &[],
            };
        }
        self.take_in(rest);
    }

    fn finish(&mut self, out: &mut VecDeque<Incoming>) {
        if !matches!(self.line, Line::Empty) {
            self.end_line(out);
        }
        self.end_line(out);
    }

    fn take_in(&mut self, segment: &[u8]) {
        let Some(first) = segment.first() else { return };
        if let Line::Empty = self.line {
            let discards = *first == b':' || self.too_large;
            self.line = if discards { Line::Discarded } else { Line::Kept(Vec::new()) };
        }
        let Line::Kept(line) = &mut self.line else { return };
        let kept = line.len().saturating_add(self.data.as_ref().map_or(0, Vec::len));
        if kept.saturating_add(segment.len()) > self.limit {
            self.too_large = true;
            self.line = Line::Discarded;
            self.data = None;
            return;
        }
        line.extend_from_slice(segment);
    }

    fn end_line(&mut self, out: &mut VecDeque<Incoming>) {
        let line = match std::mem::take(&mut self.line) {
            Line::Empty => return self.dispatch(out),
            Line::Kept(line) => Some(line),
            Line::Discarded => None,
        };
        let starts_stream = !std::mem::replace(&mut self.saw_first_line, true);
        let Some(line) = line.as_deref() else { return };
        let line =
            if starts_stream { line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line) } else { line };
        let mut halves = line.splitn(2, |byte| *byte == b':');
        let name = halves.next().unwrap_or_default();
        let value = halves.next().unwrap_or_default();
        self.field(name, value.strip_prefix(b" ").unwrap_or(value));
    }

    fn field(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"data" => {
                let data = match &mut self.data {
                    Some(data) => {
                        data.push(b'\n');
                        data
                    }
                    none => none.insert(Vec::new()),
                };
                data.extend_from_slice(value);
            }
            b"event" => self.event.name = Some(text(value)),
            b"id" if !value.contains(&0) => self.event.id = Some(text(value)),
            b"retry" => self.event.retry = text(value).parse().ok(),
            _ => {}
        }
    }

    fn dispatch(&mut self, out: &mut VecDeque<Incoming>) {
        let mut event = std::mem::take(&mut self.event);
        let data = self.data.take();
        if std::mem::replace(&mut self.too_large, false) {
            out.push_back(Incoming::TooLarge);
            return;
        }
        event.data = data.map(|data| String::from_utf8(data).unwrap_or_else(|error| text(error.as_bytes())));
        if event != Event::default() {
            out.push_back(Incoming::Event(event));
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(limit: usize, chunks: &[&[u8]]) -> Vec<Option<Event>> {
        let mut decoder = Decoder::new(limit);
        let mut out = VecDeque::new();
        for chunk in chunks {
            decoder.push(chunk, &mut out);
        }
        decoder.finish(&mut out);
        out.into_iter()
            .map(|incoming| match incoming {
                Incoming::Event(event) => Some(event),
                Incoming::TooLarge => None,
                Incoming::Broken(error) => panic!("{error}"),
            })
            .collect()
    }

    fn data(text: &str) -> Event {
        Event { data: Some(text.to_owned()), ..Event::default() }
    }

    #[test]
    fn fields_line_ends_and_comments_follow_the_format() {
        let wire = b"\xef\xbb\xbfid: 7\r\nretry:20\nevent: message\ndata: a\rdata:b\n: comment\n\ndata\n\nid:8\n\n\n\n";
        let first = Event {
            name: Some("message".to_owned()),
            data: Some("a\nb".to_owned()),
            id: Some("7".to_owned()),
            retry: Some(20),
        };
        let third = Event { id: Some("8".to_owned()), ..Event::default() };
        assert_eq!(decode(100, &[wire]), [Some(first), Some(data("")), Some(third)]);
    }

    #[test]
    fn a_last_event_without_a_blank_line_is_kept() {
        assert_eq!(decode(100, &[b"data: x"]), [Some(data("x"))]);
    }

    #[test]
    fn an_event_over_the_limit_is_skipped_and_the_next_is_read() {
        let wire: &[u8] =
            b"data: 0123456789\ndata: 0123456789\n\ndata: ok\n\n: 0123456789012345678901234567890\n\n";
        assert_eq!(decode(20, &[wire]), [None, Some(data("ok"))]);
        assert_eq!(decode(20, &wire.chunks(3).collect::<Vec<_>>()), [None, Some(data("ok"))]);
    }

    proptest! {
        #[test]
        fn how_the_bytes_are_cut_makes_no_difference(
            wire in prop::collection::vec(prop::sample::select(b"\r\n:ad t\0i\xc3\xa9".to_vec()), 0..80),
            size in 1_usize..9,
            limit in 4_usize..40,
        ) {
            let whole = decode(limit, &[&wire]);
            let cut = decode(limit, &wire.chunks(size).collect::<Vec<_>>());
            prop_assert_eq!(whole, cut);
        }
    }
}
