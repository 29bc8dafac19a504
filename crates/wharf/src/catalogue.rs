//! Keeps the catalogue on disk in step with what servers tell, in the background.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_actors::HouseHandle;
use mcp_catalog::Roster;
use mcp_catalog::cache::CacheEntry;
use mcp_types::ServerName;
use tokio::task::JoinSet;

use crate::clock::unix_millis;
use crate::store::{Entries, Store, is_news};

/// Hashes of what the servers of the current configuration are defined by.
pub(crate) type Hashes = BTreeMap<ServerName, String>;

/// Owns the task that watches the roster and the knowledge of what is on disk already.
pub(crate) struct CatalogueKeeper {
    shared: Arc<Shared>,
    task: Mutex<JoinSet<()>>,
}

struct Shared {
    store: Option<Store>,
    known: Mutex<Entries>,
    writing: Mutex<()>,
    hashes: Mutex<Hashes>,
}

impl CatalogueKeeper {
    pub(crate) fn new(store: Option<Store>, known: Entries, hashes: Hashes) -> Self {
        let shared =
            Shared { store, known: Mutex::new(known), writing: Mutex::new(()), hashes: Mutex::new(hashes) };
        Self { shared: Arc::new(shared), task: Mutex::new(JoinSet::new()) }
    }

    pub(crate) fn set_hashes(&self, hashes: Hashes) {
        *lock(&self.shared.hashes) = hashes;
    }

    /// Starts to write whenever the roster changes.
    pub(crate) fn watch(&self, house: &HouseHandle) {
        if self.shared.store.is_none() {
            return;
        }
        let shared = Arc::clone(&self.shared);
        let mut rosters = house.roster_reader();
        lock(&self.task).spawn(async move {
            while let Some(roster) = rosters.changed().await {
                shared.write(roster).await;
            }
        });
    }

    /// Ends the watching task; a write that has begun is finished by [`CatalogueKeeper::flush`].
    pub(crate) async fn stop(&self) {
        let mut task = std::mem::take(&mut *lock(&self.task));
        task.shutdown().await;
    }

    /// Writes what is not written yet.
    pub(crate) async fn flush(&self, roster: Arc<Roster>) {
        self.shared.write(roster).await;
    }
}

impl Shared {
    async fn write(self: &Arc<Self>, roster: Arc<Roster>) {
        // Mostly there is nothing to write, and no thread is needed to find that out.
        if self.store.is_none() || self.news(&roster, &lock(&self.known)).is_empty() {
            return;
        }
        let shared = Arc::clone(self);
        let written = tokio::task::spawn_blocking(move || shared.write_blocking(&roster)).await;
        if written.is_err() {
            tracing::warn!("writing the catalogue was interrupted");
        }
    }

    fn write_blocking(&self, roster: &Roster) {
        let Some(store) = &self.store else { return };
        // Taken before the look at what is known, so that two writes of this process follow each other.
        let _writing = lock(&self.writing);
        let news = self.news(roster, &lock(&self.known));
        if news.is_empty() {
            return;
        }
        match store.merge(&news) {
            Ok(()) => lock(&self.known).extend(news),
            Err(error) => tracing::warn!(%error, "the catalogue could not be written"),
        }
    }

    fn news(&self, roster: &Roster, known: &Entries) -> Entries {
        let now_ms = unix_millis();
        let hashes = lock(&self.hashes);
        let mut news = Entries::new();
        for server in roster.servers() {
            let (Some(listing), Some(hash)) = (&server.listing, hashes.get(&server.name)) else { continue };
            if is_news(known.get(&server.name), hash, listing, now_ms) {
                let entry = CacheEntry {
                    spec_hash: hash.clone(),
                    cached_at_ms: now_ms,
                    listing: Arc::clone(listing),
                };
                news.insert(server.name.clone(), entry);
            }
        }
        news
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
