//! The JSON Schema of a file, made from the table of keys.

use serde_json::{Map, Value, json};

use crate::keys::{KEYS, Key, Kind, Scope, Support};

/// Gives the JSON Schema (2020-12) of a configuration file.
///
/// ```
/// let schema = mcp_config::schema();
/// assert_eq!(schema["$defs"]["server"]["properties"]["command"]["type"][0], "string");
/// ```
pub fn schema() -> Value {
    let mut root = object(Scope::Root);
    let definitions = [
        (Scope::Server, "server"),
        (Scope::Setting, "settings"),
        (Scope::RateLimit, "rateLimit"),
        (Scope::OutputGuard, "outputGuard"),
    ];
    let definitions: Map<String, Value> = definitions
        .into_iter()
        .map(|(scope, name)| (name.to_owned(), Value::Object(object(scope))))
        .collect();
    root.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    root.insert("title".to_owned(), json!("Wharf configuration"));
    root.insert("$defs".to_owned(), Value::Object(definitions));
    Value::Object(root)
}

fn object(scope: Scope) -> Map<String, Value> {
    let properties: Map<String, Value> = KEYS
        .iter()
        .filter(|key| key.scope == scope)
        .map(|key| (key.name.to_owned(), property(key)))
        .collect();
    let mut object = Map::new();
    object.insert("type".to_owned(), json!("object"));
    object.insert("properties".to_owned(), Value::Object(properties));
    object.insert("additionalProperties".to_owned(), json!(false));
    object
}

fn property(key: &Key) -> Value {
    let mut property = value(key.kind);
    if let Value::Object(fields) = &mut property {
        let meaning = match key.support {
            Support::Later => format!("{} Not read by this version.", key.meaning),
            Support::Read | Support::Alias(_) => key.meaning.to_owned(),
        };
        fields.insert("description".to_owned(), Value::String(meaning));
        if let Ok(default) = serde_json::from_str::<Value>(key.default) {
            fields.insert("default".to_owned(), default);
        } else if matches!(key.kind, Kind::Words(words) if words.contains(&key.default)) {
            fields.insert("default".to_owned(), json!(key.default));
        }
    }
    property
}

fn value(kind: Kind) -> Value {
    let texts = || json!({"type": "array", "items": {"type": "string"}});
    match kind {
        Kind::Text | Kind::Secret => json!({"type": "string"}),
        Kind::Command => json!({"type": ["string", "array"], "items": {"type": "string"}, "minItems": 1}),
        Kind::Texts => texts(),
        Kind::Secrets => json!({"type": "object", "additionalProperties": {"type": "string"}}),
        Kind::TextLists => json!({"type": "object", "additionalProperties": texts()}),
        Kind::Switch => json!({"type": "boolean"}),
        Kind::Minutes => json!({"type": "number", "minimum": 0}),
        Kind::Seconds | Kind::Milliseconds => json!({"type": "number", "exclusiveMinimum": 0}),
        Kind::Count => json!({"type": "integer", "minimum": 1}),
        Kind::Words(words) => json!({"enum": words}),
        Kind::Auth => json!({"enum": ["bearer", "oauth", false]}),
        Kind::Approve => json!({"type": ["boolean", "array"], "items": {"type": "string"}}),
        Kind::SwitchOr(scope) => json!({"anyOf": [{"type": "boolean"}, reference(scope)]}),
        Kind::Object(scope) => reference(scope),
        Kind::Entries(scope) => json!({"type": "object", "additionalProperties": reference(scope)}),
        Kind::Any => json!({}),
    }
}

fn reference(scope: Scope) -> Value {
    let name = match scope {
        Scope::Root => return json!({"$ref": "#"}),
        Scope::Server => "server",
        Scope::Setting => "settings",
        Scope::RateLimit => "rateLimit",
        Scope::OutputGuard => "outputGuard",
    };
    json!({"$ref": format!("#/$defs/{name}")})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_its_property_and_every_reference_its_target() {
        let schema = schema();
        let count = schema.to_string().matches("\"description\"").count();
        assert_eq!(count, KEYS.len());
        for reference in schema.to_string().split("\"$ref\":\"#/$defs/").skip(1) {
            let name = reference.split('"').next().unwrap();
            assert!(schema["$defs"][name].is_object(), "{name}");
        }
    }

    #[test]
    fn defaults_have_the_type_of_their_key() {
        let schema = schema();
        assert_eq!(schema["$defs"]["server"]["properties"]["lifecycle"]["default"], "lazy");
        assert_eq!(schema["$defs"]["server"]["properties"]["requestTimeoutMs"]["default"], 30_000);
        assert_eq!(schema["$defs"]["server"]["properties"]["idleTimeout"].get("default"), None);
    }
}
