//! The clients that are connected now, and the notice they get when the tool's definition changes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::join_all;
use rmcp::RoleServer;
use rmcp::service::Peer;
use wharf::Runtime;

use crate::tool::definition;

/// How long a notice may wait for a client that does not read.
const NOTICE: Duration = Duration::from_secs(5);

/// The open client sessions of one gateway. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Clients(Arc<Mutex<Vec<Peer<RoleServer>>>>);

impl Clients {
    /// Adds a client that has finished its handshake, and forgets those that are gone.
    pub(crate) fn add(&self, peer: Peer<RoleServer>) {
        let mut peers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        peers.retain(|known| !known.is_transport_closed());
        peers.push(peer);
    }

    fn open(&self) -> Vec<Peer<RoleServer>> {
        let mut peers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        peers.retain(|known| !known.is_transport_closed());
        peers.clone()
    }

    async fn notify(&self) {
        let notices = self.open().into_iter().map(|peer| async move {
            match tokio::time::timeout(NOTICE, peer.notify_tool_list_changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::debug!(%error, "a client did not get tools/list_changed"),
                Err(_) => tracing::debug!("a client did not take tools/list_changed in time"),
            }
        });
        join_all(notices).await;
    }

    /// Follows the runtime and tells every client when the bytes of the definition change. Ends with the runtime.
    pub(crate) async fn follow(&self, runtime: &Runtime) {
        let mut rosters = runtime.roster_reader();
        let mut told = definition::render(&rosters.current());
        while let Some(roster) = rosters.changed().await {
            let current = definition::render(&roster);
            if current != told {
                told = current;
                self.notify().await;
            }
        }
    }
}
