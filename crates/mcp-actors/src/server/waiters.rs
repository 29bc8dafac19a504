//! Who waits for a lease, in the order of arrival.

use std::time::Instant;

use super::effect::ServerEffect;
use super::event::{Ask, WaiterId};
use super::refusal::Refusal;

/// The queue of requests that could not be answered at once. Its length is bounded by the in-flight limit, which is
/// enforced before a request gets here.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waiters {
    asks: Vec<Ask>,
}

impl Waiters {
    pub(crate) fn push(&mut self, ask: Ask) {
        self.asks.push(ask);
    }

    pub(crate) fn remove(&mut self, waiter: WaiterId) {
        self.asks.retain(|ask| ask.waiter != waiter);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.asks.is_empty()
    }

    /// Empties the queue.
    pub(crate) fn take(&mut self) -> Vec<Ask> {
        std::mem::take(&mut self.asks)
    }

    /// Answers everybody with the same refusal.
    pub(crate) fn refuse_all(&mut self, refusal: &Refusal, out: &mut Vec<ServerEffect>) {
        for ask in self.asks.drain(..) {
            out.push(ServerEffect::Refuse { waiter: ask.waiter, refusal: refusal.clone() });
        }
    }

    /// Answers those whose deadline has come.
    pub(crate) fn expire(&mut self, now: Instant, out: &mut Vec<ServerEffect>) {
        self.asks.retain(|ask| {
            let in_time = ask.deadline > now;
            if !in_time {
                out.push(ServerEffect::Refuse { waiter: ask.waiter, refusal: Refusal::StillStarting });
            }
            in_time
        });
    }

    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.asks.iter().map(|ask| ask.deadline).min()
    }
}
