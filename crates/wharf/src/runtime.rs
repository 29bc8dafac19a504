//! The runtime: one value that holds the actor system, the rules and the catalogue, and answers for all of them.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use mcp_actors::{
    HouseHandle, HouseOptions, RosterReader, ShutdownReport, StatusSnapshot, StatusV1, Subscription,
};
use mcp_catalog::{Resolution, Roster, RosterTool, SearchPage, SearchQuery};
use mcp_config::ConfigSnapshot;
use mcp_guard::GuardReport;
use mcp_policy::Grants;
use mcp_transport::Connector;
use mcp_types::{
    Arguments, CallId, CallRequest, CallTarget, Diagnostic, ErrorCode, Host, Origin, ServerName, SessionId,
    ToolOutput,
};
use tokio::time::Instant;

use crate::agent::Agent;
use crate::builder::RuntimeBuilder;
use crate::call::{CallOutput, ProgressSink};
use crate::catalogue::{CatalogueKeeper, Hashes};
use crate::environment::Environment;
use crate::error::Error;
use crate::explain;
use crate::mounts::{Mounts, Source};
use crate::rules::CallRules;
use crate::store::Store;
use crate::unresolved::CheckedConnector;

/// Mounted servers behind one handle. Cheap to clone; several runtimes live side by side in one process.
///
/// When the last clone is dropped, everything is ended without waiting. [`Runtime::shutdown`] waits.
///
/// ```no_run
/// # async fn example() -> Result<(), wharf::Error> {
/// let runtime = wharf::Runtime::builder()
///     .server("time", wharf::ServerDefinition::stdio("uvx").args(["mcp-server-time"]))?
///     .build()
///     .await?;
/// let answer = runtime.call_tool("time_get_current_time", serde_json::json!({"timezone": "UTC"})).await?;
/// println!("{}", answer.output.joined_text());
/// runtime.shutdown(std::time::Duration::from_secs(5)).await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Runtime {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) house: HouseHandle,
    host: Arc<dyn Host>,
    rules: ArcSwap<CallRules>,
    grants: Mutex<Grants>,
    pub(crate) config: ArcSwap<ConfigSnapshot>,
    pub(crate) diagnostics: ArcSwap<Vec<Diagnostic>>,
    pub(crate) mounts: Mounts,
    pub(crate) store: Option<Store>,
    keeper: CatalogueKeeper,
    catalogue_found: bool,
    next_call: AtomicU64,
}

