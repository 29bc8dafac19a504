//! Specs and sessions for the tests of this crate.

use std::sync::Arc;

use mcp_catalog::ExposeSpec;
use mcp_transport::{
    BaseEnv, ClientInfo, ConnectSpec, Failure, FailureClass, ProtocolEra, StdioSpec, Timeouts,
    TransportLimits, TransportSpec,
};
use mcp_types::{ServerName, ToolSpec};

use crate::server::event::{ListedItems, ListedPart};
use crate::server::spec::{LifecycleMode, LifecycleSpec, MountSpec};

pub(crate) fn name(text: &str) -> ServerName {
    ServerName::new(text).unwrap()
}

/// A definition whose connection differs by `version`.
pub(crate) fn connect_spec(server: &str, version: u32) -> Arc<ConnectSpec> {
    Arc::new(ConnectSpec {
        server: name(server),
        transport: TransportSpec::Stdio(StdioSpec {
            command: "server".to_owned(),
            args: vec![version.to_string()],
            env: Vec::new(),
            cwd: None,
            base_env: Arc::new(BaseEnv::default()),
        }),
        timeouts: Timeouts::default(),
        limits: TransportLimits::default(),
        client: ClientInfo { name: "test".to_owned(), version: "0".to_owned() },
        era: ProtocolEra::default(),
    })
}

pub(crate) fn mount_spec(server: &str, mode: LifecycleMode) -> MountSpec {
    MountSpec {
        connect: connect_spec(server, 1),
        lifecycle: LifecycleSpec::new(mode),
        expose: ExposeSpec::default(),
        disabled: false,
        required: false,
        source: "test".to_owned(),
        max_in_flight: 8,
        seed: None,
    }
}

pub(crate) fn failure(class: FailureClass) -> Failure {
    Failure::new(class, "as the test wants it")
}

pub(crate) fn tools(names: &[&str]) -> ListedPart {
    let tool = |name: &&str| Arc::new(ToolSpec::parse(&format!(r#"{{"name":"{name}"}}"#)).unwrap());
    ListedPart { items: ListedItems::Tools(names.iter().map(tool).collect()), diagnostics: Vec::new() }
}
