//! What one server offers, as it told.

use std::sync::Arc;

use mcp_types::{PromptSpec, ResourceSpec, ResourceTemplateSpec, ToolSpec};

/// Everything one server listed in one epoch, or what the catalogue remembers of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServerListing {
    /// Its tools, in the server's order.
    pub tools: Vec<Arc<ToolSpec>>,
    /// Its resources.
    pub resources: Vec<Arc<ResourceSpec>>,
    /// Its resource templates.
    pub resource_templates: Vec<Arc<ResourceTemplateSpec>>,
    /// Its prompts.
    pub prompts: Vec<Arc<PromptSpec>>,
    /// What it says about its own use.
    pub instructions: Option<String>,
    /// Its own name and version.
    pub server_info: Option<(String, String)>,
}
