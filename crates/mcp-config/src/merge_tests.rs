use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::source::{Layer, SourceFile};

fn layer(servers: &Value, layer: Layer) -> RawConfig {
    let file = Arc::new(SourceFile { path: format!("/{}.json", layer.as_str()).into(), layer, named: false });
    let text = json!({ "mcpServers": servers }).to_string();
    crate::load::read_text(&text, &file, &mut Findings::default()).1.unwrap_or_default()
}

/// Gives the fields that count, as JSON, without their places.
fn effective(config: &RawConfig) -> Value {
    let server = |server: &RawServer| {
        let fields: serde_json::Map<String, Value> = server
            .fields
            .0
            .keys()
            .filter_map(|key| Some((key.clone(), to_json(&server.fields.last(key)?.node.value))))
            .collect();
        (server.name.clone(), Value::Object(fields))
    };
    Value::Object(config.servers.iter().map(server).collect())
}

fn to_json(value: &crate::parse::Value) -> Value {
    use crate::parse::Value as Tree;
    match value {
        Tree::Null => Value::Null,
        Tree::Bool(value) => json!(value),
        Tree::Number(text) => serde_json::from_str(text).unwrap(),
        Tree::Text(text) => json!(text),
        Tree::List(nodes) => nodes.iter().map(|node| to_json(&node.value)).collect(),
        Tree::Map(fields) => Value::Object(
            fields.iter().map(|field| (field.key.clone(), to_json(&field.node.value))).collect(),
        ),
    }
}

fn merged(below: &Value, later: &Value) -> Value {
    let mut config = layer(below, Layer::User);
    overlay(&mut config, layer(later, Layer::Project), &mut Findings::default());
    effective(&config)
}

fn check(below: &Value, later: &Value, expected: &Value) {
    let found = merged(&json!({ "docs": below }), &json!({ "docs": later }));
    assert_eq!(found, json!({ "docs": expected }), "{below} + {later}");
}

#[test]
fn adapter_34_1_credentials_stay_with_their_address() {
    let below = json!({"url": "https://a", "headers": {"Authorization": "x"}, "bearerToken": "t", "lifecycle": "eager"});
    check(
        &below,
        &json!({"required": true}),
        &json!({"url": "https://a", "headers": {"Authorization": "x"}, "bearerToken": "t", "lifecycle": "eager", "required": true}),
    );
    check(&below, &json!({"url": "https://b"}), &json!({"url": "https://b", "lifecycle": "eager"}));
    check(
        &below,
        &json!({"url": "https://b", "headers": {"X": "y"}}),
        &json!({"url": "https://b", "headers": {"X": "y"}, "lifecycle": "eager"}),
    );
    check(&below, &json!({"url": "https://a"}), &below);
    check(&below, &json!({"command": "node"}), &json!({"command": "node", "lifecycle": "eager"}));
}

#[test]
fn adapter_36_arguments_and_variables_stay_with_their_command() {
    let below = json!({"command": "node", "args": ["a"], "env": {"K": "v"}, "cwd": "/x", "inheritEnv": false, "approval": "always"});
    check(
        &below,
        &json!({"command": "deno"}),
        &json!({"command": "deno", "inheritEnv": false, "approval": "always"}),
    );
    check(
        &below,
        &json!({"command": "node", "args": ["b"]}),
        &json!({"command": "node", "args": ["b"], "env": {"K": "v"}, "cwd": "/x", "inheritEnv": false, "approval": "always"}),
    );
    check(&below, &json!({"url": "https://a"}), &json!({"url": "https://a", "approval": "always"}));
}

#[test]
fn adapter_1_3_a_declared_kind_does_not_outlive_its_transport() {
    let below = json!({"type": "stdio", "command": "node"});
    check(&below, &json!({"url": "https://a"}), &json!({"url": "https://a"}));
    check(&below, &json!({"command": "deno"}), &json!({"type": "stdio", "command": "deno"}));
    check(&below, &json!({"url": "https://a", "type": "http"}), &json!({"url": "https://a", "type": "http"}));
}

#[test]
fn what_is_not_inherited_is_told_with_both_places() {
    let mut config = layer(&json!({"docs": {"url": "https://a", "bearerToken": "hunter2"}}), Layer::User);
    let mut findings = Findings::default();
    overlay(&mut config, layer(&json!({"docs": {"url": "https://b"}}), Layer::Project), &mut findings);
    let told = findings.into_inner();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].code, "not_inherited");
    assert!(told[0].message.contains("/user.json:1"), "{}", told[0].message);
    assert_eq!(told[0].place.as_ref().unwrap().file.display().to_string(), "/project.json");
    assert_eq!(told[0].server.as_deref(), Some("docs"));
}

fn entry() -> impl Strategy<Value = Value> {
    let field = prop_oneof![
        prop::sample::select(vec!["a", "b"]).prop_map(|text| ("command", json!(text))),
        prop::sample::select(vec!["https://a", "https://b"]).prop_map(|text| ("url", json!(text))),
        Just(("args", json!(["x"]))),
        Just(("env", json!({"K": "v"}))),
        Just(("headers", json!({"H": "v"}))),
        Just(("bearerToken", json!("t"))),
        Just(("type", json!("stdio"))),
        prop::sample::select(vec!["lazy", "eager"]).prop_map(|text| ("lifecycle", json!(text))),
        any::<bool>().prop_map(|value| ("disabled", json!(value))),
        (1_u32..9).prop_map(|value| ("requestTimeoutMs", json!(value))),
    ];
    prop::collection::vec(field, 0..5).prop_map(|fields| {
        let mut entry = serde_json::Map::new();
        for (key, value) in fields {
            // A file with both is refused before any merging.
            let clashes = (key == "command" && entry.contains_key("url"))
                || (key == "url" && entry.contains_key("command"));
            if !clashes {
                entry.insert(key.to_owned(), value);
            }
        }
        Value::Object(entry)
    })
}

fn servers() -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[ab]", entry(), 0..3).prop_map(|map| json!(map))
}

proptest! {
    #[test]
    fn merging_twice_is_merging_once(below in servers(), later in servers()) {
        let once = merged(&below, &later);
        let mut config = layer(&below, Layer::User);
        overlay(&mut config, layer(&later, Layer::Project), &mut Findings::default());
        overlay(&mut config, layer(&later, Layer::Project), &mut Findings::default());
        prop_assert_eq!(effective(&config), once);
    }

    #[test]
    fn later_wins(below in servers(), later in servers()) {
        let found = merged(&below, &later);
        for (name, entry) in later.as_object().unwrap() {
            for (key, value) in entry.as_object().unwrap() {
                prop_assert_eq!(&found[name][key], value, "{} of {}", key, name);
            }
        }
    }

    #[test]
    fn nothing_bound_travels_to_another_address_or_command(below in servers(), later in servers()) {
        let found = merged(&below, &later);
        for (name, entry) in found.as_object().unwrap() {
            let (old, new) = (&below[name], &later[name]);
            for (key, bound) in [("url", BOUND_TO_URL), ("command", BOUND_TO_COMMAND)] {
                if new.get(key).is_some_and(|text| old.get(key) != Some(text)) {
                    for field in bound {
                        prop_assert_eq!(entry.get(field), new.get(field), "{} beside {}", field, key);
                    }
                }
            }
        }
    }
}
