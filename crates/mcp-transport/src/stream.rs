//! Sessions over any byte stream: one JSON-RPC message per line, in both directions.
//!
//! Reading happens in `receive`, which rmcp's loop polls: one reader, no queue between it and the callers. Writing
//! happens in one task behind a bounded queue, so that what is sent first is written first.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::classify::{Failure, FailureClass};
use crate::connector::ConnectRequest;
use crate::convert;
use crate::establish::{SessionResources, establish_on};
use crate::framing::{Frame, Framer, reply_id};
use crate::hub::Hub;
use crate::session::Session;

/// Messages that may wait to be written.
const OUTBOX_MESSAGES: usize = 1_024;
/// How long what is queued may take to be written when the stream is closed.
const FLUSH_BOUND: Duration = Duration::from_millis(500);
/// How long replies may still come after the peer stopped reading.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Opens a session over a reader and a writer, such as the two ends of a pipe or socket.
pub async fn open_stream<R, W>(request: ConnectRequest, reader: R, writer: W) -> Result<Session, Failure>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    open(request, reader, writer, SessionResources::plain("stream")).await
}

pub(crate) async fn open<R, W>(
    request: ConnectRequest,
    reader: R,
    writer: W,
    resources: SessionResources,
) -> Result<Session, Failure>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let hub = Hub::new(request.spec.server.clone(), request.epoch, request.events.clone());
    let limit = request.spec.limits.max_message_bytes;
    let transport = StreamTransport::new(Arc::clone(&hub), reader, writer, limit);
    establish_on(hub, request, transport, resources).await
}

/// Why a message could not be sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    #[error("the stream to the server is closed")]
    Closed,
    #[error("the message cannot be rendered as JSON")]
    Render(#[from] serde_json::Error),
}

/// rmcp's transport over a byte stream.
struct StreamTransport<R> {
    hub: Arc<Hub>,
    reader: R,
    framer: Framer,
    limit: usize,
    ready: VecDeque<ServerJsonRpcMessage>,
    handshake: Option<RequestId>,
    at_end: bool,
    outbox: Option<mpsc::Sender<String>>,
    /// Owns the writing task, which ends with the outbox.
    writing: JoinSet<()>,
    write_failed: CancellationToken,
}

