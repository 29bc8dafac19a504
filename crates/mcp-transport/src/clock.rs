//! The clock of one request: silence and total, both standing still while the host is asked.

use std::time::Duration;

use tokio::time::Instant;

/// Which bound of a request was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Nothing was heard for this long.
    Silence(Duration),
    /// The request took this long as a whole.
    Total(Duration),
}

/// Counts down two spans of time together.
#[derive(Debug)]
pub(crate) struct CallClock {
    idle: Duration,
    total: Duration,
    idle_left: Duration,
    total_left: Duration,
    /// `None` while the clock stands still.
    running_since: Option<Instant>,
}

impl CallClock {
    pub(crate) fn new(idle: Duration, total: Duration, now: Instant) -> Self {
        Self { idle, total, idle_left: idle, total_left: total, running_since: Some(now) }
    }

    /// Something was heard: the silence starts anew.
    pub(crate) fn heard(&mut self, now: Instant) {
        self.settle(now);
        self.idle_left = self.idle;
    }

    /// Stops the clock or lets it go on.
    pub(crate) fn set_standing(&mut self, standing: bool, now: Instant) {
        self.settle(now);
        self.running_since = if standing { None } else { Some(now) };
    }

    /// Gives the instant at which the next bound is reached; `None` while the clock stands still.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.running_since.map(|since| since + self.idle_left.min(self.total_left))
    }

    /// Says which bound is reached at the deadline.
    pub(crate) fn bound(&self) -> Bound {
        if self.idle_left < self.total_left { Bound::Silence(self.idle) } else { Bound::Total(self.total) }
    }

    fn settle(&mut self, now: Instant) {
        let Some(since) = self.running_since else { return };
        let elapsed = now.saturating_duration_since(since);
        self.idle_left = self.idle_left.saturating_sub(elapsed);
        self.total_left = self.total_left.saturating_sub(elapsed);
        self.running_since = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[tokio::test(start_paused = true)]
    async fn progress_resets_the_silence_but_not_the_total() {
        let start = Instant::now();
        let mut clock = CallClock::new(seconds(30), seconds(70), start);
        assert_eq!(clock.deadline(), Some(start + seconds(30)));
        clock.heard(start + seconds(25));
        assert_eq!(
            (clock.deadline(), clock.bound()),
            (Some(start + seconds(55)), Bound::Silence(seconds(30)))
        );
        clock.heard(start + seconds(50));
        assert_eq!((clock.deadline(), clock.bound()), (Some(start + seconds(70)), Bound::Total(seconds(70))));
    }

    #[tokio::test(start_paused = true)]
    async fn the_clock_stands_still_while_the_host_is_asked() {
        let start = Instant::now();
        let mut clock = CallClock::new(seconds(30), seconds(70), start);
        clock.set_standing(true, start + seconds(10));
        assert_eq!(clock.deadline(), None);
        clock.set_standing(false, start + seconds(1_000));
        assert_eq!(clock.deadline(), Some(start + seconds(1_020)));
    }
}
