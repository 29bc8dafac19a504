//! The deadline of one call. It moves on by the time a person was asked.

use std::time::Duration;

use tokio::time::Instant;

/// A point in time, or none where only the bounds of the server apply.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    pub(crate) fn new(at: Option<Instant>) -> Self {
        Self(at)
    }

    pub(crate) fn at(self) -> Option<Instant> {
        self.0
    }

    pub(crate) fn extend(&mut self, asked: Duration) {
        self.0 = self.0.map(|at| at + asked);
    }

    pub(crate) fn remaining(self, now: Instant) -> Option<Duration> {
        self.0.map(|at| at.saturating_duration_since(now))
    }
}
