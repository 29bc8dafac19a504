//! The mode that searches the known tools.

use mcp_types::{ServerName, ToolOutput};
use wharf::{Error, Roster, RosterTool, Runtime, SearchPage, SearchQuery};

use crate::text::{Count, Text, cut, list_line, usage};
use crate::tool::describe;
use crate::tool::request::SearchRequest;
use crate::tool::status;

/// Characters of a hit's description; all of it is shown by `describe`.
const DESCRIPTION: usize = 300;

/// Searches the catalogue. Connects nothing; a search without hits is no failure.
pub(crate) fn answer(runtime: &Runtime, request: SearchRequest) -> Result<ToolOutput, Error> {
    let server = request.server.as_deref().map(|server| runtime.server_name(server)).transpose()?;
    let query = SearchQuery {
        text: request.text,
        server: server.clone(),
        regex: request.regex,
        limit: request.limit,
        offset: request.offset,
    };
    let page = runtime.search(&query)?;
    if page.total == 0 {
        let unknown = unknown_servers(&runtime.roster(), server.as_ref());
        return Ok(ToolOutput::text(nothing(&query, &unknown, &status::connecting(runtime))));
    }
    let style = if request.include_schemas { Style::Full } else { Style::Names };
    let text = hits(&query, &page, style, |tool| runtime.requires_approval(tool));
    Ok(ToolOutput::text(text))
}

#[derive(Clone, Copy)]
enum Style {
    Full,
    Names,
}

fn hits(query: &SearchQuery, page: &SearchPage, style: Style, asks: impl Fn(&RosterTool) -> bool) -> String {
    let mut text = Text::new(format!("Found {}{}:", Count(page.total, "tool"), matching(query)));
    for hit in &page.hits {
        let tool = &*hit.tool;
        let heading = describe::heading(tool, asks(tool));
        match style {
            Style::Names => {
                text.line(list_line(&heading, tool.description()));
            }
            Style::Full => push_full(&mut text, &heading, tool),
        }
    }
    if page.total > page.hits.len() {
        if let Style::Full = style {
            text.line("");
        }
        text.line(format_args!("{} of {}", page.hits.len(), page.total));
        if let Some(next) = page.next_offset {
            text.push(format_args!(" — offset: {next} for more"));
        }
    }
    text.finish()
}

fn push_full(text: &mut Text, heading: &str, tool: &RosterTool) {
    text.line("");
    text.line(heading);
    let description = cut(tool.description(), DESCRIPTION);
    if !description.is_empty() {
        text.line(description);
    }
    text.line(describe::parameters(tool));
}

fn nothing(query: &SearchQuery, unknown: &[ServerName], connecting: &[String]) -> String {
    let list = usage("server", "name");
    let mut text =
        Text::new(format!("No tools{}. Try other words, or list a server: {list}.", matching(query)));
    if let Some(first) = unknown.first() {
        let names: Vec<&str> = unknown.iter().map(ServerName::as_str).collect();
        let connect = usage("connect", first);
        text.line(format_args!("Not searched, their tools are not known yet: {}", names.join(", ")));
        text.line(format_args!("Next: {connect}"));
    }
    if !connecting.is_empty() {
        text.line(format_args!("Still connecting, search again soon: {}", connecting.join(", ")));
    }
    text.finish()
}

fn matching(query: &SearchQuery) -> String {
    let place = query.server.as_ref().map(|server| format!(" on {server}")).unwrap_or_default();
    if query.text.trim().is_empty() {
        return place;
    }
    format!(" matching {}{place}", serde_json::Value::from(query.text.as_str()))
}

fn unknown_servers(roster: &Roster, only: Option<&ServerName>) -> Vec<ServerName> {
    roster
        .servers()
        .filter(|server| !server.known && !server.disabled && only.is_none_or(|name| *name == server.name))
        .map(|server| server.name.clone())
        .collect()
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
