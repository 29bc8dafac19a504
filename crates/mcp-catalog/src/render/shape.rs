//! A JSON schema as a TypeScript type on one line, with an alias for each definition it refers to.
//!
//! The walk starts at the root and notes every definition it meets; these are rendered one after the other until no
//! new one turns up. A type that refers to itself is thus an alias that names itself, and nothing is rendered twice.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::text::{is_identifier, literal, name_or_quoted};

/// The deepest nesting that is rendered.
const MAX_DEPTH: usize = 24;
/// The longest shape in bytes.
const MAX_BYTES: usize = 16 * 1024;
/// The most definitions that are rendered.
const MAX_DEFINITIONS: usize = 64;
/// Words that cannot name a type.
const RESERVED: [&str; 20] = [
    "any",
    "bigint",
    "boolean",
    "class",
    "enum",
    "false",
    "function",
    "import",
    "never",
    "new",
    "null",
    "number",
    "object",
    "string",
    "symbol",
    "true",
    "type",
    "undefined",
    "unknown",
    "void",
];
/// Keywords whose meaning a shape cannot show.
const UNSUPPORTED: [&str; 6] = ["if", "then", "else", "allOf", "not", "patternProperties"];

/// Gives the TypeScript shape of a JSON schema; `None` when the schema says something that a shape cannot show, is no
/// schema, or is too large or too deep for one.
///
/// ```
/// let schema = r#"{"type":"object","properties":{"q":{"type":"string"},"n":{"type":"integer"}},"required":["q"]}"#;
/// assert_eq!(mcp_catalog::render::shape(schema).as_deref(), Some("{ q: string; n?: number; }"));
/// ```
pub fn shape(schema: &str) -> Option<String> {
    let root: Value = serde_json::from_str(schema).ok()?;
    if !root.is_object() {
        return None;
    }
    let mut shaper = Shaper { root: &root, names: BTreeMap::new(), pending: Vec::new() };
    let body = shaper.shape(&root, 0)?.text;
    let mut text = String::new();
    let mut next = 0;
    while let Some((name, definition)) = shaper.pending.get(next).cloned() {
        next += 1;
        let alias = shaper.shape(definition, 0)?.text;
        text.extend(["type ", &name, " = ", &alias, ";\n"]);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&body);
    (text.len() <= MAX_BYTES).then_some(text)
}

struct Shaper<'a> {
    root: &'a Value,
    /// Alias by reference.
    names: BTreeMap<String, String>,
    /// Alias and definition, in the order in which they were met.
    pending: Vec<(String, &'a Value)>,
}

struct Shape {
    text: String,
    is_union: bool,
}

impl Shape {
    fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_union: false }
    }

    /// Joins members, each text once; `None` when they are too many for a shape.
    fn union(members: impl IntoIterator<Item = Shape>) -> Option<Self> {
        let mut union: Vec<Shape> = Vec::new();
        let mut bytes = 0;
        for member in members {
            if union.iter().any(|known| known.text == member.text) {
                continue;
            }
            bytes += member.text.len();
            if bytes > MAX_BYTES {
                return None;
            }
            union.push(member);
        }
        if union.len() == 1 {
            return union.pop();
        }
        if union.is_empty() {
            return Some(Self::plain("never"));
        }
        let texts: Vec<String> = union.into_iter().map(|member| member.text).collect();
        Some(Self { text: texts.join(" | "), is_union: true })
    }
}

impl<'a> Shaper<'a> {
    fn shape(&mut self, schema: &'a Value, depth: usize) -> Option<Shape> {
        if depth > MAX_DEPTH {
            return None;
        }
        let shape = match schema {
            Value::Bool(true) => Shape::plain("unknown"),
            Value::Bool(false) => Shape::plain("never"),
            Value::Object(schema) => self.object_schema(schema, depth)?,
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => return None,
        };
        (shape.text.len() <= MAX_BYTES).then_some(shape)
    }

