//! Finding tools by words: one page of ranked hits, or a pattern over names and descriptions.

mod prepare;
mod rank;

use std::sync::Arc;

use mcp_types::{ErrorCode, PublicToolName, ServerName};
use regex::RegexBuilder;

use crate::naming::{folded, prefix};
use crate::roster::{Roster, RosterTool};
use prepare::Query;
use rank::Scorer;

/// The longest search text in bytes.
const MAX_QUERY_BYTES: usize = 1_024;
/// The longest pattern in characters.
const MAX_PATTERN_CHARS: usize = 256;
/// The compiled size of a pattern in bytes.
const MAX_PATTERN_SIZE: usize = 1 << 20;
/// How many near names are suggested.
const MAX_SUGGESTIONS: usize = 5;
/// The number of hits on a page when none is asked for.
pub const DEFAULT_LIMIT: usize = 12;

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchQuery {
    /// The words, or the pattern.
    pub text: String,
    /// Only this server.
    pub server: Option<ServerName>,
    /// True takes the text as a regular expression.
    pub regex: bool,
    /// Hits on the page, at least one.
    pub limit: usize,
    /// Hits before the page.
    pub offset: usize,
}

impl SearchQuery {
    /// Looks for words on all servers; the first page.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), server: None, regex: false, limit: DEFAULT_LIMIT, offset: 0 }
    }
}

/// One found tool.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The tool.
    pub tool: Arc<RosterTool>,
    /// How well it fits; higher is better. Zero for patterns and listings.
    pub score: i64,
}

/// One page of hits.
#[derive(Debug, Clone, Default)]
pub struct SearchPage {
    /// Hits in all.
    pub total: usize,
    /// True when there is another page.
    pub has_more: bool,
    /// Where that page begins.
    pub next_offset: Option<usize>,
    /// The hits, best first.
    pub hits: Vec<Hit>,
}

/// Why a search was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// There is nothing to look for, and no server whose tools could be listed.
    #[error("the search has no words")]
    EmptyQuery,
    /// The text exceeds the limit.
    #[error("the search text has {length} characters, more than {limit}")]
    QueryTooLong {
        /// Its length.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// The pattern is no regular expression.
    #[error("the pattern is not valid: {reason}")]
    InvalidPattern {
        /// What the parser says.
        reason: String,
    },
}

impl SearchError {
    /// Gives the stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::EmptyQuery => ErrorCode::EmptyQuery,
            Self::QueryTooLong { .. } => ErrorCode::QueryTooLong,
            Self::InvalidPattern { .. } => ErrorCode::InvalidPattern,
        }
    }
}

/// Searches the known tools of the enabled servers. An empty text with a server lists that server by name.
///
/// # Errors
/// [`SearchError`].
pub fn search(roster: &Roster, query: &SearchQuery) -> Result<SearchPage, SearchError> {
    let hits = if query.regex { by_pattern(roster, query)? } else { by_words(roster, query)? };
    Ok(page(hits, query.offset, query.limit.max(1)))
}

/// Gives tools with names near to an unknown one.
pub(crate) fn suggest(roster: &Roster, unknown: &str, server: Option<&ServerName>) -> Vec<PublicToolName> {
    let bare = strip_prefix(roster, unknown);
    let near_tools = |server: Option<&ServerName>| {
        let mut near: Vec<(usize, &Arc<RosterTool>)> = candidates(roster, server)
            .filter_map(|tool| Some((prepare::typo_distance(&bare, tool.reference.tool.as_str())?, tool)))
            .collect();
        near.sort_by(|(left, one), (right, other)| left.cmp(right).then_with(|| one.name.cmp(&other.name)));
        near.into_iter().map(|(_, tool)| tool.name.clone()).collect::<Vec<_>>()
    };
    let mut names = near_tools(server);
    let ranked =
        Query::new(&bare).map(|words| ranked(candidates(roster, server), &words, false)).unwrap_or_default();
    for hit in ranked {
        if !names.contains(&hit.tool.name) {
            names.push(hit.tool.name.clone());
        }
    }
    names.truncate(MAX_SUGGESTIONS);
    names
}

