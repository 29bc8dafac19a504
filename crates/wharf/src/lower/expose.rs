//! What is shown of a server, and under which names.

use mcp_catalog::{ExposeSpec, PrefixMode};
use mcp_config::{ServerEntry, Settings, ToolPrefix};

pub(super) fn of_entry(entry: &ServerEntry, settings: &Settings) -> ExposeSpec {
    ExposeSpec {
        prefix: entry.tool_prefix.or(settings.tool_prefix).map_or(PrefixMode::Server, prefix),
        include: entry.include_tools.clone(),
        exclude: entry.exclude_tools.clone(),
        keywords: entry.search_keywords.clone(),
        expose_resources: entry.expose_resources.or(settings.expose_resources).unwrap_or(true),
    }
}

fn prefix(word: ToolPrefix) -> PrefixMode {
    match word {
        ToolPrefix::Server => PrefixMode::Server,
        ToolPrefix::Short => PrefixMode::Short,
        ToolPrefix::None => PrefixMode::None,
        ToolPrefix::Mcp => PrefixMode::Mcp,
    }
}
