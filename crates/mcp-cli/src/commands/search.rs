//! `wharf search`: ranked hits from the catalogue.

use std::fmt::Write as _;

use serde_json::{Value, json};
use wharf::{Hit, Runtime, SearchPage, SearchQuery, render};

use super::{Outcome, parse_server, tell_unknown};
use crate::args::Search;
use crate::exit::Exit;
use crate::settings::Settings;

/// Where a description is cut in a list.
const DESCRIPTION_CHARS: usize = 100;

pub(super) fn run(settings: &Settings, runtime: &Runtime, arguments: &Search) -> Outcome {
    let query = SearchQuery {
        text: arguments.query.join(" "),
        server: parse_server(runtime, arguments.server.as_deref())?,
        regex: arguments.regex,
        limit: arguments.limit,
        offset: arguments.offset,
    };
    let page = runtime.search(&query)?;
    settings.printer.answer(&as_json(&query, &page), || as_text(&query, &page, arguments.schemas));
    if page.total == 0 {
        tell_unknown(settings, runtime, query.server.as_ref());
    }
    Ok(Exit::Done)
}

fn as_json(query: &SearchQuery, page: &SearchPage) -> Value {
    let items: Vec<Value> = page.hits.iter().map(item).collect();
    json!({
        "query": query.text,
        "mode": if query.regex { "regex" } else { "lexical" },
        "total": page.total,
        "hasMore": page.has_more,
        "nextOffset": page.next_offset,
        "items": items,
    })
}

fn item(hit: &Hit) -> Value {
    json!({
        "server": hit.tool.reference.server,
        "tool": hit.tool.reference.tool,
        "name": hit.tool.name,
        "description": hit.tool.description(),
        "score": hit.score,
    })
}

pub(super) fn as_text(query: &SearchQuery, page: &SearchPage, schemas: bool) -> String {
    if page.total == 0 {
        return format!("nothing found for {:?}", query.text);
    }
    let mut text = String::new();
    for hit in &page.hits {
        let description = render::cut_words(&render::one_line(hit.tool.description()), DESCRIPTION_CHARS);
        let _written = writeln!(text, "{}  {description}", hit.tool.name);
        if schemas {
            let takes = hit
                .tool
                .input_schema()
                .map_or_else(|| "{}".to_owned(), |schema| render::shape_or_params(schema.get()));
            let _written = writeln!(text, "    {}", takes.replace('\n', "\n    "));
        }
    }
    if let Some(next) = page.next_offset {
        let _written = writeln!(text, "{} of {}; more: --offset {next}", page.hits.len(), page.total);
    }
    text
}
