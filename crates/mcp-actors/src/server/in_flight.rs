//! The bound on leases of one server. It is kept where requests come in, because a mailbox has no bound of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Admits a bounded number of requests at one time, in the order of their arrival.
#[derive(Debug)]
pub(crate) struct InFlight {
    places: Arc<Semaphore>,
    limit: Mutex<usize>,
    /// Places that are to vanish when they come back, because the limit was lowered.
    surplus: AtomicUsize,
}

/// One place, given back when dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    place: Option<OwnedSemaphorePermit>,
    in_flight: Arc<InFlight>,
}

impl InFlight {
    pub(crate) fn new(limit: usize) -> Self {
        let limit = Self::usable(limit);
        Self {
            places: Arc::new(Semaphore::new(limit)),
            limit: Mutex::new(limit),
            surplus: AtomicUsize::new(0),
        }
    }

    fn usable(limit: usize) -> usize {
        limit.clamp(1, Semaphore::MAX_PERMITS)
    }

    /// Waits for a place up to the deadline.
    pub(crate) async fn enter(self: &Arc<Self>, deadline: Instant) -> Option<Permit> {
        let place = if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            place
        } else {
            let waiting = Arc::clone(&self.places).acquire_owned();
            tokio::time::timeout_at(deadline, waiting).await.ok()?.ok()?
        };
        Some(Permit { place: Some(place), in_flight: Arc::clone(self) })
    }

    /// Changes the limit. Nobody loses a place: a lower limit takes effect as places come back.
    pub(crate) fn resize(&self, limit: usize) {
        let limit = Self::usable(limit);
        let mut current = self.limit.lock().unwrap_or_else(PoisonError::into_inner);
        if limit >= *current {
            let mut more = limit - *current;
            while more > 0 && self.take_surplus() {
                more -= 1;
            }
            self.places.add_permits(more);
        } else {
            let fewer = *current - limit;
            let gone = self.places.forget_permits(fewer);
            self.surplus.fetch_add(fewer.saturating_sub(gone), Ordering::Relaxed);
        }
        *current = limit;
    }

    fn take_surplus(&self) -> bool {
        self.surplus
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |surplus| surplus.checked_sub(1))
            .is_ok()
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(place) = self.place.take()
            && self.in_flight.take_surplus()
        {
            place.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    async fn enters(in_flight: &Arc<InFlight>) -> Option<Permit> {
        in_flight.enter(Instant::now() + Duration::from_millis(1)).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_is_waited_for_up_to_the_deadline() {
        let in_flight = Arc::new(InFlight::new(1));
        let first = enters(&in_flight).await;
        assert!(first.is_some() && enters(&in_flight).await.is_none());
        drop(first);
        assert!(enters(&in_flight).await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_lower_limit_takes_effect_as_places_come_back() {
        let in_flight = Arc::new(InFlight::new(3));
        let (one, two) = (enters(&in_flight).await, enters(&in_flight).await);
        in_flight.resize(1);
        assert!(enters(&in_flight).await.is_none());
        drop(one);
        assert!(enters(&in_flight).await.is_none());
        drop(two);
        let again = enters(&in_flight).await;
        assert!(again.is_some() && enters(&in_flight).await.is_none());
        in_flight.resize(2);
        assert!(enters(&in_flight).await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_lowered_and_raised_again_adds_no_place() {
        let in_flight = Arc::new(InFlight::new(2));
        let held = (enters(&in_flight).await, enters(&in_flight).await);
        in_flight.resize(1);
        in_flight.resize(2);
        drop(held);
        let now = (enters(&in_flight).await, enters(&in_flight).await, enters(&in_flight).await);
        assert!(now.0.is_some() && now.1.is_some() && now.2.is_none());
    }
}