    fn object_schema(&mut self, schema: &'a Map<String, Value>, depth: usize) -> Option<Shape> {
        if !is_supported(schema) {
            return None;
        }
        if let Some(reference) = schema.get("$ref") {
            return self.alias(reference.as_str()?).map(Shape::plain);
        }
        if let Some(values) = schema.get("enum") {
            return Shape::union(values.as_array()?.iter().map(|value| Shape::plain(literal(value))));
        }
        if let Some(value) = schema.get("const") {
            return Some(Shape::plain(literal(value)));
        }
        if let Some(members) = schema.get("anyOf").or_else(|| schema.get("oneOf")) {
            // Members beside properties refine them, which a union alone would hide.
            if schema.contains_key("properties") {
                return None;
            }
            let mut shapes = Vec::new();
            for member in members.as_array()? {
                shapes.push(self.shape(member, depth + 1)?);
            }
            return Shape::union(shapes);
        }
        match schema.get("type") {
            Some(Value::String(word)) => self.typed(word, schema, depth),
            Some(Value::Array(words)) => {
                let mut shapes = Vec::new();
                for word in words {
                    shapes.push(self.typed(word.as_str()?, schema, depth)?);
                }
                Shape::union(shapes)
            }
            Some(_) => None,
            None if schema.contains_key("properties") => self.typed("object", schema, depth),
            None if schema.contains_key("items") || schema.contains_key("prefixItems") => {
                self.typed("array", schema, depth)
            }
            None => Some(Shape::plain("unknown")),
        }
    }

    fn typed(&mut self, word: &str, schema: &'a Map<String, Value>, depth: usize) -> Option<Shape> {
        match word {
            "string" | "number" | "boolean" | "null" => Some(Shape::plain(word)),
            "integer" => Some(Shape::plain("number")),
            "object" => self.object(schema, depth),
            "array" => self.array(schema, depth),
            _ => Some(Shape::plain("unknown")),
        }
    }

    fn object(&mut self, schema: &'a Map<String, Value>, depth: usize) -> Option<Shape> {
        let Some(properties) = schema.get("properties") else { return Some(Shape::plain("{}")) };
        let properties = properties.as_object()?;
        if properties.is_empty() {
            return Some(Shape::plain("{}"));
        }
        let mut text = "{".to_owned();
        for (name, property) in properties {
            let mark = if is_required(schema, name) { "" } else { "?" };
            let shape = self.shape(property, depth + 1)?.text;
            text.extend([" ", &name_or_quoted(name), mark, ": ", &shape, ";"]);
            if text.len() > MAX_BYTES {
                return None;
            }
        }
        text.push_str(" }");
        Some(Shape::plain(text))
    }

    fn array(&mut self, schema: &'a Map<String, Value>, depth: usize) -> Option<Shape> {
        let items = schema.get("items");
        if let Some(Value::Array(members)) = schema.get("prefixItems").or(items) {
            let mut shapes = Vec::new();
            for member in members {
                shapes.push(self.shape(member, depth + 1)?.text);
            }
            return Some(Shape::plain(format!("[{}]", shapes.join(", "))));
        }
        let Some(items) = items else { return Some(Shape::plain("unknown[]")) };
        let item = self.shape(items, depth + 1)?;
        Some(Shape::plain(if item.is_union {
            format!("({})[]", item.text)
        } else {
            format!("{}[]", item.text)
        }))
    }

    /// Gives the alias of a definition of this schema, noting the definition when it is met for the first time.
    fn alias(&mut self, reference: &str) -> Option<String> {
        if let Some(name) = self.names.get(reference) {
            return Some(name.clone());
        }
        let definition = definition(self.root, reference)?;
        if self.pending.len() >= MAX_DEFINITIONS {
            return None;
        }
        let own = reference.rsplit('/').next().unwrap_or_default();
        let is_taken = |name: &str| self.names.values().any(|known| known == name);
        let name = if is_identifier(own) && !RESERVED.contains(&own) && !is_taken(own) {
            own.to_owned()
        } else {
            (1..=MAX_DEFINITIONS * 2)
                .map(|number| format!("Definition{number}"))
                .find(|name| !is_taken(name))?
        };
        self.names.insert(reference.to_owned(), name.clone());
        self.pending.push((name.clone(), definition));
        Some(name)
    }
}

fn is_supported(schema: &Map<String, Value>) -> bool {
    let closed = schema.get("additionalProperties").is_none_or(|value| *value == Value::Bool(false));
    closed && !UNSUPPORTED.iter().any(|keyword| schema.contains_key(*keyword))
}

pub(super) fn is_required(schema: &Map<String, Value>, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|required| required == name))
}

/// Finds `#/$defs/X` or `#/definitions/X`; nothing else is followed.
pub(super) fn definition<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let (keyword, name) = reference.strip_prefix("#/")?.split_once('/')?;
    if !matches!(keyword, "$defs" | "definitions") || name.contains('/') {
        return None;
    }
    root.get(keyword)?.get(name.replace("~1", "/").replace("~0", "~"))
}
