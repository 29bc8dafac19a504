use std::path::Path;

use mcp_fs::Mode;
use mcp_types::Severity;
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::snapshot::{Approval, ApproveTools, Lifecycle, ServerEntry, ToolPrefix, TransportEntry};
use crate::source::Layer;

/// A home with configuration in files.
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> &Self {
        let path = self.0.path().join(path);
        mcp_fs::create_private_dir(path.parent().unwrap()).unwrap();
        mcp_fs::write_atomic(&path, text.as_bytes(), Mode::Default, false).unwrap();
        self
    }

    pub(crate) fn request(&self) -> ConfigRequest {
        ConfigRequest {
            cwd: Some(self.0.path().join("p")),
            home: self.0.path().to_owned(),
            ..ConfigRequest::default()
        }
    }

    pub(crate) fn load(&self) -> ConfigSnapshot {
        load(&self.request())
    }
}

/// The user's own file.
pub(crate) struct User(pub(crate) Value);

/// Loads a user's file and a project's file.
pub(crate) fn loaded(user: &User, project: &Value) -> ConfigSnapshot {
    let home = Home::new();
    home.write(".config/wharf/wharf.json", &user.0.to_string())
        .write("p/.wharf/wharf.json", &project.to_string());
    home.load()
}

/// Loads files of the user: `mcp.json` shared, `wharf.json` own.
pub(crate) fn loaded_from(files: &[(&str, &Value)]) -> ConfigSnapshot {
    let home = Home::new();
    for (name, content) in files {
        let dir = if *name == "mcp.json" { ".config/mcp" } else { ".config/wharf" };
        home.write(&format!("{dir}/{name}"), &content.to_string());
    }
    home.load()
}

/// Loads one text as the project's `.mcp.json`.
pub(crate) fn shared(text: &str) -> ConfigSnapshot {
    Home::new().write("p/.mcp.json", text).load()
}

/// Loads one text as Wharf's own file.
pub(crate) fn own(text: &str) -> ConfigSnapshot {
    Home::new().write("p/.wharf/wharf.json", text).load()
}

fn entry(fields: &Value) -> ConfigSnapshot {
    own(&json!({"mcpServers": {"bad": fields, "good": {"command": "x"}}}).to_string())
}

fn codes(snapshot: &ConfigSnapshot) -> Vec<(&'static str, Severity)> {
    snapshot.diagnostics.iter().map(|told| (told.code, told.severity)).collect()
}

fn names(snapshot: &ConfigSnapshot) -> Vec<&str> {
    snapshot.servers.iter().map(|server| server.name.as_str()).collect()
}

fn place_of(snapshot: &ConfigSnapshot, code: &str) -> (u32, u32) {
    let told = snapshot.diagnostics.iter().find(|told| told.code == code).unwrap();
    let place = told.place.as_ref().unwrap();
    (place.line.unwrap(), place.column.unwrap())
}

/// Checks that the entry `bad` is refused with this error and that its neighbour works.
fn refused(fields: &Value, code: &str) {
    let snapshot = entry(fields);
    assert_eq!(names(&snapshot), ["good"], "{fields}");
    let errors: Vec<&str> = snapshot
        .diagnostics
        .iter()
        .filter(|told| told.severity == Severity::Error)
        .map(|told| told.code)
        .collect();
    assert_eq!(errors, [code], "{fields}");
    assert!(snapshot.diagnostics.iter().all(|told| told.server.as_deref() == Some("bad")), "{fields}");
}

/// Checks that the entry is used and that this is told.
fn told(fields: &Value, code: &str, severity: Severity) -> ServerEntry {
    let snapshot = entry(fields);
    assert_eq!(codes(&snapshot), [(code, severity)], "{fields}");
    snapshot.server("bad").unwrap().clone()
}

