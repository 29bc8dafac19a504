//! Texts made comparable: camel case split, separators as spaces, lower case, tokens.

use crate::roster::RosterTool;

/// How many letters two related words share at least at their beginning, where they have as many.
const STEM_CHARS: usize = 4;

/// The words that are looked for.
pub(super) struct Query {
    pub(super) text: String,
    pub(super) tokens: Vec<String>,
    /// The beginning of each token, or nothing where every text may hold it.
    stems: Vec<String>,
}

impl Query {
    /// Gives `None` when nothing but separators is left.
    pub(super) fn new(text: &str) -> Option<Self> {
        let text = normalize(text);
        let mut tokens: Vec<String> = Vec::new();
        for token in tokens_of(&text) {
            if !tokens.iter().any(|known| known == token) {
                tokens.push(token.to_owned());
            }
        }
        if tokens.is_empty() {
            return None;
        }
        let stem = |token: &String| {
            let known = if token.is_ascii() { STEM_CHARS } else { 0 };
            token.chars().take(known).collect()
        };
        Some(Self { stems: tokens.iter().map(stem).collect(), text, tokens })
    }

    /// Counts the tokens that a tool may meet. Never less than it does meet: whatever relates to a token, as a part of
    /// a text or as the beginning of the token, holds the token's stem.
    pub(super) fn may_meet(&self, tool: &RosterTool, buffer: &mut String) -> usize {
        buffer.clear();
        for text in [
            tool.name.as_str(),
            tool.reference.tool.as_str(),
            tool.reference.server.as_str(),
            tool.description(),
        ] {
            buffer.push_str(text);
            buffer.push('\n');
        }
        for keyword in &tool.keywords {
            buffer.push_str(keyword);
            buffer.push('\n');
        }
        // The only letters outside ASCII whose lower case holds letters inside it.
        if buffer.contains(['\u{130}', '\u{212a}']) {
            return self.tokens.len();
        }
        buffer.make_ascii_lowercase();
        self.stems.iter().filter(|stem| buffer.contains(stem.as_str())).count()
    }
}

/// One field of a tool.
pub(super) struct Field {
    pub(super) weight: i64,
    pub(super) text: String,
}

impl Field {
    fn new(weight: i64, text: &str) -> Self {
        Self { weight, text: normalize(text) }
    }

    pub(super) fn tokens(&self) -> impl Iterator<Item = &str> {
        tokens_of(&self.text)
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
    let mut normal = String::with_capacity(text.len() + text.len() / 8);
    let mut before = ' ';
    let mut after_space = true;
    for character in text.chars() {
        if character.is_whitespace() || matches!(character, '_' | '.' | '/' | ':' | '-') {
            if !after_space {
                normal.push(' ');
            }
            after_space = true;
        } else {
            if character.is_uppercase() && !after_space && (before.is_lowercase() || before.is_ascii_digit())
            {
                normal.push(' ');
            }
            if character.is_ascii() {
                normal.push(character.to_ascii_lowercase());
            } else {
                normal.extend(character.to_lowercase());
            }
            after_space = false;
        }
        before = character;
    }
    normal.truncate(normal.trim_end().len());
    normal
}

/// Splits a normal text at everything that is neither letter nor digit.
fn tokens_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric()).filter(|token| !token.is_empty())
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
    let at = |rows: &[usize], row: usize, column: usize| {
        rows.get(row * width + column).copied().unwrap_or(usize::MAX / 2)
    };
    for (row, from) in left.iter().enumerate() {
        rows.push(row + 1);
        for (column, to) in right.iter().enumerate() {
            let mut best = (at(&rows, row, column) + usize::from(from != to))
                .min(at(&rows, row, column + 1) + 1)
                .min(at(&rows, row + 1, column) + 1);
            let swapped =
                row > 0 && column > 0 && left.get(row - 1) == Some(to) && right.get(column - 1) == Some(from);
            if swapped {
                best = best.min(at(&rows, row - 1, column - 1) + 1);
            }
            rows.push(best);
        }
    }
    rows.last().copied().unwrap_or(0)
}
