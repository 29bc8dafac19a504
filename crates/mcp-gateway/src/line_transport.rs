//! Messages of one session as lines of bytes. A line that is no message is answered and does no other harm.

use std::io;
use std::sync::Arc;

use futures::FutureExt as _;
use mcp_types::BoxFuture;
use rmcp::RoleServer;
use rmcp::model::{ErrorData, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde_json::error::Category;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// The longest line that is read. Longer ones are skipped and answered by an error.
const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;
/// Capacity of the line buffer that is kept from line to line.
const KEPT_BUFFER_BYTES: usize = 64 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

type Incoming = RxJsonRpcMessage<RoleServer>;
type Outgoing = TxJsonRpcMessage<RoleServer>;

/// One message a line over a reader and a writer.
pub(crate) struct LineTransport<R, W> {
    lines: Lines<R>,
    writer: Arc<Mutex<Option<W>>>,
    answer: Option<BoxFuture<'static, io::Result<()>>>,
}

impl<R: AsyncRead + Unpin, W> LineTransport<R, W> {
    pub(crate) fn new(reader: R, writer: W) -> Self {
        Self::bounded(reader, writer, MAX_LINE_BYTES)
    }

    fn bounded(reader: R, writer: W, limit: usize) -> Self {
        let lines = Lines { reader: BufReader::new(reader), line: Vec::new(), limit, too_long: false };
        Self { lines, writer: Arc::new(Mutex::new(Some(writer))), answer: None }
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(&mut self, item: Outgoing) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        async move {
            let mut line = serde_json::to_vec(&item)?;
            line.push(b'\n');
            let mut writer = writer.lock().await;
            let Some(writer) = writer.as_mut() else { return Err(io::ErrorKind::NotConnected.into()) };
            writer.write_all(&line).await?;
            writer.flush().await
        }
    }

    /// Cancel safe: a part of a line and an answer on its way are kept for the next call.
    async fn receive(&mut self) -> Option<Incoming> {
        loop {
            if let Some(answer) = &mut self.answer {
                let sent = answer.await;
                self.answer = None;
                sent.ok()?;
            }
            let problem = match self.lines.next().await {
                Ok(Some(Line::Whole)) => {
                    let message = serde_json::from_slice(self.lines.text());
                    let problem = match message {
                        Ok(message) => {
                            self.lines.reset();
                            return Some(message);
                        }
                        Err(error) => Problem::of(&error, self.lines.text()),
                    };
                    self.lines.reset();
                    problem
                }
                Ok(Some(Line::Blank)) => continue,
                Ok(Some(Line::TooLong)) => Problem::too_long(self.lines.limit),
                Ok(None) => return None,
                Err(error) => {
                    tracing::warn!(%error, "reading from the client failed");
                    return None;
                }
            };
            tracing::debug!(reason = %problem.error.message, "a line of the client is no message");
            let answer = Outgoing::error(problem.error, problem.id);
            self.answer = Some(self.send(answer).boxed());
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        let writer = self.writer.lock().await.take();
        match writer {
            Some(mut writer) => writer.shutdown().await,
            None => Ok(()),
        }
    }
}

/// Why a line is no message, and the request it meant if that can be read.
struct Problem {
    error: ErrorData,
    id: Option<RequestId>,
}

impl Problem {
    fn of(error: &serde_json::Error, line: &[u8]) -> Self {
        match error.classify() {
            Category::Syntax | Category::Eof => {
                Self { error: ErrorData::parse_error("the line is no JSON", None), id: None }
            }
            Category::Data | Category::Io => {
                let error = ErrorData::invalid_request("the line is no JSON-RPC message", None);
                Self { error, id: request_id(line) }
            }
        }
    }

    fn too_long(limit: usize) -> Self {
        let message = format!("a message may have at most {limit} bytes");
        Self { error: ErrorData::invalid_request(message, None), id: None }
    }
}

fn request_id(line: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Named {
        id: RequestId,
    }
    serde_json::from_slice::<Named>(line).ok().map(|named| named.id)
}

enum Line {
    /// [`Lines::text`] gives it.
    Whole,
    Blank,
    TooLong,
}

/// Bounded lines of a reader.
struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    limit: usize,
    too_long: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Reads to the end of the line; `None` at the end of the stream. Cancel safe: bytes are taken only after the
    /// last await.
    async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(None);
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let part = available.get(..newline.unwrap_or(available.len())).unwrap_or_default();
            self.too_long |= self.line.len().saturating_add(part.len()) > self.limit;
            if !self.too_long {
                self.line.extend_from_slice(part);
            }
            let taken = part.len() + usize::from(newline.is_some());
            self.reader.consume(taken);
            if newline.is_some() {
                return Ok(Some(self.finish()));
            }
        }
    }

    fn finish(&mut self) -> Line {
        if std::mem::take(&mut self.too_long) {
            self.reset();
            return Line::TooLong;
        }
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        if self.line.iter().all(u8::is_ascii_whitespace) {
            self.reset();
            return Line::Blank;
        }
        Line::Whole
    }

    /// Gives the line without its end and without a byte order mark.
    fn text(&self) -> &[u8] {
        self.line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&self.line)
    }

    fn reset(&mut self) {
        self.line.clear();
        self.line.shrink_to(KEPT_BUFFER_BYTES);
    }
}

#[cfg(test)]
#[path = "line_transport_tests.rs"]
mod tests;
