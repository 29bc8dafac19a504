//! A JSON schema as a list of parameters, for schemas that no shape can show.

use serde_json::{Map, Value};

use super::shape::{definition, is_required};
use super::text::{cut_words, literal, name_or_quoted, one_line};

/// The deepest nesting that is listed.
const MAX_DEPTH: usize = 6;
/// The longest list in bytes, give or take its last line.
const MAX_BYTES: usize = 16 * 1024;
/// The longest description in characters.
const MAX_DESCRIPTION: usize = 400;
/// The longest default, constant or list of values in characters.
const MAX_VALUE: usize = 400;
/// Limits that are shown, in this order.
const LIMITS: [&str; 8] =
    ["minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "format", "pattern"];
/// Keywords whose members are schemas of the same value.
const COMBINED: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Lists the parameters of a JSON schema, one to a line, nested ones indented by two.
///
/// ```
/// let schema = r#"{"properties":{"q":{"type":"string","description":"Words.","minLength":1}},"required":["q"]}"#;
/// assert_eq!(mcp_catalog::render::params(schema), "q (string) *required* - Words. [minLength: 1]");
/// ```
pub fn params(schema: &str) -> String {
    let root = match serde_json::from_str(schema) {
        Ok(Value::Object(root)) => Value::Object(root),
        Ok(_) => return "(no schema)".to_owned(),
        Err(_) => return "(complex schema)".to_owned(),
    };
    let mut lister = Lister { root: &root, text: String::new(), is_full: false };
    lister.members(&root, 0);
    if !lister.text.is_empty() {
        return lister.text.trim_end().to_owned();
    }
    match root.get("type").and_then(Value::as_str) {
        Some("object") | None if !says_more(&root) => "(no parameters)".to_owned(),
        Some(word) if word != "object" => format!("({})", type_word(word)),
        _ => "(complex schema)".to_owned(),
    }
}

/// Tells whether an object schema without listed members still restricts its values.
fn says_more(schema: &Value) -> bool {
    let quiet = ["type", "properties", "required", "$schema", "title", "description", "additionalProperties"];
    let open = schema.get("additionalProperties").is_some_and(|value| *value != Value::Bool(false));
    open || schema.as_object().is_some_and(|schema| schema.keys().any(|key| !quiet.contains(&key.as_str())))
}

struct Lister<'a> {
    root: &'a Value,
    text: String,
    is_full: bool,
}

impl<'a> Lister<'a> {
    /// Lists what lies inside a schema: properties, items, members of combinations.
    fn members(&mut self, schema: &'a Value, depth: usize) {
        let Some(schema) = self.followed(schema).and_then(Value::as_object) else { return };
        if depth > MAX_DEPTH {
            return;
        }
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            for (name, property) in properties {
                self.entry(&name_or_quoted(name), property, is_required(schema, name), depth);
            }
        }
        if let Some(items) = schema.get("items").filter(|items| is_worth_a_line(items)) {
            self.entry("items", items, false, depth);
        }
        for keyword in COMBINED {
            for member in schema.get(keyword).and_then(Value::as_array).into_iter().flatten() {
                self.entry(keyword, member, false, depth);
            }
        }
        if let Some(values) = schema.get("additionalProperties").filter(|values| is_worth_a_line(values)) {
            self.entry("additionalProperties", values, false, depth);
        }
    }

    fn entry(&mut self, name: &str, schema: &'a Value, required: bool, depth: usize) {
        if self.is_full {
            return;
        }
        let indent = "  ".repeat(depth);
        if self.text.len() > MAX_BYTES {
            self.is_full = true;
            self.text.extend([&indent, "...\n"]);
            return;
        }
        let target = self.followed(schema).unwrap_or(schema);
        let kind = kind_text(target).map(|kind| format!(" ({kind})")).unwrap_or_default();
        let mark = if required { " *required*" } else { "" };
        self.text.extend([&indent, &cut_words(name, MAX_VALUE), &kind, mark]);
        // The words beside a reference are about this use of the definition.
        if let Some(words) = description(schema).or_else(|| description(target)) {
            self.text.extend([" - ", &words]);
        }
        self.text.push_str(&limits(target));
        self.text.push('\n');
        self.members(schema, depth + 1);
    }

    /// Follows a reference, and those it leads to, a few steps; loops thus end. A reference into nowhere gives nothing.
    fn followed(&self, schema: &'a Value) -> Option<&'a Value> {
        let mut schema = schema;
        for _ in 0..MAX_DEPTH {
            let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { return Some(schema) };
            schema = definition(self.root, reference)?;
        }
        None
    }
}

fn is_worth_a_line(schema: &Value) -> bool {
    schema.as_object().is_some_and(|schema| !schema.is_empty())
}

fn kind_text(schema: &Value) -> Option<String> {
    let schema = schema.as_object()?;
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let values: Vec<String> = values.iter().map(literal).collect();
        return Some(format!("enum: {}", cut_words(&values.join(", "), MAX_VALUE)));
    }
    if let Some(value) = schema.get("const") {
        return Some(format!("const: {}", cut_words(&literal(value), MAX_VALUE)));
    }
    match schema.get("type") {
        Some(Value::String(word)) if word == "array" => Some(array_text(schema)),
        Some(Value::String(word)) => Some(type_word(word)),
        Some(Value::Array(words)) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            Some(type_word(&words.join(" | ")))
        }
        Some(_) | None => None,
    }
}

fn array_text(schema: &Map<String, Value>) -> String {
    let item = schema.get("items").and_then(|items| items.get("type")).and_then(Value::as_str);
    item.map_or_else(|| "array".to_owned(), |word| format!("array of {}", type_word(word)))
}

fn type_word(word: &str) -> String {
    cut_words(&one_line(word), MAX_VALUE)
}

fn description(schema: &Value) -> Option<String> {
    let words = schema.get("description").and_then(Value::as_str).map(one_line)?;
    (!words.is_empty()).then(|| cut_words(&words, MAX_DESCRIPTION))
}

fn limits(schema: &Value) -> String {
    let mut text = String::new();
    for keyword in LIMITS {
        if let Some(value) = schema.get(keyword) {
            let value = value.as_str().map_or_else(|| literal(value), one_line);
            text.extend([" [", keyword, ": ", &cut_words(&value, MAX_VALUE), "]"]);
        }
    }
    if let Some(value) = schema.get("default") {
        text.extend([" [default: ", &cut_words(&literal(value), MAX_VALUE), "]"]);
    }
    text
}
