//! A server registered at run time, as a value: when it goes, the server goes.

use mcp_types::ServerName;

use crate::error::Error;
use crate::runtime::Runtime;

/// Keeps a run-time server mounted. Dropping it unmounts the server without waiting.
#[derive(Debug)]
#[must_use = "dropping the registration unmounts the server"]
pub struct Registration {
    runtime: Runtime,
    server: Option<ServerName>,
}

impl Registration {
    pub(crate) fn new(runtime: Runtime, server: ServerName) -> Self {
        Self { runtime, server: Some(server) }
    }

    /// Unmounts the server and waits until it is gone.
    ///
    /// # Errors
    /// `internal` when the configuration could not be read again.
    pub async fn close(mut self) -> Result<(), Error> {
        if let Some(server) = self.server.take() {
            self.runtime.inner().mounts.unregister(&server);
            self.runtime.reload().await?;
            self.runtime.house().gone(&server).await;
        }
        Ok(())
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let Some(server) = self.server.take() else { return };
        let mounts = &self.runtime.inner().mounts;
        mounts.unregister(&server);
        mounts.forget(&server);
        mounts.apply(self.runtime.house());
    }
}
