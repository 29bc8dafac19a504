//! Texts made comparable: camel case split, separators as spaces, lower case, tokens.

use crate::roster::RosterTool;

/// The words that are looked for.
pub(super) struct Query {
    pub(super) text: String,
    pub(super) tokens: Vec<String>,
}

impl Query {
    /// Gives `None` when nothing but separators is left.
    pub(super) fn new(text: &str) -> Option<Self> {
        let text = normalize(text);
        let mut tokens: Vec<String> = Vec::new();
        for token in tokens_of(&text) {
            if !tokens.contains(&token) {
                tokens.push(token);
            }
        }
        (!tokens.is_empty()).then_some(Self { text, tokens })
    }
}

/// One field of a tool.
pub(super) struct Field {
    pub(super) weight: i64,
    pub(super) text: String,
    pub(super) tokens: Vec<String>,
}

impl Field {
    fn new(weight: i64, text: &str) -> Self {
        let text = normalize(text);
        Self { weight, tokens: tokens_of(&text), text }
    }
}

/// A tool made ready for ranking.
pub(super) struct Prepared {
    pub(super) fields: [Field; 4],
    pub(super) keywords: Vec<Field>,
}

/// The weight of keywords.
pub(super) const KEYWORD_WEIGHT: i64 = 5;

impl Prepared {
    pub(super) fn new(tool: &RosterTool, with_keywords: bool) -> Self {
        let keywords = if with_keywords { tool.keywords.as_slice() } else { &[] };
        Self {
            fields: [
                Field::new(12, tool.name.as_str()),
                Field::new(10, tool.reference.tool.as_str()),
                Field::new(8, tool.reference.server.as_str()),
                Field::new(5, tool.description()),
            ],
            keywords: keywords.iter().map(|word| Field::new(KEYWORD_WEIGHT, word)).collect(),
        }
    }
}

/// Splits camel case, turns runs of separators into one space, lowers the case.
pub(super) fn normalize(text: &str) -> String {
    let mut normal = String::with_capacity(text.len() + 8);
    let mut before: Option<char> = None;
    for character in text.chars() {
        let separates = character.is_whitespace() || matches!(character, '_' | '.' | '/' | ':' | '-');
        if separates {
            if !normal.is_empty() && !normal.ends_with(' ') {
                normal.push(' ');
            }
        } else {
            let splits = character.is_uppercase() && before.is_some_and(|last| last.is_lowercase() || last.is_ascii_digit());
            if splits && !normal.ends_with(' ') {
                normal.push(' ');
            }
            normal.extend(character.to_lowercase());
        }
        before = Some(character);
    }
    normal.truncate(normal.trim_end().len());
    normal
}

/// Splits a normal text at everything that is neither letter nor digit.
fn tokens_of(text: &str) -> Vec<String> {
    text.split(|character: char| !character.is_alphanumeric()).filter(|token| !token.is_empty()).map(str::to_owned).collect()
}

/// Counts the letters by which two names differ when that is little enough for a slip of the hand.
pub(super) fn typo_distance(wanted: &str, name: &str) -> Option<usize> {
    let (wanted, name) = (normalize(wanted), normalize(name));
    let limit = (wanted.chars().count().max(3) / 3).min(4);
    let (left, right): (Vec<char>, Vec<char>) = (wanted.chars().collect(), name.chars().collect());
    if left.len().abs_diff(right.len()) > limit {
        return None;
    }
    let distance = damerau(&left, &right);
    (distance <= limit).then_some(distance)
}

/// Counts inserted, dropped, changed and swapped letters.
fn damerau(left: &[char], right: &[char]) -> usize {
    let width = right.len() + 1;
    let mut rows: Vec<usize> = (0..width).collect();
    let at = |rows: &[usize], row: usize, column: usize| rows.get(row * width + column).copied().unwrap_or(usize::MAX / 2);
    for (row, from) in left.iter().enumerate() {
        rows.push(row + 1);
        for (column, to) in right.iter().enumerate() {
            let mut best = (at(&rows, row, column) + usize::from(from != to))
                .min(at(&rows, row, column + 1) + 1)
                .min(at(&rows, row + 1, column) + 1);
            let swapped = row > 0
                && column > 0
                && left.get(row - 1) == Some(to)
                && right.get(column - 1) == Some(from);
            if swapped {
                best = best.min(at(&rows, row - 1, column - 1) + 1);
            }
            rows.push(best);
        }
    }
    rows.last().copied().unwrap_or(0)
}
