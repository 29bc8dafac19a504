//! Text from servers before it reaches a terminal: no escape sequences, no hidden direction marks.

/// Who reads what is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// A person, through a terminal that obeys what it is sent.
    Terminal,
    /// A file or a program: it obeys nothing, and wants the text as it was.
    Program,
}

/// Takes out whole escape sequences, whoever reads; for a terminal also control characters other than newline and tab,
/// and marks that turn or hide text.
pub(crate) fn sanitize(text: &str, reader: Reader) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' | '\t' => clean.push(character),
            '\u{1b}' => skip_escape(&mut characters),
            '\u{9b}' => skip_control_sequence(&mut characters),
            hidden if reader == Reader::Terminal && is_hidden(hidden) => {}
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

/// Writes the characters that a terminal could obey as JSON escapes, so that a JSON text keeps its meaning.
pub(crate) fn escape_json(text: &str) -> String {
    use std::fmt::Write as _;
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) {
            let _written = write!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

fn is_hidden(character: char) -> bool {
    character.is_control() || is_direction_mark(character)
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
            assert_eq!(sanitize(text, Reader::Terminal), expected, "{text:?}");
        }
    }

    #[test]
    fn a_program_gets_all_but_escapes() {
        let rows = [
            ("a\u{1b}[31mred\u{1b}[0m\r\n", "ared\r\n"),
            ("\u{9b}2Jkept", "kept"),
            ("\u{202b}\u{5e9}\u{202c}\u{c}", "\u{202b}\u{5e9}\u{202c}\u{c}"),
        ];
        for (text, expected) in rows {
            assert_eq!(sanitize(text, Reader::Program), expected, "{text:?}");
        }
    }

    #[test]
    fn json_keeps_its_meaning_on_a_terminal() {
        let text = "\"a\u{9b}2J\u{7f}\u{202e}\"";
        let escaped = escape_json(text);
        assert_eq!(escaped, r#""a\u009b2J\u007f\u202e""#);
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text.trim_matches('"'));
    }
}