impl Runtime {
    /// Starts to gather what a runtime needs.
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::new()
    }

    pub(crate) async fn start(builder: RuntimeBuilder, environment: Environment) -> Result<Self, Error> {
        let store = builder
            .use_cache
            .then(|| Store::new(builder.cache_dir.clone().unwrap_or_else(|| environment.cache_dir())));
        let source = Source::new(builder, environment);
        let (loaded, lowered) = source.read(store.clone()).await?;
        let connector = Arc::new(CheckedConnector::new(source.connector()));
        connector.refuse(lowered.refusals);
        let house = HouseHandle::start(HouseOptions {
            connector: Arc::clone(&connector) as Arc<dyn Connector>,
            host: Arc::clone(&source.builder.host),
            close_grace: source.builder.close_grace,
        })
        .await
        .map_err(|error| {
            Error::new(ErrorCode::Internal, format!("the actor system did not start: {error}"))
        })?;
        let keeper = CatalogueKeeper::new(store.clone(), loaded.entries, lowered.hashes);
        let diagnostics = lowered.diagnostics.into_iter().chain(loaded.diagnostics).collect();
        let mounts = Mounts::new(source, connector, lowered.mounts);
        let generation = mounts.apply(&house);
        house.applied(generation).await;
        keeper.watch(&house);
        Ok(Self {
            inner: Arc::new(Inner {
                host: mounts.host(),
                rules: ArcSwap::from_pointee(lowered.rules),
                grants: Mutex::new(Grants::default()),
                config: ArcSwap::from_pointee(lowered.config),
                diagnostics: ArcSwap::from_pointee(diagnostics),
                mounts,
                store,
                keeper,
                catalogue_found: loaded.found,
                next_call: AtomicU64::new(1),
                house,
            }),
        })
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }

    pub(crate) fn house(&self) -> &HouseHandle {
        &self.inner.house
    }

    pub(crate) fn host(&self) -> &Arc<dyn Host> {
        &self.inner.host
    }

    pub(crate) fn rules(&self) -> arc_swap::Guard<Arc<CallRules>> {
        self.inner.rules.load()
    }

    pub(crate) fn set_rules(&self, rules: CallRules) {
        self.inner.rules.store(Arc::new(rules));
    }

    pub(crate) fn set_hashes(&self, hashes: Hashes) {
        self.inner.keeper.set_hashes(hashes);
    }

    pub(crate) fn with_grants<T>(&self, use_grants: impl FnOnce(&mut Grants) -> T) -> T {
        let mut grants = self.inner.grants.lock().unwrap_or_else(PoisonError::into_inner);
        use_grants(&mut grants)
    }

    pub(crate) fn next_call_id(&self) -> CallId {
        CallId::new(self.inner.next_call.fetch_add(1, Ordering::Relaxed))
    }

    /// Runs one call. Dropping the future cancels it at the server.
    ///
    /// `Ok` with `output.is_error` means that the tool ran and reports a failure of its own; `Err` means that Wharf
    /// could not bring an answer.
    ///
    /// # Errors
    /// `tool_not_found`, `server_not_found`, `ambiguous_tool`, `server_disabled` when the name leads nowhere;
    /// `not_allowed`, `approval_denied`, `approval_required` when it may not run; `connect_failed`,
    /// `server_backoff`, `still_starting`, `auth_required`, `overloaded` when no session could be had; `timeout`,
    /// `connection_lost`, `server_error`, `protocol_error`, `too_large` when the request failed.
    pub async fn call(&self, request: CallRequest) -> Result<CallOutput, Error> {
        self.call_narrowed(request, &[], None).await
    }

    /// Runs one call and hands every progress notification to `progress`, in order.
    ///
    /// # Errors
    /// As [`Runtime::call`].
    pub async fn call_with_progress(
        &self,
        request: CallRequest,
        progress: ProgressSink,
    ) -> Result<CallOutput, Error> {
        self.call_narrowed(request, &[], Some(progress)).await
    }

    /// Calls a tool by its outward name on behalf of the embedding program.
    ///
    /// # Errors
    /// As [`Runtime::call`]; `invalid_arguments` when `arguments` is no object.
    pub async fn call_tool(&self, tool: &str, arguments: serde_json::Value) -> Result<CallOutput, Error> {
        let arguments = Arguments::from_value(&arguments)
            .map_err(|error| Error::new(ErrorCode::InvalidArguments, error.to_string()).for_name(tool))?;
        self.call(CallRequest {
            target: CallTarget { server: None, tool: tool.to_owned() },
            arguments,
            origin: Origin::Library,
            session: SessionId::new("library"),
            timeout: None,
        })
        .await
    }

    /// Gives a caller with a name, whose view can be narrowed and whose grants are its own.
    pub fn agent(&self, name: &str) -> Agent {
        Agent::new(self.clone(), name)
    }

    /// Gives the tools as they stand, known ones of sleeping servers included.
    pub fn roster(&self) -> Arc<Roster> {
        self.inner.house.roster()
    }

    /// Follows the tools alone; hears nothing of calls and costs them nothing.
    pub fn roster_reader(&self) -> RosterReader {
        self.inner.house.roster_reader()
    }

    /// Searches the known tools. Connects nothing.
    ///
    /// # Errors
    /// `empty_query`, `query_too_long`, `invalid_pattern`.
    pub fn search(&self, query: &SearchQuery) -> Result<SearchPage, Error> {
        mcp_catalog::search(&self.roster(), query)
            .map_err(|error| Error::new(error.code(), error.to_string()))
    }

    /// Finds a tool among the known ones. Connects nothing.
    ///
    /// # Errors
    /// `tool_not_found`, `server_not_found`, `ambiguous_tool`, `server_disabled`, `not_connected`.
    pub fn resolve(&self, target: &CallTarget) -> Result<Arc<RosterTool>, Error> {
        self.roster().resolve(target).into_found().map_err(|other| explain::unresolved(target, other))
    }

    /// Finds a tool, connecting the servers that may offer it when their lists are not known yet.
    ///
    /// # Errors
    /// As [`Runtime::resolve`], and those of connecting.
    pub async fn find(&self, target: &CallTarget) -> Result<Arc<RosterTool>, Error> {
        let Resolution::Discover { servers } = self.roster().resolve(target) else {
            return self.resolve(target);
        };
        let mut outcome = self.resolve(target);
        for server in servers {
            if let Err(error) = self.connect_named(&server, false).await {
                outcome = Err(error);
                continue;
            }
            outcome = self.resolve(target);
            if outcome.is_ok() {
                break;
            }
        }
        outcome
    }

    /// Tells whether a call of this tool would ask for an approval.
    pub fn requires_approval(&self, tool: &RosterTool) -> bool {
        let rules = self.rules();
        rules.policy.asks_for(
            &tool.reference,
            &mcp_catalog::spellings(&tool.reference),
            crate::permit::is_read_only(tool),
        )
    }

    /// Gives what a server says about its own use.
    ///
    /// # Errors
    /// `server_not_found`; `not_connected` when it was never asked; `no_instructions` when it gives none.
    pub fn instructions(&self, server: &str) -> Result<String, Error> {
        let name = self.server_name(server)?;
        let roster = self.roster();
        let Some(listing) = roster.server(name.as_str()).and_then(|entry| entry.listing.clone()) else {
            return Err(explain::not_connected(&name));
        };
        listing.instructions.clone().ok_or_else(|| {
            Error::new(ErrorCode::NoInstructions, format!("{name} gives no instructions")).for_server(&name)
        })
    }

    /// Turns a text into the name of a configured server.
    ///
    /// # Errors
    /// `server_not_found` with near names.
    pub fn server_name(&self, text: &str) -> Result<ServerName, Error> {
        let roster = self.roster();
        if let Some(server) = roster.server(text) {
            return Ok(server.name.clone());
        }
        let near = roster.near_servers(text).iter().map(ToString::to_string).collect();
        Err(explain::server_not_found(text, near))
    }

    /// Gives the state of every server as the versioned status document. Connects nothing.
    pub fn status(&self) -> StatusV1 {
        mcp_actors::status_v1(&self.snapshot(), &self.roster(), Instant::now())
    }

    /// Gives the state of every server. Connects nothing.
    pub fn snapshot(&self) -> Arc<StatusSnapshot> {
        self.inner.house.snapshot()
    }

    /// Follows the state: the current snapshot first, then events in rising version order.
    pub fn subscribe(&self) -> Subscription {
        self.inner.house.subscribe()
    }

    /// Gives the configuration that is in force.
    pub fn config(&self) -> Arc<ConfigSnapshot> {
        self.inner.config.load_full()
    }

    /// Gives what is wrong in the configuration and the catalogue.
    pub fn diagnostics(&self) -> Arc<Vec<Diagnostic>> {
        self.inner.diagnostics.load_full()
    }

    /// Tells whether a catalogue of an earlier run was there. Without one nothing is known of sleeping servers.
    pub fn catalogue_found(&self) -> bool {
        self.inner.catalogue_found
    }

    /// Gives the directory of spilled results and saved files; `None` without a cache.
    pub fn results_dir(&self) -> Option<PathBuf> {
        self.inner.store.as_ref().map(Store::spill_dir)
    }

    pub(crate) async fn guard(&self, output: ToolOutput) -> (ToolOutput, Option<GuardReport>) {
        let guarded = mcp_guard::apply(&self.rules().guard, output);
        crate::spill::finish(self.inner.store.clone(), guarded).await
    }

    /// Ends everything: intake stops, calls get up to `grace` to end, then sessions are closed and children ended.
    ///
    /// Nothing is left running when this returns; the report names what had to be forced.
    pub async fn shutdown(&self, grace: Duration) -> ShutdownReport {
        self.inner.keeper.stop().await;
        self.inner.keeper.flush(self.roster()).await;
        let report = self.inner.house.shutdown(grace).await;
        self.inner.mounts.connector().shutdown().await;
        report
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Runtime").finish_non_exhaustive()
    }
}
