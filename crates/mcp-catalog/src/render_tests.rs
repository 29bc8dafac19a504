use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

fn check_shape(schema: &Value, expected: Option<&str>) {
    assert_eq!(shape(&schema.to_string()).as_deref(), expected, "{schema}");
}

#[test]
fn adapter_34_10_the_shape_of_an_object() {
    let schema = json!({
        "type": "object",
        "properties": {
            "q": {"type": "string"},
            "n": {"type": "integer"},
            "tags": {"type": "array", "items": {"enum": ["a", "b"]}}
        },
        "required": ["q"]
    });
    check_shape(&schema, Some(r#"{ q: string; n?: number; tags?: ("a" | "b")[]; }"#));
}

#[test]
fn adapter_16_shapes() {
    let rows = [
        (json!({"type": "object"}), "{}"),
        (json!({}), "unknown"),
        (json!({"type": "object", "properties": {}}), "{}"),
        (json!({"properties": {"a-b": true, "c": false}}), r#"{ "a-b"?: unknown; c?: never; }"#),
        (json!({"type": ["string", "null"]}), "string | null"),
        (json!({"type": "array"}), "unknown[]"),
        (json!({"items": {"type": ["string", "integer", "number"]}}), "(string | number)[]"),
        (json!({"type": "array", "items": {"type": ["number", "integer"]}}), "number[]"),
        (json!({"items": {"items": {"type": "boolean"}}}), "boolean[][]"),
        (json!({"prefixItems": [{"type": "string"}, {"type": "number"}]}), "[string, number]"),
        (json!({"const": 7}), "7"),
        (json!({"enum": ["a", 1, null, "a"]}), r#""a" | 1 | null"#),
        (json!({"enum": []}), "never"),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"enum": [1, 2]}}]}),
            "string | (1 | 2)[]",
        ),
        (json!({"oneOf": [{"type": "string"}], "type": "string"}), "string"),
        (json!({"type": "string", "enum": ["x"], "description": "d", "default": "x"}), r#""x""#),
        (json!({"properties": {"a": {"const": "line\nbreak\u{202e}"}}}), r#"{ a?: "line\nbreak\u202e"; }"#),
    ];
    for (schema, expected) in rows {
        check_shape(&schema, Some(expected));
    }
}

#[test]
fn adapter_16_what_a_shape_cannot_show_has_none() {
    let inner = [
        json!({"if": {}}),
        json!({"then": {}}),
        json!({"else": {}}),
        json!({"allOf": []}),
        json!({"not": {}}),
        json!({"patternProperties": {}}),
        json!({"additionalProperties": {"type": "string"}}),
        json!({"additionalProperties": true}),
        json!({"$ref": "#/elsewhere"}),
        json!({"$ref": "#/$defs/missing"}),
        json!({"$ref": "https://example.com/schema"}),
        json!({"properties": {"a": {}}, "anyOf": [{"required": ["a"]}]}),
        json!({"type": 7}),
    ];
    for schema in inner {
        check_shape(&json!({"properties": {"deep": {"items": schema}}}), None);
    }
    check_shape(&json!([]), None);
    check_shape(
        &json!({"properties": {"not": {"type": "string"}}, "additionalProperties": false}),
        Some("{ not?: string; }"),
    );
}

