//! One MCP session in front of a runtime.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_types::SessionId;
use rmcp::model::{
    CustomRequest, CustomResult, ErrorCode, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use wharf::Runtime;

use crate::clients::Clients;
use crate::progress;
use crate::raw_transport::{CALL_METHOD, LIST_METHOD};
use crate::tool::{Caller, TOOL_NAME, definition, dispatch, reply};
use crate::wire;

/// The revisions of the protocol that begin with `initialize`, oldest first.
const VERSIONS: &[ProtocolVersion] = &[
    ProtocolVersion::V_2024_11_05,
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
];

/// The session of one client. It answers; state lives in the runtime, kept apart by the session's id.
#[derive(Clone)]
pub(crate) struct GatewaySession {
    runtime: Runtime,
    clients: Clients,
    session: SessionId,
}

impl GatewaySession {
    pub(crate) fn new(runtime: Runtime, clients: Clients, session: SessionId) -> Self {
        Self { runtime, clients, session }
    }

    fn list(&self, params: Option<&Value>) -> Result<Value, ErrorData> {
        let cursor = params.and_then(|params| params.get("cursor"));
        if cursor.is_some_and(|cursor| !cursor.is_null()) {
            return Err(ErrorData::invalid_params("unknown cursor: the list has one page", None));
        }
        Ok(json!({ "tools": [definition::definition(&self.runtime.roster())] }))
    }

    async fn call(
        &self,
        params: Option<Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Value, ErrorData> {
        let parameters = tool_parameters(params)?;
        let output = match context.meta.get_progress_token() {
            Some(token) => {
                let run = |sink| {
                    let caller = self.caller(Some(sink));
                    async move { dispatch::dispatch(&caller, parameters).await }
                };
                progress::forwarding(&context.peer, token, run).await
            }
            None => dispatch::dispatch(&self.caller(None), parameters).await,
        };
        match wire::result_value(output) {
            Ok(value) => Ok(value),
            Err(error) => wire::result_value(reply::unforwardable(&error))
                .map_err(|error| ErrorData::internal_error(error.to_string(), None)),
        }
    }

    fn caller(&self, progress: Option<wharf::ProgressSink>) -> Caller {
        Caller { runtime: self.runtime.clone(), session: self.session.clone(), progress }
    }
}

/// Takes the parameters of the one tool out of a `tools/call` request.
fn tool_parameters(params: Option<Value>) -> Result<Map<String, Value>, ErrorData> {
    let Some(Value::Object(mut params)) = params else {
        return Err(ErrorData::invalid_params("tools/call needs a tool name", None));
    };
    let Some(Value::String(name)) = params.remove("name") else {
        return Err(ErrorData::invalid_params("tools/call needs a tool name", None));
    };
    if name != TOOL_NAME {
        let message = format!("unknown tool {name:?}: the one tool here is {TOOL_NAME:?}");
        return Err(ErrorData::invalid_params(message, None));
    }
    match params.remove("arguments") {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(parameters)) => Ok(parameters),
        Some(other) => {
            let message = format!("arguments must be an object, not {}", mcp_types::call::kind_of(&other));
            Err(ErrorData::invalid_params(message, None))
        }
    }
}

impl ServerHandler for GatewaySession {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        ServerConfig::new(capabilities)
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
            .with_server_info(Implementation::new("wharf", env!("CARGO_PKG_VERSION")))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(VERSIONS)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.clients.add(context.peer);
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // Reached only by a request without a session; sessions ask through `on_custom_request`.
        Err(ErrorData::invalid_request("the session is not open: send initialize first", None))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        match request.method.as_str() {
            LIST_METHOD => self.list(request.params.as_ref()).map(CustomResult::new),
            CALL_METHOD => {
                tokio::select! {
                    answer = self.call(request.params, &context) => answer.map(CustomResult::new),
                    // The call's future is dropped, which cancels it at the server. Nobody reads this answer.
                    () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
                }
            }
            _ => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None)),
        }
    }
}

/// What every session of one gateway shares.
#[derive(Clone)]
pub(crate) struct SessionMaker {
    runtime: Runtime,
    clients: Clients,
    prefix: Arc<str>,
    next: Arc<std::sync::atomic::AtomicU64>,
}

impl SessionMaker {
    /// Sessions are named after `prefix`, which must be unlike that of every other gateway of the runtime.
    pub(crate) fn new(runtime: Runtime, clients: Clients, prefix: &str) -> Self {
        Self { runtime, clients, prefix: Arc::from(prefix), next: Arc::default() }
    }

    pub(crate) fn make(&self) -> GatewaySession {
        let number = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let session = SessionId::new(format!("{}#{number}", self.prefix));
        GatewaySession::new(self.runtime.clone(), self.clients.clone(), session)
    }
}
