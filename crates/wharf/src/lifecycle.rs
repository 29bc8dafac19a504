//! Mounting, unmounting, connecting and reloading: the requests that change what stands.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use mcp_actors::{AcquireOptions, Lease, LeaseOutcome};
use mcp_catalog::ServerListing;
use mcp_transport::{Failure, RequestOptions, Session};
use mcp_types::{Diagnostic, Epoch, ErrorCode, Generation, RawObject, ServerName};
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::definition::ServerDefinition;
use crate::error::Error;
use crate::explain;
use crate::registration::Registration;
use crate::runtime::Runtime;

/// How many servers are connected at the same time by `mount_all`.
const PARALLEL_MOUNTS: usize = 10;

/// What became of each server that was to be mounted.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct MountReport {
    /// The number of tools, or why the server could not be mounted, in configuration order.
    pub servers: Vec<(ServerName, Result<usize, Error>)>,
    /// The servers among the failed ones that are `required`.
    pub required_failed: Vec<ServerName>,
}

impl MountReport {
    /// Tells whether every required server was mounted.
    pub fn is_ready(&self) -> bool {
        self.required_failed.is_empty()
    }
}

/// What a reload found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ReloadReport {
    /// The generation that is in force now.
    pub generation: Generation,
    /// What is wrong in the files.
    pub diagnostics: Arc<Vec<Diagnostic>>,
}

impl Runtime {
    /// Mounts every enabled server: connects it and learns what it offers. One bad server never blocks another.
    pub async fn mount_all(&self) -> MountReport {
        let names = self.inner().mounts.names();
        self.mount_named(names).await
    }

    /// Mounts the named servers. Unknown names are reported like failures.
    pub async fn mount(&self, names: &[&str]) -> MountReport {
        let mut known = Vec::new();
        let mut report = MountReport::default();
        for name in names {
            match ServerName::new(name) {
                Ok(name) if self.inner().mounts.contains(name.as_str()) => known.push(name),
                Ok(name) => {
                    let error = self.server_name(name.as_str()).err();
                    let error = error.unwrap_or_else(|| explain::server_not_found(name.as_str(), Vec::new()));
                    report.servers.push((name, Err(error)));
                }
                Err(error) => tracing::warn!(%error, "not a server name"),
            }
        }
        let mounted = self.mount_named(known).await;
        report.servers.extend(mounted.servers);
        report.required_failed = mounted.required_failed;
        report
    }

    async fn mount_named(&self, names: Vec<ServerName>) -> MountReport {
        let mounts = &self.inner().mounts;
        let remounted = names.iter().filter(|name| mounts.set_unmounted(name, false)).count();
        if remounted > 0 {
            let generation = mounts.apply(self.house());
            self.house().applied(generation).await;
        }
        let enabled = names.into_iter().filter(|name| mounts.spec(name).is_some_and(|spec| !spec.disabled));
        let mut attempts = futures::stream::iter(enabled)
            .map(|name| async move {
                let outcome = self.connect_named(&name, false).await.map(|listing| listing.tools.len());
                (name, outcome)
            })
            .buffered(PARALLEL_MOUNTS);
        let mut report = MountReport::default();
        while let Some((name, outcome)) = attempts.next().await {
            if outcome.is_err() && mounts.spec(&name).is_some_and(|spec| spec.required) {
                report.required_failed.push(name.clone());
            }
            report.servers.push((name, outcome));
        }
        report
    }

    /// Unmounts a server: its tools go, its session is closed, its process ended. Idempotent.
    ///
    /// # Errors
    /// `server_not_found` when no such server is configured.
    pub async fn unmount(&self, name: &str) -> Result<(), Error> {
        let mounts = &self.inner().mounts;
        if !mounts.contains(name) {
            return self.server_name(name).map(|_| ());
        }
        let name = ServerName::new(name)
            .map_err(|error| Error::new(ErrorCode::InvalidRequest, error.to_string()))?;
        if mounts.set_unmounted(&name, true) {
            let generation = mounts.apply(self.house());
            self.house().applied(generation).await;
        }
        self.house().gone(&name).await;
        Ok(())
    }

    /// Adds a server at run time. It goes when the registration is dropped or closed.
    ///
    /// # Errors
    /// `invalid_request` when the name is none or is taken.
    pub async fn register_server(
        &self,
        name: &str,
        definition: ServerDefinition,
    ) -> Result<Registration, Error> {
        let server = ServerName::new(name)
            .map_err(|error| Error::new(ErrorCode::InvalidRequest, error.to_string()))?;
        if self.inner().mounts.contains(name) {
            return Err(Error::new(ErrorCode::InvalidRequest, format!("the name {name} is taken"))
                .for_server(&server));
        }
        self.inner().mounts.register(&server, definition);
        self.reload().await?;
        Ok(Registration::new(self.clone(), server))
    }

