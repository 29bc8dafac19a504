//! The nearest known word to an unknown one.

/// Gives the known word that was most likely meant.
pub(crate) fn nearest<'a>(text: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // A long text is no slip of the finger, and comparing it costs.
    if text.is_empty() || text.len() > 64 {
        return None;
    }
    let wanted = plain(text);
    let limit = (wanted.len() / 3).clamp(1, 4);
    known
        .map(|word| (distance(&wanted, &plain(word)), word))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, word)| (*distance, word.len()))
        .map(|(_, word)| word)
}

/// Case, hyphens and underscores are never what was meant to differ.
fn plain(text: &str) -> Vec<char> {
    text.chars().filter(|character| !matches!(character, '-' | '_')).flat_map(char::to_lowercase).collect()
}

/// Counts the single-letter edits between two words.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, from) in left.iter().enumerate() {
        let mut diagonal = index;
        let mut before = index + 1;
        let mut next = vec![before];
        for (to, above) in right.iter().zip(row.iter().skip(1)) {
            before = (diagonal + usize::from(from != to)).min(before + 1).min(above + 1);
            diagonal = *above;
            next.push(before);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found_or_none() {
        let known = ["command", "args", "approval", "approveTools", "requestTimeoutMs", "url"];
        let rows = [
            ("comand", Some("command")),
            ("aproval", Some("approval")),
            ("approve_tools", Some("approveTools")),
            ("request-timeout-ms", Some("requestTimeoutMs")),
            ("arg", Some("args")),
            ("completely", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(nearest(text, known.into_iter()), expected, "{text}");
        }
    }
}
