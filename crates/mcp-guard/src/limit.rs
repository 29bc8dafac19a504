//! Cutting text.

/// Cuts a text to at most `max_lines` lines and `max_bytes` bytes, between characters.
///
/// ```
/// assert_eq!(mcp_guard::cut("one\ntwo\nthree", 2, 100), "one\ntwo");
/// assert_eq!(mcp_guard::cut("zwölf", 9, 3), "zw");
/// ```
pub fn cut(text: &str, max_lines: usize, max_bytes: usize) -> &str {
    let end_of_lines = match max_lines {
        0 => 0,
        lines => text.match_indices('\n').nth(lines - 1).map_or(text.len(), |(index, _)| index),
    };
    let mut end = end_of_lines.min(max_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}
