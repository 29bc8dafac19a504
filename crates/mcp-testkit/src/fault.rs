//! Byte streams that misbehave as planned.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// How the reading half of a stream misbehaves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FaultPlan {
    /// No read gives more bytes than this.
    pub split: Option<usize>,
    /// Each read comes this much later.
    pub delay: Option<Duration>,
    /// These bytes come first.
    pub garbage: Vec<u8>,
    /// After so many bytes of the inner stream, reading ends while writing goes on.
    pub half_close_after: Option<usize>,
}

/// A stream that follows a [`FaultPlan`].
#[derive(Debug)]
pub struct FaultTransport<S> {
    inner: S,
    plan: FaultPlan,
    garbage: VecDeque<u8>,
    passed: usize,
    waiting: Option<Pin<Box<Sleep>>>,
    waited: bool,
}

impl<S> FaultTransport<S> {
    /// Puts a plan over a stream.
    pub fn new(inner: S, plan: FaultPlan) -> Self {
        let garbage = plan.garbage.iter().copied().collect();
        Self { inner, plan, garbage, passed: 0, waiting: None, waited: false }
    }

    fn poll_delay(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(delay) = self.plan.delay.filter(|_| !self.waited) else { return Poll::Ready(()) };
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(delay)));
        ready!(waiting.as_mut().poll(context));
        self.waiting = None;
        self.waited = true;
        Poll::Ready(())
    }

    fn allowance(&self, wanted: usize) -> usize {
        let left = self.plan.half_close_after.map_or(usize::MAX, |after| after.saturating_sub(self.passed));
        wanted.min(self.plan.split.unwrap_or(usize::MAX).max(1)).min(left)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for FaultTransport<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if !this.garbage.is_empty() {
            let count = buffer.remaining().min(this.garbage.len());
            let bytes: Vec<u8> = this.garbage.drain(..count).collect();
            buffer.put_slice(&bytes);
            return Poll::Ready(Ok(()));
        }
        let allowance = this.allowance(buffer.remaining());
        if allowance == 0 {
            return Poll::Ready(Ok(()));
        }
        ready!(this.poll_delay(context));
        let mut bytes = vec![0; allowance];
        let mut part = ReadBuf::new(&mut bytes);
        ready!(Pin::new(&mut this.inner).poll_read(context, &mut part))?;
        this.waited = false;
        this.passed += part.filled().len();
        buffer.put_slice(part.filled());
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for FaultTransport<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_plan_is_followed() {
        let plan = FaultPlan {
            split: Some(2),
            delay: Some(Duration::from_secs(1)),
            garbage: b"##".to_vec(),
            half_close_after: Some(5),
        };
        let mut stream = FaultTransport::new(&b"abcdefgh"[..], plan);
        let started = tokio::time::Instant::now();
        let mut read = Vec::new();
        stream.read_to_end(&mut read).await.unwrap();
        assert_eq!(read, b"##abcde");
        assert_eq!(started.elapsed().as_secs(), 3);
    }
}
