//! How attempts are spaced: doubling delays with a cap and some jitter. The state is the count of attempts, kept by
//! whoever asks.

use std::time::{Duration, Instant};

/// How attempts to connect are spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackoffSpec {
    /// The delay after the first failure; it doubles with each further one.
    pub base: Duration,
    /// The longest delay.
    pub cap: Duration,
    /// By how many percent a delay may fall short, at random, so that servers do not dial in step. At most 100.
    pub jitter_percent: u8,
    /// How long after a failed attempt a plain request does not cause another one.
    pub acquire_block: Duration,
}

impl Default for BackoffSpec {
    fn default() -> Self {
        Self {
            base: Duration::from_secs(30),
            cap: Duration::from_mins(5),
            jitter_percent: 10,
            acquire_block: Duration::from_mins(1),
        }
    }
}

impl BackoffSpec {
    /// The spacing of repeated listings after a failed one.
    pub(crate) const RELIST: Self = Self {
        base: Duration::from_secs(2),
        cap: Duration::from_mins(5),
        jitter_percent: 10,
        acquire_block: Duration::ZERO,
    };

    /// The spacing of restarts of a shell that panicked.
    pub(crate) const RESTART: Self = Self {
        base: Duration::from_millis(100),
        cap: Duration::from_mins(1),
        jitter_percent: 20,
        acquire_block: Duration::ZERO,
    };

    /// Gives the delay after this many failures in a row, counted from one.
    pub(crate) fn delay(&self, failures: u32, random: &mut fastrand::Rng) -> Duration {
        let doublings = failures.saturating_sub(1).min(31);
        let full = self.base.saturating_mul(1 << doublings).min(self.cap);
        let short = random.u32(0..=u32::from(self.jitter_percent.min(100)));
        full.saturating_sub(full / 100 * short)
    }
}

/// Gives the time this long after `now`; a time beyond what a clock can tell is as good as never.
pub(crate) fn after(now: Instant, time: Duration) -> Instant {
    now.checked_add(time).unwrap_or_else(|| now + FAR)
}

const FAR: Duration = Duration::from_hours(24 * 365 * 30);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapter_10_delays_double_up_to_five_minutes() {
        let exact = BackoffSpec { jitter_percent: 0, ..BackoffSpec::default() };
        let mut random = fastrand::Rng::with_seed(1);
        let seconds: Vec<u64> = (1..=6).map(|n| exact.delay(n, &mut random).as_secs()).collect();
        assert_eq!(seconds, [30, 60, 120, 240, 300, 300]);
        assert_eq!(exact.delay(u32::MAX, &mut random).as_secs(), 300);
    }

    #[test]
    fn jitter_only_shortens_and_within_its_bound() {
        let spec = BackoffSpec::default();
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..1_000 {
            let delay = spec.delay(1, &mut random).as_millis();
            assert!((27_000..=30_000).contains(&delay), "{delay}");
        }
    }
}
