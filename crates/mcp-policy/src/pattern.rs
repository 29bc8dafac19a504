//! Glob patterns over whole tool names: `*` any run, `?` one character, `[…]` a set, `\` takes the next one literally.

use std::fmt;

/// The longest pattern in bytes.
const MAX_PATTERN_BYTES: usize = 1024;

/// Says why a text is no pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternError {
    /// The pattern is empty.
    Empty,
    /// The pattern is longer than the limit in bytes.
    TooLong(usize),
    /// A `[` is never closed.
    OpenSet,
    /// A `\` ends the pattern.
    DanglingEscape,
}

impl fmt::Display for PatternError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("the pattern is empty"),
            Self::TooLong(limit) => write!(formatter, "the pattern has more than {limit} bytes"),
            Self::OpenSet => formatter.write_str("a `[` has no `]`"),
            Self::DanglingEscape => formatter.write_str("a `\\` ends the pattern"),
        }
    }
}

impl std::error::Error for PatternError {}

/// A compiled pattern. It is anchored at both ends and tells upper from lower case. A leading dot of a name is matched
/// only by a pattern that begins with a dot.
///
/// ```
/// let pattern = mcp_policy::Pattern::new("github_delete_*")?;
/// assert!(pattern.matches("github_delete_repo"));
/// assert!(!pattern.matches("github_create_repo"));
/// # Ok::<(), mcp_policy::PatternError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    tokens: Vec<Token>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Literal(char),
    One,
    Any,
    Set { negated: bool, ranges: Vec<(char, char)> },
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// [`PatternError`] when it is empty, too long, or has an open set or escape.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        if text.len() > MAX_PATTERN_BYTES {
            return Err(PatternError::TooLong(MAX_PATTERN_BYTES));
        }
        let mut tokens = Vec::new();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            tokens.push(match character {
                '*' if tokens.last() == Some(&Token::Any) => continue,
                '*' => Token::Any,
                '?' => Token::One,
                '[' => set(&mut characters)?,
                '\\' => Token::Literal(characters.next().ok_or(PatternError::DanglingEscape)?),
                literal => Token::Literal(literal),
            });
        }
        Ok(Self { text: text.to_owned(), tokens })
    }

    /// Gives the pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Tells whether the whole name matches.
    pub fn matches(&self, name: &str) -> bool {
        if name.starts_with('.') && self.tokens.first() != Some(&Token::Literal('.')) {
            return false;
        }
        let name: Vec<char> = name.chars().collect();
        matches_from(&self.tokens, &name)
    }
}

/// One character of a set. An escaped one stands for itself: it makes no range and closes no set.
#[derive(Clone, Copy)]
struct Member {
    character: char,
    escaped: bool,
}

fn set(characters: &mut std::str::Chars<'_>) -> Result<Token, PatternError> {
    let mut members: Vec<Member> = Vec::new();
    let mut negated = false;
    loop {
        match characters.next().ok_or(PatternError::OpenSet)? {
            '!' | '^' if members.is_empty() && !negated => negated = true,
            ']' if !members.is_empty() => return Ok(Token::Set { negated, ranges: ranges(&members) }),
            '\\' => {
                let character = characters.next().ok_or(PatternError::DanglingEscape)?;
                members.push(Member { character, escaped: true });
            }
            character => members.push(Member { character, escaped: false }),
        }
    }
}

fn ranges(mut members: &[Member]) -> Vec<(char, char)> {
    let mut ranges = Vec::new();
    loop {
        members = match members {
            [from, Member { character: '-', escaped: false }, to, rest @ ..] => {
                ranges.push((from.character, to.character));
                rest
            }
            [one, rest @ ..] => {
                ranges.push((one.character, one.character));
                rest
            }
            [] => return ranges,
        };
    }
}

/// Walks both sides once, coming back to the last `*` where a branch fails: linear in the product, never exponential.
fn matches_from(tokens: &[Token], name: &[char]) -> bool {
    let (mut token, mut character) = (0, 0);
    let mut last_any: Option<(usize, usize)> = None;
    loop {
        match (tokens.get(token), name.get(character)) {
            (None, None) => return true,
            (Some(Token::Any), _) => {
                last_any = Some((token, character));
                token += 1;
                continue;
            }
            (Some(one), Some(found)) if accepts(one, *found) => {
                token += 1;
                character += 1;
                continue;
            }
            _ => {}
        }
        let Some((any, start)) = last_any else { return false };
        if start >= name.len() {
            return false;
        }
        last_any = Some((any, start + 1));
        token = any + 1;
        character = start + 1;
    }
}

fn accepts(token: &Token, found: char) -> bool {
    match token {
        Token::Literal(literal) => *literal == found,
        Token::One | Token::Any => true,
        Token::Set { negated, ranges } => {
            ranges.iter().any(|(from, to)| (*from..=*to).contains(&found)) != *negated
        }
    }
}

#[cfg(test)]
#[path = "pattern_tests.rs"]
mod tests;
