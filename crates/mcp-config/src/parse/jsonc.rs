//! JSON with comments, trailing commas and a byte order mark.

use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::tree::{Field, Node, Position, Value};

/// Why a text does not parse, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    pub(crate) at: Position,
    pub(crate) message: String,
}

/// What is allowed beyond JSON: comments and trailing commas, nothing else.
const DIALECT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Parses a text. `None` is a text with nothing in it.
pub(crate) fn parse(text: &str) -> Result<Option<Node>, SyntaxError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = parse_to_ast(text, &CollectOptions::default(), &DIALECT).map_err(|error| SyntaxError {
        at: Position { line: count(error.line_display()), column: count(error.column_display()) },
        message: error.kind().to_string().to_lowercase(),
    })?;
    let mut cursor = Cursor { text, offset: 0, at: Position { line: 1, column: 1 } };
    Ok(parsed.value.as_ref().map(|value| convert(value, &mut cursor)))
}

fn convert(value: &ast::Value<'_>, cursor: &mut Cursor<'_>) -> Node {
    let at = cursor.advance_to(value.range().start);
    let value = match value {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(literal) => Value::Bool(literal.value),
        ast::Value::NumberLit(literal) => Value::Number(literal.value.to_owned()),
        ast::Value::StringLit(literal) => Value::Text(literal.value.clone().into_owned()),
        ast::Value::Array(array) => {
            Value::List(array.elements.iter().map(|node| convert(node, cursor)).collect())
        }
        ast::Value::Object(object) => {
            Value::Map(object.properties.iter().map(|property| convert_field(property, cursor)).collect())
        }
    };
    Node { at, value }
}

fn convert_field(property: &ast::ObjectProp<'_>, cursor: &mut Cursor<'_>) -> Field {
    let at = cursor.advance_to(property.range.start);
    Field { key: property.name.as_str().to_owned(), at, node: convert(&property.value, cursor) }
}

/// Counts lines and columns. Nodes come in the order of the text, so the text is walked once.
struct Cursor<'a> {
    text: &'a str,
    offset: usize,
    at: Position,
}

impl Cursor<'_> {
    fn advance_to(&mut self, offset: usize) -> Position {
        for character in self.text.get(self.offset..offset).unwrap_or_default().chars() {
            if character == '\n' {
                self.at = Position { line: self.at.line.saturating_add(1), column: 1 };
            } else {
                self.at.column = self.at.column.saturating_add(1);
            }
        }
        self.offset = self.offset.max(offset);
        self.at
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, (u32, u32)>) {
        let found = parse(text).map(|node| node.map_or("nothing", |node| node.value.kind()));
        let found = found.map_err(|error| (error.at.line, error.at.column));
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn fc_086_comments_trailing_commas_and_a_mark_are_read() {
        check("\u{feff}{\"a\": \"http://x\", // one\n /* two */ \"b\": [1,],}", Ok("an object"));
        check("", Ok("nothing"));
        check(" // only a comment", Ok("nothing"));
        check("[]", Ok("a list"));
    }

    #[test]
    fn a_mistake_is_told_with_its_place() {
        check("{\n  \"a\" 1\n}", Err((2, 7)));
        check("{\"a\": 1", Err((1, 1)));
        check("{'a': 1}", Err((1, 2)));
        check("{\"a\": NaN}", Err((1, 7)));
        check("{} {}", Err((1, 4)));
    }

    #[test]
    fn positions_count_characters_and_survive_the_mark() {
        let node = parse("\u{feff}{\"ä\": 1,\n  \"b\": true}").unwrap().unwrap();
        let fields = node.value.as_map().unwrap();
        assert_eq!(fields[0].node.at, Position { line: 1, column: 7 });
        assert_eq!(fields[1].at, Position { line: 2, column: 3 });
    }

    #[test]
    fn nesting_without_end_is_refused() {
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
