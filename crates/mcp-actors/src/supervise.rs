//! When a shell that failed begins anew: at once but for a short, growing delay; when it fails too often within a
//! window, only after the window has passed. It is never given up, and never spins.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::server::backoff::BackoffSpec;

/// The time over which failures are counted.
const WINDOW: Duration = Duration::from_mins(1);

/// The failures within the window after which it has to pass first.
const INTENSITY: usize = 5;

/// The failures of one shell within the window.
#[derive(Debug, Clone, Default)]
pub(crate) struct RestartHistory {
    failures: VecDeque<Instant>,
}

impl RestartHistory {
    /// Notes a failure and gives the time of the restart.
    pub(crate) fn failed(&mut self, now: Instant, random: &mut fastrand::Rng) -> Instant {
        while self.failures.front().is_some_and(|at| now.saturating_duration_since(*at) >= WINDOW) {
            self.failures.pop_front();
        }
        self.failures.push_back(now);
        let count = u32::try_from(self.failures.len()).unwrap_or(u32::MAX);
        let soon = now + BackoffSpec::RESTART.delay(count, random);
        if self.failures.len() < INTENSITY {
            return soon;
        }
        let oldest = self.failures.pop_front().unwrap_or(now);
        soon.max(oldest + WINDOW)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restarts_are_delayed_more_and_more_and_then_wait_for_the_window() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut history = RestartHistory::default();
        let start = tokio::time::Instant::now().into_std();
        let mut now = start;
        for _ in 0..INTENSITY - 1 {
            let next = history.failed(now, &mut random);
            assert!(next > now && next < now + Duration::from_secs(2));
            now = next;
        }
        assert_eq!(history.failed(now, &mut random), start + WINDOW);
    }

    #[test]
    fn an_old_failure_does_not_count() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut history = RestartHistory::default();
        let start = tokio::time::Instant::now().into_std();
        for minutes in 0..100 {
            let now = start + WINDOW * minutes;
            assert!(history.failed(now, &mut random) <= now + BackoffSpec::RESTART.base);
        }
    }
}
