use mcp_config::ConfigRequest;
use mcp_transport::TransportSpec;

use super::*;
use crate::environment::Environment;
use crate::runtime::Runtime;

fn lowered(text: &str, only: bool, vars: &[(&str, &str)]) -> Lowered {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(".mcp.json");
    mcp_fs::write_atomic(&file, text.as_bytes(), mcp_fs::Mode::Default, false).unwrap();
    let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let environment = Environment::new(vars, home.path());
    let request = ConfigRequest {
        cwd: Some(home.path().to_owned()),
        home: home.path().to_owned(),
        env: environment.vars.clone(),
        override_file: None,
        only_file: only.then(|| file.clone()),
    };
    let source = Source::new(Runtime::builder(), environment);
    lower(mcp_config::load(&request), &source, &Entries::new())
}

fn url_of(lowered: &Lowered) -> String {
    let (_, spec) = lowered.mounts.first().unwrap();
    let TransportSpec::Http(http) = &spec.connect.transport else { panic!("no HTTP server") };
    http.url.clone()
}

#[test]
fn variables_of_an_address_are_replaced() {
    let text = r#"{"mcpServers": {"a": {"url": "https://${HOST}/mcp?v=${VERSION:-1}"}}}"#;
    let lowered = lowered(text, false, &[("HOST", "mcp.example.com")]);
    assert_eq!(url_of(&lowered), "https://mcp.example.com/mcp?v=1");
    assert!(lowered.refusals.is_empty());
}

#[test]
fn adapter_2_1_missing_variables_of_an_address_refuse_the_server_and_are_all_named() {
    let lowered = lowered(r#"{"mcpServers": {"a": {"url": "https://${HOST}/${ROUTE}"}}}"#, false, &[]);
    let failure = lowered.refusals.values().next().unwrap();
    assert!(failure.message.contains("HOST") && failure.message.contains("ROUTE"), "{}", failure.message);
}

#[test]
fn a_secret_command_is_not_run_and_refuses_its_server_alone() {
    let text =
        r#"{"mcpServers": {"a": {"command": "x", "env": {"TOKEN": "!pass show"}}, "b": {"command": "y"}}}"#;
    let lowered = lowered(text, false, &[]);
    assert_eq!(lowered.refusals.keys().map(ServerName::as_str).collect::<Vec<_>>(), ["a"]);
    assert_eq!(lowered.mounts.len(), 2);
}

#[test]
fn t_strict_01_strict_admits_only_the_file_that_was_named_alone() {
    let text = r#"{"mcpServers": {"a": {"command": "x"}}, "settings": {"strict": true}}"#;
    let refused = lowered(text, false, &[]);
    assert!(refused.mounts.is_empty());
    assert!(refused.diagnostics.iter().any(|found| found.code == "strict_source"));
    assert_eq!(lowered(text, true, &[]).mounts.len(), 1);
}

#[test]
fn a_start_is_bounded_later_than_its_callers_wait() {
    let text = r#"{"mcpServers": {"a": {"command": "x", "startupTimeoutMs": 2000}}}"#;
    let lowered = lowered(text, false, &[]);
    let (name, spec) = lowered.mounts.first().unwrap();
    assert_eq!(lowered.rules.start_wait(name), Duration::from_secs(2));
    assert!(spec.connect.timeouts.startup > Duration::from_secs(2));
}

#[test]
fn the_definition_of_a_server_changes_its_hash_and_nothing_else_does() {
    let hash = |text: &str| lowered(text, false, &[]).hashes.into_values().next().unwrap();
    let plain = hash(r#"{"mcpServers": {"a": {"command": "x"}}}"#);
    assert_eq!(
        plain,
        hash(r#"{"mcpServers": {"a": {"command": "x", "timeout": 5, "excludeTools": ["b"]}}}"#)
    );
    assert_ne!(plain, hash(r#"{"mcpServers": {"a": {"command": "x", "args": ["y"]}}}"#));
}

#[test]
fn a_program_that_asks_one_thing_wakes_no_eager_server() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("wharf.json");
    let text = r#"{"mcpServers": {"a": {"command": "x", "lifecycle": "keep-alive"}}}"#;
    mcp_fs::write_atomic(&file, text.as_bytes(), mcp_fs::Mode::Default, false).unwrap();
    let mode = |builder: crate::builder::RuntimeBuilder| {
        let source = Source::new(builder.only_config(&file), Environment::new([], home.path()));
        let request = source.builder.config_request(&source.environment).unwrap();
        let lowered = lower(mcp_config::load(&request), &source, &Entries::new());
        lowered.mounts.first().unwrap().1.lifecycle.mode
    };
    assert_eq!(mode(Runtime::builder()), LifecycleMode::KeepAlive);
    assert_eq!(mode(Runtime::builder().all_lazy()), LifecycleMode::Lazy);
}