#[test]
fn fc_086_a_file_with_comments_commas_and_mark_is_read_whole() {
    let snapshot = shared(
        "\u{feff}{ // servers\n \"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": [\"http://y\",],},},\n}",
    );
    assert_eq!(names(&snapshot), ["a"]);
    assert_eq!(codes(&snapshot), []);
}

#[test]
fn every_field_arrives() {
    let fields = json!({
        "command": "x", "args": ["1"], "env": {"B": "2", "A": "${A}"}, "cwd": "~/d", "inheritEnv": false, "type": "stdio",
        "lifecycle": "lazy-keep-alive", "idleTimeout": 0.5, "requestTimeoutMs": 1500, "startupTimeoutMs": 2000,
        "maxTimeoutMs": 3000, "disabled": true, "required": true, "exposeResources": false, "toolPrefix": "mcp",
        "includeTools": ["a_*"], "excludeTools": ["b"], "searchKeywords": {"a_*": ["w"]}, "approval": "always",
        "approveTools": ["c"], "rateLimit": {"maxInFlight": 3}, "maxMessageBytes": 1024,
    });
    let snapshot = entry(&fields);
    assert_eq!(codes(&snapshot), []);
    let found = snapshot.server("bad").unwrap();
    let secret = |text: &str| crate::SecretText::new(text.to_owned());
    assert_eq!(
        found.transport,
        TransportEntry::Stdio {
            command: "x".to_owned(),
            args: vec!["1".to_owned()],
            env: vec![("B".to_owned(), secret("2")), ("A".to_owned(), secret("${A}"))],
            cwd: Some("~/d".to_owned()),
            inherit_env: false,
        }
    );
    assert_eq!(found.lifecycle, Lifecycle::LazyKeepAlive);
    assert_eq!(found.idle_timeout_minutes, Some(0.5));
    let millis = |time: Option<std::time::Duration>| time.unwrap().as_millis();
    assert_eq!(
        [millis(found.request_timeout), millis(found.startup_timeout), millis(found.max_timeout)],
        [1500, 2000, 3000]
    );
    assert_eq!([found.disabled, found.required, found.expose_resources.unwrap()], [true, true, false]);
    assert_eq!(found.tool_prefix, Some(ToolPrefix::Mcp));
    assert_eq!(
        (&found.include_tools, &found.exclude_tools),
        (&vec!["a_*".to_owned()], &vec!["b".to_owned()])
    );
    assert_eq!(found.search_keywords, [("a_*".to_owned(), vec!["w".to_owned()])]);
    assert_eq!(
        (found.approval, found.approve_tools.clone()),
        (Some(Approval::Always), Some(ApproveTools::Matching(vec!["c".to_owned()])))
    );
    assert_eq!((found.max_in_flight, found.max_message_bytes), (Some(3), Some(1024)));
    assert_eq!((found.layer, found.provenance.len()), (Layer::Project, fields.as_object().unwrap().len()));
}

#[test]
fn layers_merge_in_order_with_origins() {
    let home = Home::new();
    home.write(
        ".agents/mcp.json",
        r#"{"mcpServers":{"a":{"url":"https://a","headers":{"H":"1"}},"b":{"command":"b"}}}"#,
    )
    .write(".config/wharf/wharf.json", "{\"mcpServers\":{\n\"b\":{\"lifecycle\":\"eager\"}}}")
    .write("p/.mcp.json", r#"{"mcpServers":{"c":{"command":"c"},"a":{"url":"https://b"}}}"#)
    .write("p/.wharf/wharf.json", r#"{"mcpServers":{"b":{"disabled":true}}}"#);
    let snapshot = home.load();
    assert_eq!(names(&snapshot), ["a", "b", "c"]);
    let b = snapshot.server("b").unwrap();
    assert_eq!((b.lifecycle, b.disabled, b.layer), (Lifecycle::Eager, true, Layer::UserShared));
    assert!(
        b.provenance["lifecycle"].to_string().ends_with("wharf/wharf.json:2:6"),
        "{}",
        b.provenance["lifecycle"]
    );
    assert!(b.provenance["disabled"].file.ends_with(".wharf/wharf.json"));
    let a = snapshot.server("a").unwrap();
    assert!(
        matches!(&a.transport, TransportEntry::Http { url, headers, .. } if url == "https://b" && headers.is_empty())
    );
    assert_eq!(a.layer, Layer::ProjectShared);
    assert_eq!(codes(&snapshot), [("not_inherited", Severity::Info)]);
}

#[test]
fn a_file_that_does_not_parse_loses_itself_alone() {
    let home = Home::new();
    home.write(".config/wharf/wharf.json", r#"{"mcpServers":{"a":{"command":"a"}}}"#)
        .write("p/.mcp.json", "{\n  \"mcpServers\": {\n    \"a\": {\"command\" \"x\"}\n  }\n}\n");
    let snapshot = home.load();
    assert_eq!(names(&snapshot), ["a"]);
    assert_eq!(codes(&snapshot), [("syntax_error", Severity::Error)]);
    assert_eq!(place_of(&snapshot, "syntax_error"), (3, 21));
    let states: Vec<&str> = snapshot.files.iter().map(|file| file.state.as_str()).collect();
    assert_eq!(states, ["absent", "absent", "absent", "loaded", "malformed", "absent"]);
}

#[test]
fn files_that_cannot_be_read_are_told() {
    let home = Home::new();
    home.write("p/.mcp.json/inside", "").write(".agents/mcp.json", &" ".repeat(1_048_577));
    let snapshot = home.load();
    assert_eq!(codes(&snapshot), [("file_unreadable", Severity::Error); 2]);
    let mut request = home.request();
    request.only_file = Some(home.0.path().join("none.json"));
    let snapshot = load(&request);
    assert_eq!(codes(&snapshot), [("file_unreadable", Severity::Error)]);
    assert_eq!(snapshot.files[0].state, FileState::Absent);
}

#[test]
fn a_named_file_replaces_the_users() {
    let home = Home::new();
    home.write(".config/wharf/wharf.json", r#"{"mcpServers":{"u":{"command":"u"}}}"#)
        .write("other.json", r#"{"mcpServers":{"o":{"command":"o"}}}"#)
        .write("p/.mcp.json", r#"{"mcpServers":{"p":{"command":"p"}}}"#);
    let mut request = home.request();
    request.override_file = Some(home.0.path().join("other.json"));
    assert_eq!(names(&load(&request)), ["o", "p"]);
    request.only_file = Some(home.0.path().join("other.json"));
    assert_eq!(names(&load(&request)), ["o"]);
    assert_eq!(load(&request).server("o").unwrap().layer, Layer::Only);
}

#[test]
fn t_cfg_01_a_server_defined_twice_names_both_places() {
    let snapshot = own(
        "{\"mcpServers\": {\n\"a\": {\"command\": \"x\"},\n\"b\": {\"command\": \"y\"},\n\"a\": {\"command\": \"z\"}}}",
    );
    assert_eq!(names(&snapshot), ["b"]);
    assert_eq!(codes(&snapshot), [("duplicate_server", Severity::Error)]);
    assert_eq!(place_of(&snapshot, "duplicate_server"), (4, 1));
    assert!(snapshot.diagnostics[0].message.contains("line 2"), "{}", snapshot.diagnostics[0]);
    let snapshot = own(
        r#"{"mcpServers": {"a": {"command": "x"}}, "servers": {"a": {"command": "y"}, "c": {"command": "z"}}}"#,
    );
    assert_eq!(names(&snapshot), ["c"]);
}

#[test]
fn t_cfg_01_a_key_written_twice_names_both_places() {
    let snapshot = own(
        "{\"mcpServers\": {\"a\": {\n\"command\": \"x\",\n\"command\": \"y\"}, \"b\": {\"command\": \"y\"}}}",
    );
    assert_eq!(names(&snapshot), ["b"]);
    assert_eq!(codes(&snapshot), [("duplicate_key", Severity::Error)]);
    assert_eq!(place_of(&snapshot, "duplicate_key"), (3, 1));
    assert!(snapshot.diagnostics[0].message.contains("line 2"), "{}", snapshot.diagnostics[0]);
    let nested = own(r#"{"mcpServers": {"a": {"command": "x", "env": {"K": "1", "K": "2"}}}}"#);
    assert_eq!(codes(&nested), [("duplicate_key", Severity::Error)]);
    assert_eq!(names(&nested), Vec::<&str>::new());
}

#[test]
fn a_setting_written_twice_counts_as_unreadable() {
    let snapshot = own(r#"{"settings": {"allow": ["a"], "allow": ["*"]}}"#);
    assert_eq!(snapshot.settings.allow, Some(Vec::new()));
    assert_eq!(codes(&snapshot), [("duplicate_key", Severity::Error)]);
}

#[test]
fn t_cfg_02_unknown_keys_warn_with_the_nearest() {
    let snapshot = own(
        r#"{"mcpServer": {}, "mcpServers": {"a": {"command": "x", "aproval": "always"}}, "settings": {"alow": []}}"#,
    );
    let hints: Vec<&str> = snapshot.diagnostics.iter().map(|told| told.hint.as_deref().unwrap()).collect();
    assert_eq!(hints, ["did you mean `mcpServers`?", "did you mean `approval`?", "did you mean `allow`?"]);
    assert_eq!(names(&snapshot), ["a"]);
}

#[test]
fn fc_089_keys_of_other_programs_are_told_once_each_in_shared_files() {
    let text = r#"{"mcpServers": {"a": {"command": "x", "alwaysAllow": []}, "b": {"command": "y", "alwaysAllow": [], "envFile": "e"}}}"#;
    assert_eq!(codes(&shared(text)), [("foreign_key", Severity::Info); 2]);
    assert_eq!(codes(&own(text)), [("unknown_key", Severity::Warning); 3]);
}

#[test]
fn what_this_version_does_not_read_is_told() {
    let text = r#"{"imports": ["codex"], "claudePlugins": [], "settings": {"ancestorConfigRoots": ["~/x"]},
        "mcpServers": {"a": {"command": "x", "directTools": true, "rateLimit": {"perSecond": 1}}}}"#;
    assert_eq!(codes(&own(text)), [("not_read_yet", Severity::Info); 5]);
}

#[test]
fn t_cfg_03_exactly_one_transport() {
    refused(&json!({}), "no_transport");
    refused(&json!({"args": ["x"]}), "no_transport");
    refused(&json!({"command": "x", "url": "https://h"}), "several_transports");
    refused(&json!({"command": ""}), "empty_value");
    refused(&json!({"url": 1}), "wrong_type");
    assert_eq!(names(&entry(&json!({"url": null, "command": "x"}))), ["bad", "good"]);
}

#[test]
fn a_declared_kind_must_agree() {
    refused(&json!({"type": "http", "command": "x"}), "transport_mismatch");
    refused(&json!({"type": "stdio", "url": "https://h"}), "transport_mismatch");
    refused(&json!({"type": "sse", "url": "https://h"}), "transport_unsupported");
    refused(&json!({"type": "htttp", "url": "https://h"}), "unknown_value");
    refused(&json!({"socket": "/s"}), "transport_unsupported");
    refused(&json!({"url": "ws://h"}), "transport_unsupported");
    refused(&json!({"url": "no address"}), "bad_url");
    for kind in ["http", "streamable-http", "streamableHttp", "streamable_http", "remote"] {
        assert_eq!(codes(&entry(&json!({"type": kind, "url": "https://h/${A}"}))), [], "{kind}");
    }
}

#[test]
fn t_cfg_04_a_bad_name_refuses_its_entry() {
    let snapshot = own(
        r#"{"mcpServers": {"a\n": {"command": "x"}, "": {"command": "x"}, "ok-name_1": {"command": "x"}}}"#,
    );
    assert_eq!(names(&snapshot), ["ok-name_1"]);
    assert_eq!(codes(&snapshot), [("bad_server_name", Severity::Error); 2]);
}

#[test]
fn t_cfg_05_unknown_words_refuse_their_entry() {
    refused(&json!({"command": "x", "approval": "allways"}), "unknown_value");
    refused(&json!({"command": "x", "approval": true}), "wrong_type");
    refused(&json!({"command": "x", "lifecycle": "eagre"}), "unknown_value");
    refused(&json!({"command": "x", "toolPrefix": "Server"}), "unknown_value");
    refused(&json!({"command": "x", "approveTools": "a"}), "wrong_type");
}

#[test]
fn fc_089_wrong_types_refuse_their_entry_alone() {
    let rows = [
        json!({"args": "x"}),
        json!({"args": [1]}),
        json!({"env": {"P": 80}}),
        json!({"env": []}),
        json!({"cwd": 1}),
        json!({"inheritEnv": "no"}),
        json!({"required": 1}),
        json!({"timeout": "30s"}),
        json!({"includeTools": "a"}),
        json!({"searchKeywords": ["a"]}),
        json!({"rateLimit": 3}),
        json!({"exposeResources": "yes"}),
    ];
    for mut fields in rows {
        fields["command"] = json!("x");
        refused(&fields, "wrong_type");
    }
    refused(&json!([]), "wrong_type");
    refused(&json!("x"), "wrong_type");
}

#[test]
fn t_cfg_06_timeouts_are_finite_and_above_zero() {
    for value in ["0", "-1", "1e999", "1e-12", "86401"] {
        for key in ["timeout", "requestTimeoutMs", "maxTimeoutMs", "startupTimeoutMs", "idleTimeout"] {
            let ok = matches!((key, value), ("idleTimeout", "0" | "1e-12" | "86401") | (_, "86401"))
                && (key, value) != ("timeout", "86401");
            let snapshot =
                own(&format!(r#"{{"mcpServers": {{"a": {{"command": "x", "{key}": {value}}}}}}}"#));
            let bad = snapshot.diagnostics.iter().any(|told| told.code == "bad_timeout");
            assert_eq!(bad, !ok, "{key} {value}");
            assert_eq!(snapshot.servers.is_empty(), !ok, "{key} {value}");
        }
    }
}

#[test]
fn hosts_r2_the_unit_of_timeout_belongs_to_the_file() {
    let text = |timeout: f64| json!({"mcpServers": {"a": {"command": "x", "timeout": timeout}}}).to_string();
    let seconds =
        |snapshot: &ConfigSnapshot| snapshot.server("a").unwrap().request_timeout.unwrap().as_secs_f64();
    for (timeout, in_own, in_shared, warns) in [
        (5.0, 5.0, 5.0, false),
        (999.0, 999.0, 999.0, false),
        (1000.0, 1000.0, 1.0, true),
        (30_000.0, 30_000.0, 30.0, true),
    ] {
        let (own, shared) = (own(&text(timeout)), shared(&text(timeout)));
        assert_eq!((seconds(&own), seconds(&shared)), (in_own, in_shared));
        let expected: &[_] = if warns { &[("timeout_unit", Severity::Warning)] } else { &[] };
        assert_eq!((codes(&own), codes(&shared)), (expected.to_vec(), expected.to_vec()));
    }
    let found = told(
        &json!({"command": "x", "timeout": 5, "requestTimeoutMs": 7}),
        "field_without_effect",
        Severity::Warning,
    );
    assert_eq!(found.request_timeout.unwrap().as_millis(), 7);
}

#[test]
fn t_cfg_07_strict_is_a_switch() {
    assert!(own(r#"{"settings": {"strict": true}}"#).settings.strict);
    assert!(!own("{}").settings.strict);
}

#[test]
fn t_cfg_08_bearer_on_stdio_is_told() {
    told(&json!({"command": "x", "bearer": "hunter2"}), "bearer_on_stdio", Severity::Warning);
    told(&json!({"command": "x", "headers": {"A": "b"}}), "field_without_effect", Severity::Warning);
    told(&json!({"url": "https://h", "env": {"A": "b"}}), "field_without_effect", Severity::Warning);
}

#[test]
fn a_bearer_token_is_sent_unless_auth_says_otherwise() {
    let bearer = |fields: Value| match entry(&fields).server("bad").unwrap().transport.clone() {
        TransportEntry::Http { bearer, bearer_env, .. } => {
            (bearer.map(|token| token.expose().clone()), bearer_env)
        }
        TransportEntry::Stdio { .. } => panic!("not a remote server"),
    };
    let token = |text: &str| Some(text.to_owned());
    assert_eq!(bearer(json!({"url": "https://h", "bearer": "t"})), (token("t"), None));
    assert_eq!(bearer(json!({"url": "https://h", "bearerTokenEnv": "T"})), (None, token("T")));
    assert_eq!(bearer(json!({"url": "https://h", "auth": "bearer", "bearerToken": "t"})), (token("t"), None));
    assert_eq!(bearer(json!({"url": "https://h", "auth": false, "bearerToken": "t"})), (None, None));
    refused(&json!({"url": "https://h", "auth": "beerer"}), "unknown_value");
}

#[test]
fn headers_that_cannot_be_sent_refuse_their_entry() {
    refused(&json!({"url": "https://h", "headers": {"A B": "c"}}), "bad_value");
    refused(&json!({"url": "https://h", "headers": {"A": "b\r\nC: d"}}), "bad_value");
    refused(&json!({"command": "x", "env": {"A=B": "c"}}), "bad_value");
}

#[test]
fn adapter_1_8_only_a_literal_true_disables() {
    assert!(entry(&json!({"command": "x", "disabled": true})).server("bad").unwrap().disabled);
    for value in [json!("true"), json!(1), json!([])] {
        assert!(!told(&json!({"command": "x", "disabled": value}), "wrong_type", Severity::Warning).disabled);
    }
    assert!(!entry(&json!({"command": "x", "disabled": null})).server("bad").unwrap().disabled);
    assert!(entry(&json!({"command": "x", "enabled": false})).server("bad").unwrap().disabled);
    assert!(
        entry(&json!({"command": "x", "enabled": true, "disabled": true})).server("bad").unwrap().disabled
    );
}

#[test]
fn a_switch_for_a_server_that_no_file_defines_is_no_error() {
    let snapshot = entry(&json!({"disabled": true}));
    assert_eq!(
        (names(&snapshot), codes(&snapshot)),
        (vec!["good"], vec![("nothing_to_switch", Severity::Info)])
    );
}

#[test]
fn other_spellings_are_read() {
    for root in ["mcpServers", "mcp-servers", "servers"] {
        assert_eq!(names(&own(&json!({root: {"a": {"command": "x"}}}).to_string())), ["a"]);
    }
    let found =
        entry(&json!({"command": ["npx", "-y"], "args": ["s"]})).server("bad").unwrap().transport.clone();
    assert!(
        matches!(found, TransportEntry::Stdio { command, args, .. } if command == "npx" && args == ["-y", "s"])
    );
    let found = entry(&json!({"serverUrl": "https://h"})).server("bad").unwrap().transport.clone();
    assert!(matches!(found, TransportEntry::Http { url, .. } if url == "https://h"));
    told(&json!({"url": "https://h", "httpUrl": "https://i"}), "same_meaning", Severity::Warning);
    assert_eq!(names(&shared(r#"{"a": {"command": "x"}, "b": {"url": "https://h"}}"#)), ["a", "b"]);
    assert_eq!(names(&own(r#"{"a": {"command": "x"}}"#)), Vec::<&str>::new());
}

#[test]
fn an_entry_that_starts_wharf_itself_is_left_out() {
    let snapshot = entry(&json!({"command": "/opt/wharf", "args": ["serve"]}));
    assert_eq!((names(&snapshot), codes(&snapshot)), (vec!["good"], vec![("own_entry", Severity::Info)]));
}

#[test]
fn fc_087_variables_of_other_programs_are_told() {
    told(&json!({"url": "https://h/${input:x}"}), "variable_unsupported", Severity::Warning);
    told(&json!({"command": "x", "env": {"A": "${config:b}"}}), "variable_unsupported", Severity::Warning);
}

#[test]
fn the_root_must_be_an_object() {
    assert_eq!(codes(&own("[1]")), [("root_not_object", Severity::Error)]);
    assert_eq!(codes(&own("")), []);
    assert_eq!(codes(&own(r#"{"mcpServers": []}"#)), [("wrong_type", Severity::Error)]);
}

#[test]
fn the_output_guard_is_a_switch_or_limits() {
    use crate::OutputGuard;
    let guard =
        |text: &str| own(&format!(r#"{{"settings": {{"outputGuard": {text}}}}}"#)).settings.output_guard;
    assert_eq!(guard("false"), Some(OutputGuard { enabled: false, max_bytes: None, max_lines: None }));
    assert_eq!(
        guard(r#"{"maxBytes": 10}"#),
        Some(OutputGuard { enabled: true, max_bytes: Some(10), max_lines: None })
    );
    assert_eq!(
        guard(r#"{"maxBytes": -1}"#),
        Some(OutputGuard { enabled: true, max_bytes: None, max_lines: None })
    );
    assert_eq!(guard("1"), None);
}

fn load_only(text: &str) -> ConfigSnapshot {
    let file = Arc::new(SourceFile { path: Path::new("/f.json").into(), layer: Layer::Only, named: true });
    let mut findings = Findings::default();
    let mut config = RawConfig::default();
    if let (_, Some(content)) = read_text(text, &file, &mut findings) {
        overlay(&mut config, content, &mut findings);
    }
    check(&config, findings)
}

/// JSON of the shape of a configuration with anything in it.
fn config() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        Just(json!({})),
        Just(json!(["a"])),
        Just(json!([])),
        Just(json!({"a": "b"})),
    ];
    let keys: Vec<&str> = crate::KEYS.iter().map(|key| key.name).chain(["", "x"]).collect();
    let map = prop::collection::vec((prop::sample::select(keys), leaf), 0..6).prop_map(|pairs| {
        Value::Object(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    });
    (prop::collection::btree_map(".{0,3}", map.clone(), 0..4), map)
        .prop_map(|(servers, settings)| json!({"mcpServers": servers, "settings": settings}))
}

proptest! {
    #[test]
    fn no_text_makes_loading_panic(text in ".{0,200}") {
        let _snapshot = load_only(&text);
    }

    #[test]
    fn no_json_of_tokens_makes_loading_panic(text in r#"([{}\[\],:"/*\n]|"mcpServers"|"a"|"command"|1|true|null){0,40}"#) {
        let _snapshot = load_only(&text);
    }

    #[test]
    fn one_entry_never_harms_another(mut config in config()) {
        config["mcpServers"]["good one"] = json!({"command": "x"});
        let snapshot = load_only(&config.to_string());
        prop_assert!(snapshot.server("good one").is_some());
    }

    #[test]
    fn whoever_is_refused_is_told_of(config in config()) {
        let snapshot = load_only(&config.to_string());
        let servers = config["mcpServers"].as_object().unwrap();
        for name in servers.keys() {
            let used = snapshot.server(name).is_some();
            let shown = crate::diagnose::shown(name);
            let told = snapshot.diagnostics.iter().any(|told| told.server.as_deref() == Some(&shown));
            prop_assert!(used || told, "{name:?}");
        }
    }
}
