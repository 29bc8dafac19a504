//! The builder: everything a runtime takes from the world comes in here.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mcp_config::ConfigRequest;
use mcp_transport::{ClientInfo, Connector, SystemConnector};
use mcp_types::{ErrorCode, HeadlessHost, Host, ServerName};

use crate::definition::ServerDefinition;
use crate::environment::{DEPTH_VARIABLE, Environment, MAX_DEPTH};
use crate::error::Error;
use crate::runtime::Runtime;

/// How long a server gets to end by itself before it is ended.
const CLOSE_GRACE: Duration = Duration::from_secs(2);

/// Gathers what a [`Runtime`] needs. Building reads configuration and connects nothing that is lazy.
///
/// ```no_run
/// # async fn example() -> Result<(), wharf::Error> {
/// let runtime = wharf::Runtime::builder().discover(".")?.build().await?;
/// # runtime.shutdown(std::time::Duration::from_secs(5)).await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use]
pub struct RuntimeBuilder {
    pub(crate) environment: Option<Environment>,
    pub(crate) discover: Option<PathBuf>,
    pub(crate) config_file: Option<PathBuf>,
    pub(crate) only_config: Option<PathBuf>,
    pub(crate) definitions: Vec<(ServerName, ServerDefinition)>,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) connector: Option<Arc<dyn Connector>>,
    pub(crate) client: ClientInfo,
    pub(crate) cache_dir: Option<PathBuf>,
    pub(crate) use_cache: bool,
    pub(crate) request_timeout: Option<Duration>,
    pub(crate) all_lazy: bool,
    pub(crate) close_grace: Duration,
    pub(crate) in_place: bool,
}

impl RuntimeBuilder {
    pub(crate) fn new() -> Self {
        Self {
            environment: None,
            discover: None,
            config_file: None,
            only_config: None,
            definitions: Vec::new(),
            host: Arc::new(HeadlessHost),
            connector: None,
            client: ClientInfo { name: "wharf".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            cache_dir: None,
            use_cache: true,
            request_timeout: None,
            all_lazy: false,
            close_grace: CLOSE_GRACE,
            in_place: false,
        }
    }

    /// Reads the user's and the project's configuration as they stand for this directory.
    ///
    /// # Errors
    /// `file_access` when the directory cannot be used as a working directory.
    pub fn discover(mut self, cwd: impl Into<PathBuf>) -> Result<Self, Error> {
        let cwd = cwd.into();
        let absolute = std::path::absolute(&cwd).map_err(|error| {
            Error::new(ErrorCode::FileAccess, format!("{} is no usable directory: {error}", cwd.display()))
        })?;
        self.discover = Some(absolute);
        Ok(self)
    }

    /// Takes this file in place of the user's own.
    pub fn config_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.config_file = Some(file.into());
        self
    }

    /// Takes this file and no other.
    pub fn only_config(mut self, file: impl Into<PathBuf>) -> Self {
        self.only_config = Some(file.into());
        self
    }

    /// Adds a server by code. It stands above every file.
    ///
    /// # Errors
    /// `invalid_request` when the name is none.
    pub fn server(mut self, name: &str, definition: ServerDefinition) -> Result<Self, Error> {
        let name = ServerName::new(name)
            .map_err(|error| Error::new(ErrorCode::InvalidRequest, error.to_string()))?;
        self.definitions.retain(|(known, _)| *known != name);
        self.definitions.push((name, definition));
        Ok(self)
    }

    /// Sets variables and home; without it they are read from the process.
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = Some(environment);
        self
    }

    /// Sets who approves calls and answers servers' questions; without it nobody does.
    pub fn host(self, host: impl Host) -> Self {
        self.host_arc(Arc::new(host))
    }

    /// Sets a host that is shared already.
    pub fn host_arc(mut self, host: Arc<dyn Host>) -> Self {
        self.host = host;
        self
    }

    /// Sets what connects servers; without it, real processes and sockets.
    pub fn connector(mut self, connector: Arc<dyn Connector>) -> Self {
        self.connector = Some(connector);
        self
    }

    /// Sets the name and version told to servers.
    pub fn client_info(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.client = ClientInfo { name: name.into(), version: version.into() };
        self
    }

    /// Sets the directory of the catalogue and of spilled results.
    pub fn cache_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.cache_dir = Some(dir.into());
        self
    }

    /// Neither reads nor writes a catalogue.
    pub fn without_cache(mut self) -> Self {
        self.use_cache = false;
        self
    }

    /// Sets how long a request may be silent, for every server. Default: the server's own setting, else 30 seconds.
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.request_timeout = Some(timeout);
        self
    }

    /// Treats every server as lazy, whatever its entry says: for programs that ask one thing and end.
    pub fn all_lazy(mut self) -> Self {
        self.all_lazy = true;
        self
    }

    /// Reads configuration and catalogue on the thread that builds, instead of on a thread of their own: for programs
    /// that have nothing else to do meanwhile and want to start fast.
    pub fn read_in_place(mut self) -> Self {
        self.in_place = true;
        self
    }

    /// Sets how long a server gets to end by itself before it is ended. Default: 2 seconds.
    pub fn close_grace(mut self, grace: Duration) -> Self {
        self.close_grace = grace;
        self
    }

    /// Reads configuration and catalogue and starts the runtime on the current tokio runtime.
    ///
    /// Lazy servers stay asleep; eager and keep-alive ones begin to connect in the background. Mistakes in files are
    /// diagnostics ([`Runtime::diagnostics`]), never an error: the good entries work.
    ///
    /// # Errors
    /// `config_invalid` when Wharf finds itself started by itself more than three levels deep.
    pub async fn build(mut self) -> Result<Runtime, Error> {
        let environment = self.environment.take().unwrap_or_else(Environment::from_process);
        if environment.depth() > MAX_DEPTH {
            return Err(Error::new(
                ErrorCode::ConfigInvalid,
                format!("Wharf was started by Wharf more than {MAX_DEPTH} levels deep"),
            )
            .with_hint(format!(
                "a server entry seems to start Wharf itself; {DEPTH_VARIABLE} counts the levels"
            )));
        }
        Runtime::start(self, environment).await
    }

    pub(crate) fn connector_or_system(&self) -> Arc<dyn Connector> {
        self.connector.clone().unwrap_or_else(|| Arc::new(SystemConnector::new()))
    }

    pub(crate) fn config_request(&self, environment: &Environment) -> Option<ConfigRequest> {
        let cwd = self.discover.clone();
        if cwd.is_none() && self.config_file.is_none() && self.only_config.is_none() {
            return None;
        }
        Some(ConfigRequest {
            cwd,
            home: environment.home.clone(),
            env: environment.vars.clone(),
            override_file: self.config_file.clone(),
            only_file: self.only_config.clone(),
        })
    }
}

impl std::fmt::Debug for RuntimeBuilder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("RuntimeBuilder")
            .field("discover", &self.discover)
            .field("config_file", &self.config_file)
            .field("only_config", &self.only_config)
            .finish_non_exhaustive()
    }
}
