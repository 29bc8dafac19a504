//! Questions of the server to us: answered by the host where it said it can, refused otherwise.

use std::sync::Arc;

use mcp_types::object::to_raw;
use mcp_types::{Host, HostAbilities, RawObject, Root};
use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CustomRequest, CustomResult, ElicitationCapability,
    ErrorCode as RpcCode, ErrorData, FormElicitationCapability, Implementation, RootsCapabilities,
    SamplingCapability, UrlElicitationCapability,
};
use rmcp::service::{RequestContext, RoleClient};
use serde_json::value::RawValue;

use crate::connect_spec::ClientInfo;
use crate::convert::{folded_result, unfold};
use crate::hub::Hub;

/// Answers the server on behalf of the host.
pub(crate) struct Questions {
    hub: Arc<Hub>,
    host: Arc<dyn Host>,
    abilities: HostAbilities,
    config: ClientConfig,
}

impl Questions {
    pub(crate) fn new(hub: Arc<Hub>, host: Arc<dyn Host>, client: &ClientInfo) -> Self {
        let abilities = host.abilities();
        let config = ClientConfig::new(
            declare(abilities),
            Implementation::new(client.name.as_str(), client.version.as_str()),
        )
        // rmcp would offer its newest revision, which has no handshake.
        .with_protocol_version(crate::revision::newest());
        Self { hub, host, abilities, config }
    }

    async fn answer(&self, method: &str, params: Option<&RawValue>) -> Result<Box<RawValue>, ErrorData> {
        let empty = to_raw(&RawObject::default());
        let params = params.unwrap_or(&empty);
        let server = &self.hub.server;
        match method {
            "elicitation/create" => {
                self.admit_elicitation(params)?;
                self.host.elicit(server, params).await.ok_or_else(|| refused(method))
            }
            "sampling/createMessage" if self.abilities.sample => {
                self.host.sample(server, params).await.ok_or_else(|| refused(method))
            }
            "roots/list" if self.abilities.roots => {
                let roots = self.host.roots(server).await.ok_or_else(|| refused(method))?;
                Ok(render_roots(&roots))
            }
            _ => Err(refused(method)),
        }
    }

    fn admit_elicitation(&self, params: &RawValue) -> Result<(), ErrorData> {
        if !self.abilities.elicit_form && !self.abilities.elicit_url {
            return Err(refused("elicitation/create"));
        }
        let object: RawObject = serde_json::from_str(params.get()).unwrap_or_default();
        let mode: Option<String> = object.read("mode");
        let declared = match mode.as_deref() {
            None | Some("form") => self.abilities.elicit_form,
            Some("url") => self.abilities.elicit_url,
            Some(_) => false,
        };
        if declared {
            return Ok(());
        }
        Err(ErrorData::new(RpcCode::INVALID_PARAMS, "this elicitation mode was not declared", None))
    }
}

impl ClientHandler for Questions {
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        let (method, params) = unfold(&request.method, request.params.as_ref());
        let Some(_open) = self.hub.open_question() else {
            return Err(ErrorData::new(RpcCode(-32000), "too many open questions", None));
        };
        tokio::select! {
            answer = self.answer(&method, params.as_deref()) => answer.map(|result| folded_result(&result)),
            () = context.ct.cancelled() => Err(withdrawn()),
            // Without this a hanging host would hold up the end of a lost session.
            () = self.hub.over.cancelled() => Err(withdrawn()),
            () = self.hub.closing.cancelled() => Err(withdrawn()),
        }
    }

    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }
}

/// Declares what the host can do and nothing more.
fn declare(abilities: HostAbilities) -> ClientCapabilities {
    let mut declared = ClientCapabilities::default();
    if abilities.roots {
        declared.roots = Some(RootsCapabilities::default());
    }
    if abilities.sample {
        declared.sampling = Some(SamplingCapability::default());
    }
    if abilities.elicit_form || abilities.elicit_url {
        let mut elicitation = ElicitationCapability::new();
        if abilities.elicit_form {
            elicitation = elicitation.with_form(FormElicitationCapability::new());
        }
        if abilities.elicit_url {
            elicitation = elicitation.with_url(UrlElicitationCapability::new());
        }
        declared.elicitation = Some(elicitation);
    }
    declared
}

fn render_roots(roots: &[Root]) -> Box<RawValue> {
    let list: Vec<serde_json::Value> = roots
        .iter()
        .map(|root| match &root.name {
            Some(name) => serde_json::json!({"uri": root.uri, "name": name}),
            None => serde_json::json!({"uri": root.uri}),
        })
        .collect();
    to_raw(&serde_json::json!({"roots": list}))
}

fn refused(method: &str) -> ErrorData {
    ErrorData::new(RpcCode::METHOD_NOT_FOUND, method.to_owned(), None)
}

fn withdrawn() -> ErrorData {
    ErrorData::new(RpcCode(-32000), "the question was withdrawn", None)
}