fn strip_prefix(roster: &Roster, name: &str) -> String {
    let like = folded(name);
    let longest = roster
        .servers()
        .filter_map(|server| prefix(server.prefix_mode(), &server.name))
        .filter(|prefix| like.starts_with(&format!("{}_", folded(prefix))))
        .map(|prefix| prefix.len() + 1)
        .max();
    longest.and_then(|cut| name.get(cut..)).unwrap_or(name).to_owned()
}

fn candidates<'a>(
    roster: &'a Roster,
    server: Option<&ServerName>,
) -> impl Iterator<Item = &'a Arc<RosterTool>> {
    let server = server.cloned();
    roster.tools().filter(move |tool| server.as_ref().is_none_or(|name| tool.reference.server == *name))
}

fn by_words(roster: &Roster, query: &SearchQuery) -> Result<Vec<Hit>, SearchError> {
    let length = query.text.chars().count();
    if query.text.len() > MAX_QUERY_BYTES {
        return Err(SearchError::QueryTooLong { length, limit: MAX_QUERY_BYTES });
    }
    match (Query::new(&query.text), &query.server) {
        (Some(words), server) => Ok(ranked(candidates(roster, server.as_ref()), &words, true)),
        (None, Some(server)) if query.text.trim().is_empty() => {
            Ok(by_name(candidates(roster, Some(server)).map(|tool| Hit { tool: Arc::clone(tool), score: 0 })))
        }
        (None, _) => Err(SearchError::EmptyQuery),
    }
}

fn ranked<'a>(
    tools: impl Iterator<Item = &'a Arc<RosterTool>>,
    words: &Query,
    with_keywords: bool,
) -> Vec<Hit> {
    let mut scorer = Scorer::new(words, with_keywords);
    let mut hits: Vec<Hit> =
        tools.filter_map(|tool| Some(Hit { tool: Arc::clone(tool), score: scorer.score(tool)? })).collect();
    hits.sort_by(|one, other| {
        other
            .score
            .cmp(&one.score)
            .then_with(|| one.tool.name.cmp(&other.tool.name))
            .then_with(|| one.tool.reference.cmp(&other.tool.reference))
    });
    hits
}

fn by_pattern(roster: &Roster, query: &SearchQuery) -> Result<Vec<Hit>, SearchError> {
    let length = query.text.chars().count();
    if length == 0 {
        return Err(SearchError::EmptyQuery);
    }
    if length > MAX_PATTERN_CHARS {
        return Err(SearchError::QueryTooLong { length, limit: MAX_PATTERN_CHARS });
    }
    let pattern = RegexBuilder::new(&query.text)
        .case_insensitive(true)
        .size_limit(MAX_PATTERN_SIZE)
        .build()
        .map_err(|error| SearchError::InvalidPattern { reason: last_line(&error.to_string()) })?;
    Ok(by_name(
        candidates(roster, query.server.as_ref())
            .filter(|tool| {
                pattern.is_match(tool.name.as_str())
                    || pattern.is_match(tool.description())
                    || tool.keywords.iter().any(|word| pattern.is_match(word))
            })
            .map(|tool| Hit { tool: Arc::clone(tool), score: 0 }),
    ))
}

fn last_line(text: &str) -> String {
    text.lines().last().unwrap_or_default().trim().to_owned()
}

fn by_name(hits: impl Iterator<Item = Hit>) -> Vec<Hit> {
    let mut hits: Vec<Hit> = hits.collect();
    hits.sort_by(|one, other| one.tool.name.cmp(&other.tool.name));
    hits
}

fn page(hits: Vec<Hit>, offset: usize, limit: usize) -> SearchPage {
    let total = hits.len();
    let end = offset.saturating_add(limit).min(total);
    let has_more = end < total && offset < total;
    let hits = hits.into_iter().skip(offset).take(limit).collect();
    SearchPage { total, has_more, next_offset: has_more.then_some(end), hits }
}

#[cfg(test)]
#[path = "../search_tests.rs"]
mod tests;