#[test]
fn adapter_16_definitions_are_aliases_before_the_root() {
    let schema = json!({
        "$defs": {
            "Node": {"properties": {"next": {"$ref": "#/$defs/Node"}, "kind": {"$ref": "#/definitions/Node"}}},
            "a b": {"type": "string"},
            "string": {"type": "number"}
        },
        "definitions": {"Node": {"enum": [1]}},
        "properties": {
            "root": {"$ref": "#/$defs/Node"}, "name": {"$ref": "#/$defs/a b"}, "count": {"$ref": "#/$defs/string"}
        }
    });
    insta::assert_snapshot!(shape(&schema.to_string()).unwrap(), @r"
    type Node = { next?: Node; kind?: Definition3; };
    type Definition1 = string;
    type Definition2 = number;
    type Definition3 = 1;

    { root?: Node; name?: Definition1; count?: Definition2; }
    ");
}

#[test]
fn a_schema_without_end_or_bottom_has_no_shape_and_short_params() {
    let mut deep = json!({"type": "string"});
    for _ in 0..60 {
        deep = json!({"properties": {"a": deep}});
    }
    check_shape(&deep, None);
    assert!(params(&deep.to_string()).len() < 400);

    let looped =
        json!({"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}, "$ref": "#/$defs/A"});
    assert_eq!(params(&looped.to_string()), "(complex schema)");

    let members: Vec<Value> = (0..8).map(|_| json!({"$ref": "#/$defs/W"})).collect();
    let wide = json!({"$defs": {"W": {"anyOf": members}}, "properties": {"a": {"$ref": "#/$defs/W"}}});
    assert!(params(&wide.to_string()).len() < 20_000);

    let long: Map<String, Value> = (0..5_000).map(|number| (format!("p{number}"), json!({}))).collect();
    let long = json!({ "properties": long });
    check_shape(&long, None);
    assert!(params(&long.to_string()).ends_with("\n..."));
}

#[test]
fn adapter_16_parameters_are_listed_one_to_a_line() {
    let schema = json!({
        "type": "object",
        "required": ["query", "mode"],
        "$defs": {"Page": {"type": "object", "description": "A page.", "properties": {"size": {"type": "integer", "minimum": 1, "maximum": 50}}}},
        "properties": {
            "query": {"type": "string", "description": "What to\n look for.", "minLength": 1, "pattern": "^a"},
            "mode": {"enum": ["fast", "full"], "default": "fast"},
            "page": {"$ref": "#/$defs/Page"},
            "filters": {"type": "array", "maxItems": 3, "items": {"type": "object", "properties": {"field": {"const": "id"}}}},
            "value": {"anyOf": [{"type": "string", "format": "uri"}, {"type": ["number", "null"]}]},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}}
        },
        "allOf": [{"properties": {"extra": {"type": "boolean"}}}]
    });
    insta::assert_snapshot!(shape_or_params(&schema.to_string()), @r#"
    query (string) *required* - What to look for. [minLength: 1] [pattern: ^a]
    mode (enum: "fast", "full") *required* [default: "fast"]
    page (object) - A page.
      size (integer) [minimum: 1] [maximum: 50]
    filters (array of object) [maxItems: 3]
      items (object)
        field (const: "id")
    value
      anyOf (string) [format: uri]
      anyOf (number | null)
    labels (object)
      additionalProperties (string)
    allOf
      extra (boolean)
    "#);
}

#[test]
fn adapter_16_special_texts() {
    let rows = [
        ("null", "(no schema)"),
        ("{}", "(no parameters)"),
        (r#"{"type":"object","properties":{}}"#, "(no parameters)"),
        (r#"{"type":"string"}"#, "(string)"),
        (r#"{"not":{}}"#, "(complex schema)"),
        (r#"{"type":"object","patternProperties":{}}"#, "(complex schema)"),
        ("{", "(complex schema)"),
    ];
    for (schema, expected) in rows {
        assert_eq!(params(schema), expected, "{schema}");
    }
}

#[test]
fn adapter_32_a_text_is_cut_at_a_word_beyond_sixty_percent() {
    let rows = [
        ("0123456 89", 10, "0123456 89"),
        ("0123456 89a", 10, "0123456..."),
        ("012345 789a", 10, "012345 789..."),
        ("0123456789a", 10, "0123456789..."),
        ("ääääääääää ä", 10, "ääääääääää..."),
        ("a", 0, "..."),
        ("", 0, ""),
    ];
    for (text, target, expected) in rows {
        assert_eq!(cut_words(text, target), expected, "{text} {target}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        Just("type"),
        Just("properties"),
        Just("items"),
        Just("$ref"),
        Just("$defs"),
        Just("anyOf"),
        Just("oneOf"),
        Just("allOf"),
        Just("enum"),
        Just("const"),
        Just("required"),
        Just("default"),
        Just("description"),
        Just("additionalProperties"),
        Just("a"),
        Just("b c"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(json!("string")),
        Just(json!("object")),
        Just(json!("array")),
        Just(json!("#/$defs/a")),
        Just(json!("#/$defs/b c")),
        "\\PC{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec((key.clone(), inner), 0..6).prop_map(|members| {
                members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>().into()
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_rendered_without_harm(mut schema in any_json(), definition in any_json()) {
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("$defs".to_owned(), json!({"a": definition, "b c": {"$ref": "#/$defs/a"}}));
        }
        let text = schema.to_string();
        prop_assert_eq!(shape(&text), shape(&text));
        if let Some(shape) = shape(&text) {
            prop_assert!(shape.len() <= 16 * 1024);
            let (aliases, root) = shape.rsplit_once("\n\n").unwrap_or(("", &shape));
            prop_assert!(!root.contains('\n'), "{root}");
            prop_assert!(aliases.lines().all(|line| line.starts_with("type ") && line.ends_with(';')), "{aliases}");
        }
        prop_assert!(params(&text).len() < 32 * 1024);
    }

    #[test]
    fn any_text_is_rendered_without_harm(text in "\\PC{0,80}", target in 0_usize..90) {
        let _texts = (shape(&text), params(&text));
        prop_assert!(cut_words(&text, target).chars().count() <= target.max(text.chars().count()) + 3);
        prop_assert_eq!(one_line(&one_line(&text)), one_line(&text));
    }
}
