use std::collections::BTreeMap;

use mcp_types::{PromptSpec, ResourceSpec, ResourceTemplateSpec, ServerName, ToolSpec};
use proptest::prelude::*;
use serde_json::json;
use serde_json::value::RawValue;

use super::*;

fn raw(value: &serde_json::Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap()
}

fn entry(tools: &[&str]) -> CacheEntry {
    let tools = tools.iter().map(|text| Arc::new(ToolSpec::parse(text).unwrap())).collect();
    let listing = ServerListing { tools, ..ServerListing::default() };
    CacheEntry { spec_hash: "h".to_owned(), cached_at_ms: 5, listing: Arc::new(listing) }
}

fn full_entry() -> CacheEntry {
    let listing = ServerListing {
        resources: vec![Arc::new(ResourceSpec::from_raw(raw(&json!({"uri": "a:b", "size": 3}))).unwrap())],
        resource_templates: vec![Arc::new(
            ResourceTemplateSpec::from_raw(raw(&json!({"uriTemplate": "a:{b}"}))).unwrap(),
        )],
        prompts: vec![Arc::new(PromptSpec::from_raw(raw(&json!({"name": "p", "arguments": []}))).unwrap())],
        instructions: Some("Two\nlines.".to_owned()),
        server_info: Some(("demo".to_owned(), "1.0".to_owned())),
        ..(*entry(&[r#"{"name":"t","x":1.50}"#]).listing).clone()
    };
    CacheEntry { listing: Arc::new(listing), ..entry(&[]) }
}

fn catalogue(entries: Vec<(&str, CacheEntry)>) -> BTreeMap<ServerName, CacheEntry> {
    entries.into_iter().map(|(name, entry)| (ServerName::new(name).unwrap(), entry)).collect()
}

#[test]
fn adapter_11_the_bytes_stay_as_they_are() {
    insta::assert_snapshot!(String::from_utf8(encode(&catalogue(vec![("s", full_entry())]))).unwrap(), @r#"
    {"format":"mcp-catalog","version":1}
    {"server":"s","spec_hash":"h","cached_at_ms":5,"server_info":["demo","1.0"],"instructions":"Two\nlines.","definitions":4}
    t{"name":"t","x":1.50}
    r{"uri":"a:b","size":3}
    m{"uriTemplate":"a:{b}"}
    p{"name":"p","arguments":[]}
    "#);
}

#[test]
fn what_was_written_is_read() {
    let entries = catalogue(vec![
        ("a", full_entry()),
        ("b", entry(&["{\"name\":\"pretty\",\n  \"inputSchema\": {}\n}", r#"{"name":"t"}"#])),
        ("c", entry(&[])),
    ]);
    assert_eq!(decode(&encode(&entries)), (entries, vec![]));
}

#[test]
fn a_broken_entry_loses_only_its_server() {
    let tool = r#"{"name":"t"}"#;
    let entries = catalogue(vec![("a", entry(&[tool])), ("b", entry(&[tool])), ("c", entry(&[tool]))]);
    for breakage in [&b"{"[..], b"{}", b"{\"server\":7}", b"{\xff\xfe", b"{\"server\":\"b\"}"] {
        let bytes = encode(&entries);
        let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        lines[3] = breakage;
        let (left, diagnostics) = decode(&lines.join(&b'\n'));
        assert_eq!(left, catalogue(vec![("a", entry(&[tool])), ("c", entry(&[tool]))]), "{breakage:?}");
        assert_eq!(diagnostics.len(), 1);
    }
}

#[test]
fn a_definition_too_few_or_too_many_loses_its_server() {
    let tool = r#"{"name":"t"}"#;
    let text =
        String::from_utf8(encode(&catalogue(vec![("a", entry(&[tool, tool])), ("b", entry(&[tool]))])))
            .unwrap();
    let line = format!("t{tool}\n");
    for broken in [text.replacen(&line, "", 1), text.replacen(&line, &line.repeat(2), 1)] {
        let (entries, diagnostics) = decode(broken.as_bytes());
        assert_eq!((entries, diagnostics.len()), (catalogue(vec![("b", entry(&[tool]))]), 1));
    }
}

#[test]
fn a_bad_definition_loses_only_itself() {
    let text = "{\"format\":\"mcp-catalog\",\"version\":1}\n\
                {\"server\":\"a\",\"spec_hash\":\"h\",\"cached_at_ms\":5,\"definitions\":6}\n\
                t7\nt{\"name\":\"t\"}\nt{}\nt\"no json\"\nx{}\n\n";
    let (entries, diagnostics) = decode(text.as_bytes());
    assert_eq!(entries, catalogue(vec![("a", entry(&[r#"{"name":"t"}"#]))]));
    let [diagnostic] = diagnostics.as_slice() else { panic!("{diagnostics:?}") };
    assert_eq!(diagnostic.message, "5 definitions of a in the catalogue are not used");
}

#[test]
fn a_cut_off_file_keeps_what_is_whole() {
    let bytes = encode(&catalogue(vec![("a", entry(&[])), ("b", entry(&[]))]));
    let (entries, diagnostics) = decode(&bytes[..bytes.len() - 4]);
    assert_eq!((entries, diagnostics.len()), (catalogue(vec![("a", entry(&[]))]), 1));
}

#[test]
fn another_version_is_not_read_and_told() {
    let code = |bytes: &[u8]| {
        let (entries, diagnostics) = decode(bytes);
        assert!(entries.is_empty());
        diagnostics.first().map(|diagnostic| diagnostic.code)
    };
    assert_eq!(code(b"{\"format\":\"mcp-catalog\",\"version\":2}\n{}"), Some("catalogue_version"));
    assert_eq!(code(b"{\"version\":1,\"servers\":{}}"), Some("catalogue_broken"));
    assert_eq!(code(b"\xff"), Some("catalogue_broken"));
    assert_eq!(code(b""), None);
}

#[test]
fn adapter_11_an_entry_is_valid_for_seven_days_and_its_hash() {
    let now = 100 * MAX_AGE_MS;
    let rows = [
        ("h", now, true),
        ("h", now - MAX_AGE_MS, true),
        ("h", now - MAX_AGE_MS - 1, false),
        ("h", now + 1, true),
        ("h", now + MAX_AGE_MS + 1, false),
        ("other", now, false),
    ];
    for (hash, cached_at_ms, expected) in rows {
        let entry = CacheEntry { cached_at_ms, ..entry(&[]) };
        assert_eq!(entry.is_valid(hash, now), expected, "{hash} {cached_at_ms}");
    }
}

fn any_entry() -> impl Strategy<Value = CacheEntry> {
    let tools = proptest::collection::vec(("[a-z]{1,8}", "\\PC{0,12}", any::<bool>()), 0..5);
    (tools, any::<u64>(), "\\PC{0,8}", proptest::option::of("[ -~\n]{0,20}")).prop_map(
        |(tools, cached_at_ms, spec_hash, instructions)| {
            let text = |name: &String, description: &String, pretty: bool| {
                let value = json!({"name": name, "description": description});
                if pretty { format!("{value:#}") } else { value.to_string() }
            };
            let tools = tools.iter().map(|(name, description, pretty)| text(name, description, *pretty));
            let tools = tools.map(|text| Arc::new(ToolSpec::parse(&text).unwrap())).collect();
            let listing = ServerListing { tools, instructions, ..ServerListing::default() };
            CacheEntry { spec_hash, cached_at_ms, listing: Arc::new(listing) }
        },
    )
}

proptest! {
    #[test]
    fn reading_undoes_writing(entries in proptest::collection::btree_map("[a-z.-]{1,6}", any_entry(), 0..4)) {
        let entries: BTreeMap<ServerName, CacheEntry> =
            entries.into_iter().map(|(name, entry)| (ServerName::new(name).unwrap(), entry)).collect();
        let bytes = encode(&entries);
        let (read, diagnostics) = decode(&bytes);
        prop_assert_eq!(&read, &entries);
        prop_assert_eq!(diagnostics, vec![]);
        prop_assert_eq!(encode(&read), bytes);
    }

    #[test]
    fn any_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut text = b"{\"format\":\"mcp-catalog\",\"version\":1}\n".to_vec();
        text.extend(&bytes);
        let _read = (decode(&bytes), decode(&text));
    }
}