    /// Connects a server if it is not, and gives what it offers. A recent failure does not hinder this attempt.
    ///
    /// # Errors
    /// `server_not_found`, `server_disabled`, `connect_failed`, `auth_required`, `still_starting`, `timeout`.
    pub async fn connect(&self, server: &str) -> Result<Arc<ServerListing>, Error> {
        let name = self.server_name(server)?;
        self.connect_named(&name, false).await
    }

    /// Closes the connection of a server and opens a new one.
    ///
    /// # Errors
    /// As [`Runtime::connect`].
    pub async fn reconnect(&self, server: &str) -> Result<Arc<ServerListing>, Error> {
        let name = self.server_name(server)?;
        self.connect_named(&name, true).await
    }

    pub(crate) async fn connect_named(
        &self,
        name: &ServerName,
        renew: bool,
    ) -> Result<Arc<ServerListing>, Error> {
        if renew {
            let deadline = self.wait_limit(name);
            self.house().refresh(name, deadline).await.map_err(|refusal| explain::refusal(name, &refusal))?;
        }
        let lease = self.lease(name, None, None, true).await?;
        let listing = Arc::clone(lease.listing());
        let epoch = lease.epoch();
        lease.settle(LeaseOutcome::Ok);
        drop(lease);
        self.published(name, epoch, None).await;
        Ok(listing)
    }

    /// Leases a session: the one mailbox hop of a call.
    pub(crate) async fn lease(
        &self,
        server: &ServerName,
        deadline: Option<Instant>,
        newer_than: Option<Epoch>,
        bypass_backoff: bool,
    ) -> Result<Lease, Error> {
        let deadline = deadline.unwrap_or_else(|| self.wait_limit(server));
        self.house()
            .acquire(server, AcquireOptions { deadline, newer_than, bypass_backoff })
            .await
            .map_err(|refusal| explain::refusal(server, &refusal))
    }

    /// Waits until the roster holds what the server listed in this epoch.
    pub(crate) async fn published(&self, server: &ServerName, epoch: Epoch, deadline: Option<Instant>) {
        let deadline = deadline.unwrap_or_else(|| self.wait_limit(server));
        if tokio::time::timeout_at(deadline, self.house().published(server, epoch)).await.is_err() {
            tracing::warn!(%server, %epoch, "the roster did not follow in time");
        }
    }

    /// How long a caller without a deadline of its own waits for a session.
    fn wait_limit(&self, server: &ServerName) -> Instant {
        Instant::now() + self.rules().start_wait(server)
    }

    /// Reads the configuration again and applies what changed; servers whose definition is equal go on untouched.
    ///
    /// # Errors
    /// `internal` when the reading was interrupted.
    pub async fn reload(&self) -> Result<ReloadReport, Error> {
        let inner = self.inner();
        let (_, lowered) = inner.mounts.source().read(inner.store.clone()).await?;
        // Rules first: a tighter policy is never behind a wider roster.
        self.set_rules(lowered.rules.clone());
        inner.mounts.replace(&lowered);
        self.set_hashes(lowered.hashes);
        inner.config.store(Arc::new(lowered.config));
        let diagnostics = Arc::new(lowered.diagnostics);
        inner.diagnostics.store(Arc::clone(&diagnostics));
        let generation = inner.mounts.apply(self.house());
        self.house().applied(generation).await;
        Ok(ReloadReport { generation, diagnostics })
    }

    /// Reads a resource and gives the `resources/read` result as the server wrote it.
    ///
    /// # Errors
    /// As [`Runtime::connect`], and those of the request.
    pub async fn read_resource(&self, server: &str, uri: &str) -> Result<Box<RawValue>, Error> {
        let uri = uri.to_owned();
        self.request(server, async move |session| {
            session.read_resource(&uri, RequestOptions::default()).await
        })
        .await
    }

    /// Gets a prompt and gives the `prompts/get` result as the server wrote it.
    ///
    /// # Errors
    /// As [`Runtime::connect`], and those of the request.
    pub async fn get_prompt(
        &self,
        server: &str,
        prompt: &str,
        arguments: &RawObject,
    ) -> Result<Box<RawValue>, Error> {
        let (prompt, arguments) = (prompt.to_owned(), arguments.clone());
        self.request(server, async move |session| {
            session.get_prompt(&prompt, &arguments, RequestOptions::default()).await
        })
        .await
    }

    async fn request<T>(
        &self,
        server: &str,
        send: impl AsyncFn(&Session) -> Result<T, Failure>,
    ) -> Result<T, Error> {
        let name = self.server_name(server)?;
        let lease = self.lease(&name, None, None, false).await?;
        match send(lease.session()).await {
            Ok(answer) => {
                lease.settle(LeaseOutcome::Ok);
                Ok(answer)
            }
            Err(failure) => {
                lease.settle(LeaseOutcome::Failed(failure.class.clone()));
                Err(explain::of_server(&name, &failure))
            }
        }
    }
}

/// The longest a caller waits for the start of a server that names no limit of its own.
pub(crate) const START_WAIT: Duration = Duration::from_mins(1);
