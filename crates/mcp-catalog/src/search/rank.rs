//! The score of one tool: phrases in fields, words in fields, and how many of the words were met.

use super::prepare::{Field, KEYWORD_WEIGHT, Prepared, Query};

/// The part of the words, in tenths, that must be met when there are more than two and no phrase was met.
const NEEDED_TENTHS: usize = 6;
/// The shortest word of a field that counts as the beginning of a word looked for.
const MIN_PREFIX: usize = 4;

/// Scores a tool; `None` is no hit.
pub(super) fn score(tool: &Prepared, query: &Query) -> Option<i64> {
    let mut total = 0;
    let mut phrase_matched = false;
    let mut equals_a_field = false;
    let mut met = vec![false; query.tokens.len()];
    for field in &tool.fields {
        let phrase = phrase_factor(field, query);
        phrase_matched |= phrase > 0;
        equals_a_field |= phrase == EQUAL;
        total += phrase * field.weight;
        total += tokens(std::slice::from_ref(field), query, &mut met) * field.weight;
    }
    let phrase = tool.keywords.iter().map(|keyword| phrase_factor(keyword, query)).max().unwrap_or(0);
    phrase_matched |= phrase > 0;
    equals_a_field |= phrase == EQUAL;
    total += phrase * KEYWORD_WEIGHT;
    total += tokens(&tool.keywords, query, &mut met) * KEYWORD_WEIGHT;

    let matched = met.iter().filter(|matched| **matched).count();
    let wanted = query.tokens.len();
    let enough = if wanted <= 2 { matched == wanted } else { matched * 10 >= wanted * NEEDED_TENTHS };
    if !phrase_matched && !enough {
        return None;
    }
    total += if matched == wanted { 25 } else { rounded_tenths(matched, wanted) };
    let [name, ..] = &tool.fields;
    if query.tokens.first().is_some_and(|first| name.tokens.contains(first)) {
        total += 8;
    }
    if equals_a_field {
        total += 20;
    }
    Some(total)
}

const EQUAL: i64 = 14;

fn phrase_factor(field: &Field, query: &Query) -> i64 {
    if field.text == query.text {
        EQUAL
    } else if field.text.starts_with(&query.text) {
        9
    } else if field.text.contains(&query.text) {
        6
    } else {
        0
    }
}

/// Adds up the best relation of each word to the fields, and marks the words that were met.
fn tokens(fields: &[Field], query: &Query, met: &mut [bool]) -> i64 {
    let mut sum = 0;
    for (token, met) in query.tokens.iter().zip(met) {
        let best = fields.iter().map(|field| token_factor(field, token)).max().unwrap_or(0);
        *met |= best > 0;
        sum += best;
    }
    sum
}

fn token_factor(field: &Field, token: &str) -> i64 {
    if field.tokens.iter().any(|own| own == token) {
        return 4;
    }
    let related = |own: &String| own.starts_with(token) || (own.chars().count() >= MIN_PREFIX && token.starts_with(own.as_str()));
    if field.tokens.iter().any(related) {
        return 2;
    }
    i64::from(field.text.contains(token))
}

fn rounded_tenths(matched: usize, wanted: usize) -> i64 {
    i64::try_from((matched * 20 + wanted) / (wanted * 2)).unwrap_or(0)
}
