//! Text from servers before it reaches a terminal: no escape sequences, no hidden direction marks.

/// Takes out control characters other than newline and tab, whole escape sequences, and marks that turn or hide text.
pub(crate) fn sanitize(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' | '\t' => clean.push(character),
            '\u{1b}' => skip_escape(&mut characters),
            '\u{9b}' => skip_control_sequence(&mut characters),
            hidden if hidden.is_control() || is_direction_mark(hidden) => {}
            shown => clean.push(shown),
        }
    }
    clean
}

fn skip_escape(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let intermediate = characters.next_if(|next| ('\u{20}'..='\u{2f}').contains(next));
    match characters.next_if(|next| ('\u{20}'..='\u{7e}').contains(next)) {
        Some('[') if intermediate.is_none() => skip_control_sequence(characters),
        Some(']' | 'P' | 'X' | '^' | '_') if intermediate.is_none() => skip_string(characters),
        _ => {}
    }
}

/// Operating system commands and their like run to a bell or to `ESC \`. One that is left open ends with its line, so
/// that it hides no more than that.
fn skip_string(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while let Some(next) = characters.next_if(|next| *next != '\n') {
        if next == '\u{7}' || next == '\u{9c}' {
            break;
        }
        if next == '\u{1b}' {
            characters.next_if_eq(&'\\');
            break;
        }
    }
}

fn skip_control_sequence(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while characters.next_if(|next| ('\u{20}'..='\u{3f}').contains(next)).is_some() {}
    characters.next_if(|next| ('\u{40}'..='\u{7e}').contains(next));
}

fn is_direction_mark(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_taken_out_whole() {
        let rows = [
            ("a\u{1b}[31mred\u{1b}[0m b", "ared b"),
            ("\u{1b}]0;title\u{7}x", "x"),
            ("\u{1b}]8;;http://evil\u{1b}\\link", "link"),
            ("tab\tand\nline\r", "tab\tand\nline"),
            ("abc\u{202e}def", "abcdef"),
            ("\u{9b}2Jgone", "gone"),
            ("\u{1b}[1;31\nkept", "\nkept"),
            ("\u{1b}]0;open\nkept", "\nkept"),
            ("\u{0}\u{7f}\u{85}x", "x"),
            ("ends in \u{1b}", "ends in "),
            ("\u{1b}(Bx\u{1b}\ny", "x\ny"),
            ("grüße 漢字", "grüße 漢字"),
        ];
        for (text, expected) in rows {
            assert_eq!(sanitize(text), expected, "{text:?}");
        }
    }
}
