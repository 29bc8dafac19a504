//! What should be mounted: configuration, servers defined by code and what was unmounted by hand, joined into one
//! desired state. Start-up, reload, registration and unmounting all take this one path.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_actors::{Desired, HouseHandle, MountSpec};
use mcp_transport::Connector;
use mcp_types::{ErrorCode, Generation, Host, ServerName};

use crate::builder::RuntimeBuilder;
use crate::definition::ServerDefinition;
use crate::environment::Environment;
use crate::error::Error;
use crate::lower::{Lowered, lower};
use crate::store::{Entries, Loaded, Store};
use crate::unresolved::CheckedConnector;

/// Mounts in the order of their configuration.
pub(crate) type MountList = Vec<(ServerName, Arc<MountSpec>)>;

/// Where configuration comes from: kept so that a reload reads the same places again.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) builder: RuntimeBuilder,
    pub(crate) environment: Environment,
}

impl Source {
    pub(crate) fn new(builder: RuntimeBuilder, environment: Environment) -> Self {
        Self { builder, environment }
    }

    pub(crate) fn connector(&self) -> Arc<dyn Connector> {
        self.builder.connector_or_system()
    }

    /// Reads files and catalogue and lowers them, off the async threads unless the builder says otherwise.
    pub(crate) async fn read(&self, store: Option<Store>) -> Result<(Loaded, Lowered), Error> {
        let source = self.clone();
        let read = move || {
            let loaded = store.map(|store| store.load()).unwrap_or_default();
            let lowered = source.lower(&loaded.entries);
            (loaded, lowered)
        };
        if self.builder.in_place {
            return Ok(read());
        }
        tokio::task::spawn_blocking(read)
            .await
            .map_err(|_| Error::new(ErrorCode::Internal, "reading the configuration was interrupted"))
    }

    fn lower(&self, known: &Entries) -> Lowered {
        let config = self.builder.config_request(&self.environment).map(|request| mcp_config::load(&request));
        lower(config.unwrap_or_default(), self, known)
    }
}

/// The desired state and its generation.
#[derive(Debug)]
pub(crate) struct Mounts {
    source: Source,
    connector: Arc<CheckedConnector>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    generation: Generation,
    configured: MountList,
    unmounted: BTreeSet<ServerName>,
    registered: Vec<(ServerName, ServerDefinition)>,
}

impl Mounts {
    pub(crate) fn new(source: Source, connector: Arc<CheckedConnector>, configured: MountList) -> Self {
        let state = State {
            generation: Generation::ZERO,
            configured,
            unmounted: BTreeSet::new(),
            registered: Vec::new(),
        };
        Self { source, connector, state: Mutex::new(state) }
    }

    pub(crate) fn connector(&self) -> &Arc<CheckedConnector> {
        &self.connector
    }

    pub(crate) fn host(&self) -> Arc<dyn Host> {
        Arc::clone(&self.source.builder.host)
    }

    /// Gives the source with the servers that were registered at run time.
    pub(crate) fn source(&self) -> Source {
        let mut source = self.source.clone();
        source.builder.definitions.extend(self.lock().registered.iter().cloned());
        source
    }

    pub(crate) fn replace(&self, lowered: &Lowered) {
        self.connector.refuse(lowered.refusals.clone());
        self.lock().configured.clone_from(&lowered.mounts);
    }

    /// Sends the desired state as a new generation. Sent under the lock, so that generations arrive in order.
    pub(crate) fn apply(&self, house: &HouseHandle) -> Generation {
        let mut state = self.lock();
        state.generation = state.generation.next();
        let mounts =
            state.configured.iter().filter(|(name, _)| !state.unmounted.contains(name)).cloned().collect();
        house.apply(Desired { generation: state.generation, mounts });
        state.generation
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.lock().configured.iter().any(|(known, _)| known.as_str() == name)
    }

    pub(crate) fn names(&self) -> Vec<ServerName> {
        self.lock().configured.iter().map(|(name, _)| name.clone()).collect()
    }

    pub(crate) fn spec(&self, name: &ServerName) -> Option<Arc<MountSpec>> {
        let state = self.lock();
        state.configured.iter().find(|(known, _)| known == name).map(|(_, spec)| Arc::clone(spec))
    }

    /// Marks a server as unmounted, or takes the mark away. True when that changed anything.
    pub(crate) fn set_unmounted(&self, name: &ServerName, unmounted: bool) -> bool {
        let mut state = self.lock();
        if unmounted { state.unmounted.insert(name.clone()) } else { state.unmounted.remove(name) }
    }

    pub(crate) fn register(&self, name: &ServerName, definition: ServerDefinition) {
        self.lock().registered.push((name.clone(), definition));
    }

    pub(crate) fn unregister(&self, name: &ServerName) {
        self.lock().registered.retain(|(known, _)| known != name);
    }

    /// Takes a server out of the desired state before the next reload does.
    pub(crate) fn forget(&self, name: &ServerName) {
        self.lock().configured.retain(|(known, _)| known != name);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
