//! The keys of the configuration.

/// Gives the page.
pub(super) fn body() -> String {
    mcp_config::reference_markdown()
}
