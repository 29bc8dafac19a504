//! Descriptions on one line, cut at a word; JSON values as they may stand in a line.

use serde_json::Value;

/// Puts a text on one line: runs of white space and control characters become one space, the ends are trimmed, and
/// the invisible marks that turn the reading direction are dropped.
///
/// ```
/// assert_eq!(mcp_catalog::render::one_line("  Two\n\tlines. "), "Two lines.");
/// ```
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_whitespace() || character.is_control() {
            if !line.is_empty() && !line.ends_with(' ') {
                line.push(' ');
            }
        } else if !turns_direction(character) {
            line.push(character);
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Cuts a text of more than `target` characters, at the last space where that leaves more than 60 percent of them, and
/// adds three dots.
///
/// ```
/// use mcp_catalog::render::cut_words;
/// assert_eq!(cut_words("Lists every open issue.", 20), "Lists every open...");
/// assert_eq!(cut_words("Short.", 20), "Short.");
/// ```
pub fn cut_words(text: &str, target: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(target) else { return text.to_owned() };
    let head = text.get(..end).unwrap_or_default();
    let at_word = head.rfind(' ').and_then(|space| head.get(..space));
    let kept = at_word.filter(|words| words.chars().count() * 10 > target * 6).unwrap_or(head);
    format!("{}...", kept.trim_end())
}

/// Gives a value as JSON on one line. What a terminal or a reader would stumble over is escaped.
pub(super) fn literal(value: &Value) -> String {
    let json = value.to_string();
    if !json.chars().any(turns_direction) {
        return json;
    }
    let mut safe = String::with_capacity(json.len() + 8);
    for character in json.chars() {
        if turns_direction(character) {
            // Only strings hold such characters, and all of them lie in the basic plane.
            safe.extend(["\\u", &format!("{:04x}", u32::from(character))]);
        } else {
            safe.push(character);
        }
    }
    safe
}

/// Gives a name as it stands where it can stand bare, else quoted.
pub(super) fn name_or_quoted(name: &str) -> String {
    if is_identifier(name) { name.to_owned() } else { literal(&Value::from(name)) }
}

pub(super) fn is_identifier(name: &str) -> bool {
    let starts_well =
        name.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '_' | '$'));
    starts_well
        && name.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '$'))
}

fn turns_direction(character: char) -> bool {
    matches!(
        character,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{61c}'
    )
}