impl<R: AsyncRead + Unpin + Send> StreamTransport<R> {
    fn new<W>(hub: Arc<Hub>, reader: R, writer: W, limit: usize) -> Self
    where
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (outbox, inbox) = mpsc::channel(OUTBOX_MESSAGES);
        let write_failed = CancellationToken::new();
        let mut writing = JoinSet::new();
        writing.spawn(write_all(inbox, writer, write_failed.clone()));
        Self {
            hub,
            reader,
            framer: Framer::new(limit),
            limit,
            ready: VecDeque::new(),
            handshake: None,
            at_end: false,
            outbox: Some(outbox),
            writing,
            write_failed,
        }
    }

    fn accept(&mut self, frame: Frame) {
        match frame {
            Frame::Oversized { bytes, id } => {
                let failure = self.hub.too_large(bytes, self.limit);
                tracing::warn!(server = %self.hub.server, bytes, "a message beyond the limit is dropped");
                match id {
                    Some(id) => self.fail(id, failure),
                    None => self.hub.count_noise(),
                }
            }
            Frame::Line(line) => {
                let line = line.trim_ascii();
                if line.is_empty() {
                    return;
                }
                match std::str::from_utf8(line) {
                    Ok(text) => self.accept_text(text),
                    Err(_) => self.hub.count_noise(),
                }
            }
        }
    }

    /// What stands after the last newline is a message, or the piece of one that the end of the stream cut off. Then
    /// its caller learns of the end, not of a broken reply.
    fn accept_rest(&mut self, frame: Frame) {
        match frame {
            Frame::Line(line) if serde_json::from_slice::<&RawValue>(&line).is_err() => {
                self.hub.count_noise();
            }
            frame @ (Frame::Line(_) | Frame::Oversized { .. }) => self.accept(frame),
        }
    }

    fn accept_text(&mut self, text: &str) {
        // The revision 2025-03-26 lets a server send several messages as one array.
        if text.starts_with('[')
            && let Ok(batch) = serde_json::from_str::<Vec<&RawValue>>(text)
        {
            for message in batch {
                self.accept_message(message.get());
            }
            return;
        }
        self.accept_message(text);
    }

    fn accept_message(&mut self, text: &str) {
        if let Some(message) = convert::message_from_text(text, self.handshake.as_ref()) {
            self.note_handshake(text, &message);
            self.ready.push_back(message);
            return;
        }
        self.hub.count_noise();
        // A broken reply is told to its caller; a banner has no id.
        if text.starts_with('{')
            && let Some(id) = reply_id(text.as_bytes(), text.as_bytes())
        {
            let message = format!("server `{}` sent a reply that is no JSON-RPC message", self.hub.server);
            self.fail(id, Failure::new(FailureClass::Protocol, message));
        }
    }

    /// Answers the request in the server's stead, with a failure that its caller finds in its slot.
    fn fail(&mut self, id: RequestId, failure: Failure) {
        let error = ErrorData::internal_error(failure.message.clone(), None);
        let is_handshake = self.handshake.as_ref().is_some_and(|handshake| convert::same_id(handshake, &id));
        if self.hub.fail(&id, failure) || is_handshake {
            self.ready.push_back(JsonRpcMessage::error(error, Some(id)));
        } else {
            self.hub.count_dropped_reply();
        }
    }

    fn note_handshake(&mut self, text: &str, message: &ServerJsonRpcMessage) {
        let JsonRpcMessage::Response(response) = message else { return };
        if self.handshake.take_if(|id| convert::same_id(id, &response.id)).is_none() {
            return;
        }
        if let Some(crate::wire::Shape::Response { result, .. }) = crate::wire::Shape::parse(text) {
            self.hub.keep_handshake(result.to_owned());
        }
    }

    /// Reads until at least one message is ready or the stream has ended. Keeps its state in `self`, so that it can
    /// be dropped at any await.
    async fn fill(&mut self) {
        while self.ready.is_empty() && !self.at_end {
            if let Some(frame) = self.framer.next() {
                self.accept(frame);
                continue;
            }
            let write_failed = self.write_failed.clone();
            let read = tokio::select! {
                read = self.reader.read_buf(self.framer.space()) => read,
                () = last_words(&write_failed) => Ok(0),
            };
            if !matches!(read, Ok(bytes) if bytes > 0) {
                self.at_end = true;
                if let Some(frame) = self.framer.rest() {
                    self.accept_rest(frame);
                }
            }
        }
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> Transport<RoleClient> for StreamTransport<R> {
    type Error = SendError;

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &item
            && matches!(request.request, ClientRequest::InitializeRequest(_))
        {
            self.handshake = Some(request.id.clone());
        }
        // Queued here and now, not when the future is polled: rmcp polls its sends in any order.
        let queued = match (convert::encode(&item), &self.outbox) {
            (Err(error), _) => Err(SendError::Render(error)),
            (Ok(_), None) => Err(SendError::Closed),
            (Ok(line), Some(outbox)) => match outbox.try_send(line) {
                Ok(()) => Ok(None),
                Err(mpsc::error::TrySendError::Closed(_)) => Err(SendError::Closed),
                // The peer does not read. Order among those that wait no longer matters to it.
                Err(mpsc::error::TrySendError::Full(line)) => Ok(Some((outbox.clone(), line))),
            },
        };
        async move {
            let Some((outbox, line)) = queued? else { return Ok(()) };
            outbox.send(line).await.map_err(|_| SendError::Closed)
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.fill().await;
        self.ready.pop_front()
    }

    async fn close(&mut self) -> Result<(), SendError> {
        self.outbox = None;
        let flushed = tokio::time::timeout(FLUSH_BOUND, self.writing.join_next()).await;
        if flushed.is_err() {
            self.writing.shutdown().await;
        }
        Ok(())
    }
}

async fn write_all<W>(mut inbox: mpsc::Receiver<String>, mut writer: W, failed: CancellationToken)
where
    W: AsyncWrite + Unpin + Send,
{
    while let Some(mut line) = inbox.recv().await {
        line.push('\n');
        let written = async {
            writer.write_all(line.as_bytes()).await?;
            writer.flush().await
        };
        if let Err(error) = written.await {
            tracing::debug!(%error, "the server reads no more");
            failed.cancel();
            return;
        }
    }
    if let Err(error) = writer.shutdown().await {
        tracing::debug!(%error, "the stream could not be shut down");
    }
}

async fn last_words(write_failed: &CancellationToken) {
    write_failed.cancelled().await;
    tokio::time::sleep(LAST_WORDS).await;
}

#[cfg(test)]
#[path = "stream_tests.rs"]
mod tests;
