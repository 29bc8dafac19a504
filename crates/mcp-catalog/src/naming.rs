//! Outward names. They are made here and never taken apart: the identity of a tool is its [`ToolRef`].

use std::fmt::Write as _;

use mcp_types::{ServerName, ToolRef};

use crate::expose::PrefixMode;

/// Makes a server's name safe for a model: every character outside `A-Z a-z 0-9 _ -` becomes `_<hex>_`.
pub fn sanitize_server(name: &str) -> String {
    let mut safe = String::with_capacity(name.len());
    for character in name.chars() {
        if character.is_ascii_alphanumeric() || matches!(character, '_' | '-') {
            safe.push(character);
        } else {
            // Writing to a String cannot fail.
            let _written = write!(safe, "_{:x}_", u32::from(character));
        }
    }
    safe
}

/// Gives what stands before the `_` of a server's tools; `None` in mode `none`.
pub fn prefix(mode: PrefixMode, server: &ServerName) -> Option<String> {
    match mode {
        PrefixMode::Server => Some(sanitize_server(server.as_str())),
        PrefixMode::Short => Some(sanitize_server(short(server.as_str()))),
        PrefixMode::None => None,
        PrefixMode::Mcp => Some(format!("mcp__{}", sanitize_server(server.as_str()))),
    }
}

/// Takes a trailing `-mcp` or `mcp` off; a name that is nothing else stays `mcp`.
fn short(name: &str) -> &str {
    let lower = name.to_ascii_lowercase();
    let cut = if lower.ends_with("-mcp") {
        4
    } else if lower.ends_with("mcp") {
        3
    } else {
        0
    };
    match name.get(..name.len() - cut) {
        Some("") | None => "mcp",
        Some(rest) => rest,
    }
}

/// Gives the outward name of a tool.
///
/// ```
/// use mcp_catalog::{PrefixMode, outward_name};
/// let server = mcp_types::ServerName::new("my.server")?;
/// assert_eq!(outward_name(PrefixMode::Mcp, &server, "a.b-c"), "mcp__my_2e_server_a_b-c");
/// # Ok::<(), mcp_types::NameError>(())
/// ```
pub fn outward_name(mode: PrefixMode, server: &ServerName, tool: &str) -> String {
    joined(prefix(mode, server).as_deref(), tool)
}

/// Joins a prefix and the server's own name of a tool.
pub(crate) fn joined(prefix: Option<&str>, tool: &str) -> String {
    let tool = tool.replace('.', "_");
    match prefix {
        Some(prefix) => format!("{prefix}_{tool}"),
        None => tool,
    }
}

/// Gives every spelling of a tool's name that a pattern of the configuration or of a caller may use: its own name, the
/// outward name in each mode, and `mcp__server__tool`.
pub fn spellings(tool: &ToolRef) -> Vec<String> {
    let mut names = vec![tool.tool.to_string()];
    for mode in PrefixMode::ALL {
        push_new(&mut names, outward_name(mode, &tool.server, tool.tool.as_str()));
    }
    push_new(&mut names, format!("mcp__{}__{}", tool.server, tool.tool));
    names
}

fn push_new(names: &mut Vec<String>, name: String) {
    if !names.contains(&name) {
        names.push(name);
    }
}

/// Gives the tool name under which a resource is read.
pub fn resource_tool_name(resource: &str) -> String {
    let mut base = String::new();
    for character in resource.to_lowercase().chars() {
        if character.is_ascii_alphanumeric() {
            base.push(character);
        } else if !base.is_empty() && !base.ends_with('_') {
            base.push('_');
        }
    }
    let base = base.trim_end_matches('_');
    match base.chars().next() {
        None => "read_resource".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("read_resource_{base}"),
        Some(_) => format!("read_{base}"),
    }
}

/// The form under which hyphens and underscores are the same.
pub(crate) fn folded(name: &str) -> String {
    name.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapter_34_2_names_in_all_modes() {
        let rows = [
            (PrefixMode::Server, "my.server", "a.b-c", "my_2e_server_a_b-c"),
            (PrefixMode::Mcp, "my.server", "a.b-c", "mcp__my_2e_server_a_b-c"),
            (PrefixMode::None, "my.server", "a.b-c", "a_b-c"),
            (PrefixMode::Short, "figma-mcp", "get", "figma_get"),
            (PrefixMode::Short, "FigmaMCP", "get", "Figma_get"),
            (PrefixMode::Short, "mcp", "get", "mcp_get"),
            (PrefixMode::Short, "-mcp", "get", "mcp_get"),
            (PrefixMode::Server, "chrome-devtools", "take_screenshot", "chrome-devtools_take_screenshot"),
        ];
        for (mode, server, tool, expected) in rows {
            let server = ServerName::new(server).unwrap();
            assert_eq!(outward_name(mode, &server, tool), expected);
        }
    }

    #[test]
    fn adapter_12_resource_tools_are_named_after_their_resource() {
        let rows = [
            ("Project README", "read_project_readme"),
            ("--", "read_resource"),
            ("2024 report", "read_resource_2024_report"),
            ("a__b", "read_a_b"),
        ];
        for (resource, expected) in rows {
            assert_eq!(resource_tool_name(resource), expected);
        }
    }
}
