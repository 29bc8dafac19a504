//! The last words of a child: its standard error is always drained, and its end is kept.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use mcp_types::Secret;
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::hub::lock;

/// The longest line that is shown, in characters.
const MAX_LINE_CHARACTERS: usize = 400;
/// Secrets shorter than this would hide ordinary words.
const MIN_SECRET_BYTES: usize = 6;

/// Keeps the last bytes of a stream.
#[derive(Debug, Clone)]
pub(super) struct StderrRing {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    capacity: usize,
    /// Values that must not be shown should the child print them.
    secrets: Arc<[Secret<String>]>,
}

impl StderrRing {
    pub(super) fn new(capacity: usize, secrets: impl Iterator<Item = Secret<String>>) -> Self {
        let secrets = secrets.filter(|secret| secret.expose().len() >= MIN_SECRET_BYTES).collect();
        Self { bytes: Arc::default(), capacity, secrets }
    }

    /// Reads a stream to its end. The child never waits for us.
    pub(super) async fn drain(self, mut stream: impl AsyncRead + Unpin) {
        let mut chunk = vec![0; 8 * 1024];
        while let Ok(count) = stream.read(&mut chunk).await {
            if count == 0 {
                return;
            }
            self.push(chunk.get(..count).unwrap_or_default());
        }
    }

    fn push(&self, chunk: &[u8]) {
        let mut bytes = lock(&self.bytes);
        bytes.extend(chunk);
        let excess = bytes.len().saturating_sub(self.capacity);
        bytes.drain(..excess);
    }

    /// Gives the last lines that hold anything, fit to be shown.
    pub(super) fn tail(&self, lines: usize) -> Vec<String> {
        let bytes: Vec<u8> = lock(&self.bytes).iter().copied().collect();
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        for secret in self.secrets.iter() {
            text = text.replace(secret.expose(), "[secret]");
        }
        let mut tail: Vec<String> =
            text.lines().rev().map(clean).filter(|line| !line.is_empty()).take(lines).collect();
        tail.reverse();
        tail
    }
}

/// Takes out what would act on a terminal, and cuts what is overlong.
fn clean(line: &str) -> String {
    let mut cleaned = String::new();
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            // An escape sequence ends with its first letter.
            if characters.next_if_eq(&'[').is_some() {
                while characters.next_if(|next| !next.is_ascii_alphabetic()).is_some() {}
                characters.next();
            }
            continue;
        }
        if character == '\t' {
            cleaned.push(' ');
        } else if !character.is_control() {
            cleaned.push(character);
        }
    }
    let cut: String = cleaned.trim_end().chars().take(MAX_LINE_CHARACTERS).collect();
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_tail_is_bounded_clean_and_without_secrets() {
        let ring = StderrRing::new(64, [Secret::new("hunter22".to_owned())].into_iter());
        let text = format!("{}\n\u{1b}[31mred\u{1b}[0m\r\n\ntoken hunter22\n", "x".repeat(1_000));
        ring.clone().drain(text.as_bytes()).await;
        assert_eq!(lock(&ring.bytes).len(), 64);
        assert_eq!(ring.tail(2), ["red", "token [secret]"]);
    }
}
