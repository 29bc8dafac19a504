//! The score of one tool: phrases in fields, words in fields, and how many of the words were met.

use super::prepare::{Field, KEYWORD_WEIGHT, Prepared, Query};
use crate::roster::RosterTool;

/// The part of the words, in tenths, that must be met when there are more than two and no phrase was met.
const NEEDED_TENTHS: usize = 6;
/// The shortest word of a field that counts as the beginning of a word looked for.
const MIN_PREFIX: usize = 4;

/// The factor of a field that is the query.
const EQUAL_PHRASE: i64 = 14;
/// The factor of a field that begins with the query.
const PHRASE_AT_START: i64 = 9;
/// The factor of a field that holds the query.
const PHRASE_WITHIN: i64 = 6;
/// The factor of a word that stands in a field.
const EQUAL_WORD: i64 = 4;
/// The factor of a word that begins one of the field, or the other way round.
const PREFIX_WORD: i64 = 2;
/// The factor of a word that is part of one of the field.
const WORD_WITHIN: i64 = 1;

/// Scores the tools of a query, one after the other.
pub(super) struct Scorer<'a> {
    query: &'a Query,
    with_keywords: bool,
    /// Text of the tool in hand; kept for its memory.
    buffer: String,
}

impl<'a> Scorer<'a> {
    pub(super) fn new(query: &'a Query, with_keywords: bool) -> Self {
        Self { query, with_keywords, buffer: String::new() }
    }

    /// Scores a tool; `None` is no hit.
    pub(super) fn score(&mut self, tool: &RosterTool) -> Option<i64> {
        // A phrase holds all words, so a tool that cannot meet enough of them cannot hold it either.
        if !is_enough(self.query.may_meet(tool, &mut self.buffer), self.query.tokens.len()) {
            return None;
        }
        score(&Prepared::new(tool, self.with_keywords), self.query)
    }
}

fn score(tool: &Prepared, query: &Query) -> Option<i64> {
    let mut total = 0;
    let mut phrase_matched = false;
    let mut equals_a_field = false;
    let mut met = vec![false; query.tokens.len()];
    for field in &tool.fields {
        let phrase = phrase_factor(field, query);
        phrase_matched |= phrase > 0;
        equals_a_field |= phrase == EQUAL_PHRASE;
        total += phrase * field.weight;
        total += words(std::slice::from_ref(field), query, &mut met) * field.weight;
    }
    let phrase = tool.keywords.iter().map(|keyword| phrase_factor(keyword, query)).max().unwrap_or(0);
    phrase_matched |= phrase > 0;
    equals_a_field |= phrase == EQUAL_PHRASE;
    total += phrase * KEYWORD_WEIGHT;
    total += words(&tool.keywords, query, &mut met) * KEYWORD_WEIGHT;

    let matched = met.iter().filter(|matched| **matched).count();
    let wanted = query.tokens.len();
    if !phrase_matched && !is_enough(matched, wanted) {
        return None;
    }
    total += if matched == wanted { 25 } else { rounded_tenths(matched, wanted) };
    let [name, ..] = &tool.fields;
    if query.tokens.first().is_some_and(|first| name.tokens().any(|own| own == first)) {
        total += 8;
    }
    if equals_a_field {
        total += 20;
    }
    Some(total)
}

fn is_enough(matched: usize, wanted: usize) -> bool {
    if wanted <= 2 { matched == wanted } else { matched * 10 >= wanted * NEEDED_TENTHS }
}

fn phrase_factor(field: &Field, query: &Query) -> i64 {
    if field.text == query.text {
        EQUAL_PHRASE
    } else if field.text.starts_with(&query.text) {
        PHRASE_AT_START
    } else if field.text.contains(&query.text) {
        PHRASE_WITHIN
    } else {
        0
    }
}

/// Adds up the best relation of each word to the fields, and marks the words that were met.
fn words(fields: &[Field], query: &Query, met: &mut [bool]) -> i64 {
    let own_words: Vec<Vec<&str>> = fields.iter().map(|field| field.tokens().collect()).collect();
    let mut sum = 0;
    for (word, met) in query.tokens.iter().zip(met) {
        let factors =
            fields.iter().zip(&own_words).map(|(field, own_words)| word_factor(field, own_words, word));
        let best = factors.max().unwrap_or(0);
        *met |= best > 0;
        sum += best;
    }
    sum
}

fn word_factor(field: &Field, own_words: &[&str], word: &str) -> i64 {
    if !field.text.contains(word) {
        // Left is only a word of the field that begins the word.
        let begins = |own: &&str| word.starts_with(*own) && own.chars().count() >= MIN_PREFIX;
        return if own_words.iter().any(begins) { PREFIX_WORD } else { 0 };
    }
    let mut best = WORD_WITHIN;
    for own in own_words {
        if *own == word {
            return EQUAL_WORD;
        }
        if own.starts_with(word) || (word.starts_with(own) && own.chars().count() >= MIN_PREFIX) {
            best = PREFIX_WORD;
        }
    }
    best
}

fn rounded_tenths(matched: usize, wanted: usize) -> i64 {
    i64::try_from((matched * 20 + wanted) / (wanted * 2)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mcp_types::{PublicToolName, ServerName, ToolRef, ToolSpec};
    use proptest::prelude::*;

    use super::*;
    use crate::ToolKind;

    fn tool(name: &str, description: &str, keyword: &str) -> RosterTool {
        let spec = serde_json::json!({"name": name, "description": description}).to_string();
        RosterTool {
            reference: ToolRef { server: ServerName::new("srv").unwrap(), tool: name.parse().unwrap() },
            name: PublicToolName::new(format!("srv_{name}")).unwrap(),
            kind: ToolKind::Tool(Arc::new(ToolSpec::parse(&spec).unwrap())),
            keywords: vec![keyword.to_owned()],
        }
    }

    proptest! {
        /// The quick look before the scoring changes no result.
        #[test]
        fn nothing_is_lost_by_the_quick_look(
            name in "[a-cA-C_.-]{0,6}[a-c]",
            description in "[a-cA-C İKß_./ -]{0,16}",
            keyword in "[a-cİK ]{0,6}",
            query in "[a-cA-CikİKß -]{1,12}",
        ) {
            let tool = tool(&name, &description, &keyword);
            if let Some(query) = Query::new(&query) {
                let slow = score(&Prepared::new(&tool, true), &query);
                prop_assert_eq!(Scorer::new(&query, true).score(&tool), slow);
            }
        }
    }
}
