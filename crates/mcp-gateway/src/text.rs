//! Small pieces of the texts that a model reads. Every text is short and depends on its inputs alone.

use std::fmt;

use wharf::render;

/// Characters of a description in a list.
const BRIEF: usize = 50;

/// A text that grows line by line.
pub(crate) struct Text(String);

impl Text {
    pub(crate) fn new(first_line: impl Into<String>) -> Self {
        Self(first_line.into())
    }

    /// Adds to the last line.
    pub(crate) fn push(&mut self, part: impl fmt::Display) {
        self.0.push_str(&part.to_string());
    }

    /// Begins a new line.
    pub(crate) fn line(&mut self, line: impl fmt::Display) {
        self.0.push('\n');
        self.push(line);
    }

    pub(crate) fn finish(self) -> String {
        self.0
    }
}

/// A count with its noun: `1 tool`, `2 tools`.
pub(crate) struct Count(pub(crate) usize, pub(crate) &'static str);

impl fmt::Display for Count {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0 == 1 { "" } else { "s" };
        write!(formatter, "{} {}{plural}", self.0, self.1)
    }
}

/// A call of the tool with one text parameter, as a model would write it: `mcp({server: "github"})`.
pub(crate) fn usage(parameter: &str, value: impl fmt::Display) -> String {
    let value = serde_json::Value::String(value.to_string());
    format!("mcp({{{parameter}: {value}}})")
}

/// A text on one line, cut at a word near `target` characters.
pub(crate) fn cut(text: &str, target: usize) -> String {
    render::cut_words(&render::one_line(text), target)
}

/// A line of a list: the name and what is known of it.
pub(crate) fn list_line(name: &str, description: &str) -> String {
    let description = cut(description, BRIEF);
    if description.is_empty() {
        return format!("- {name}");
    }
    format!("- {name} - {description}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_agrees_with_its_noun() {
        assert_eq!(format!("{} {}", Count(1, "tool"), Count(0, "server")), "1 tool 0 servers");
    }

    #[test]
    fn a_usage_quotes_its_value() {
        assert_eq!(usage("connect", "a\"b"), r#"mcp({connect: "a\"b"})"#);
    }

    #[test]
    fn a_line_without_description_is_the_name() {
        assert_eq!(list_line("a", " \n "), "- a");
        assert_eq!(list_line("a", "Does\n it."), "- a - Does it.");
    }
}
