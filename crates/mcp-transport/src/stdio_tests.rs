//! Real processes: small shell scripts that play servers.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::Secret;
use tokio::time::Instant;

use super::child::ChildProcess;
use super::process_group::ProcessGroup;
use super::*;
use crate::classify::FailureClass;
use crate::connect_spec::{BaseEnv, TransportSpec};
use crate::connector::{Connector, SystemConnector};
use crate::session::{CloseReport, RequestOptions};
use crate::test_support::{Setup, call};

const GRACE: Duration = Duration::from_secs(10);

/// Answers `initialize`; the ids of a first connection count from zero.
const HANDSHAKE: &str = r#"
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
text() { printf '{"content":[{"type":"text","text":"%s"}]}' "$1"; }
read -r initialize
reply 0 '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}'
read -r initialized
"#;

fn stdio(command: &str, args: &[&str]) -> StdioSpec {
    StdioSpec {
        command: command.to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: Vec::new(),
        cwd: None,
        base_env: Arc::new(BaseEnv(BTreeMap::from([("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())]))),
    }
}

fn with(spec: StdioSpec) -> Setup {
    let mut setup = Setup::default();
    setup.spec.transport = TransportSpec::Stdio(spec);
    setup
}

/// A server that shakes hands and then runs a script.
fn server(script: &str) -> Setup {
    with(stdio("sh", &["-c", &format!("{HANDSHAKE}{script}")]))
}

async fn open(setup: &Setup) -> Result<Session, Failure> {
    let connector = SystemConnector::new();
    connector.connect(setup.request()).await
}

#[tokio::test]
async fn t_call_14_a_flood_on_standard_error_blocks_nobody() {
    let setup = server(
        "read -r call\nhead -c 1048576 /dev/zero | tr '\\0' x >&2\nreply 1 \"$(text done)\"\nread -r end",
    );
    let session = open(&setup).await.unwrap();
    assert_eq!(call(&session, RequestOptions::default()).await.unwrap().joined_text(), "done");
    assert_eq!(
        session.close(GRACE).await,
        CloseReport { forced: false, exit: Some("exit status: 1".to_owned()) }
    );
}

#[tokio::test]
async fn a_process_that_ends_at_its_start_says_why() {
    let setup = with(stdio("sh", &["-c", "for n in 1 2 3 4 5 6; do echo \"line $n\" >&2; done; exit 3"]));
    let failure = open(&setup).await.unwrap_err();
    let lines = ["line 2", "line 3", "line 4", "line 5", "line 6"];
    let expected = FailureClass::Exited {
        status: Some("exit status: 3".to_owned()),
        stderr_tail: lines.map(str::to_owned).to_vec(),
    };
    assert_eq!(failure.class, expected);
    assert_eq!(
        failure.message,
        "server `demo`: `sh` ended (exit status: 3); it said: line 2 | line 3 | line 4 | line 5 | line 6"
    );
    assert_eq!(setup.log.texts(), [""; 0]);
}

#[tokio::test]
async fn a_process_that_ends_in_mid_call_fails_the_call_and_the_session_alike() {
    let setup = server("read -r call; echo boom >&2; kill -9 $$");
    let session = open(&setup).await.unwrap();
    let failure = call(&session, RequestOptions::default()).await.unwrap_err();
    let expected = FailureClass::Exited {
        status: Some("signal: 9 (SIGKILL)".to_owned()),
        stderr_tail: vec!["boom".to_owned()],
    };
    assert_eq!(failure.class, expected);
    session.close(GRACE).await;
    assert_eq!(setup.log.ends(), [failure]);
}

#[tokio::test]
async fn a_missing_command_is_named_with_the_path_searched() {
    let failure = open(&with(stdio("no-such-server", &[]))).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Unreachable);
    assert_eq!(
        failure.message,
        "server `demo` cannot start: the command `no-such-server` was not found; \
         it is not in the PATH of the server (/usr/local/bin:/usr/bin:/bin)"
    );
    let failure = open(&with(stdio("./no-such-server", &[]))).await.unwrap_err();
    assert!(failure.message.ends_with("there is no executable file of this name"), "{failure}");
    let mut spec = stdio("sh", &[]);
    spec.cwd = Some(PathBuf::from("/no/such/directory"));
    let failure = open(&with(spec)).await.unwrap_err();
    assert!(failure.message.contains("working directory `/no/such/directory`"), "{failure}");
}

#[tokio::test]
async fn the_command_is_looked_up_in_the_path_of_the_child() {
    let mut spec = stdio("sh", &["-c", "true"]);
    spec.env.push(("PATH".to_owned(), Secret::new("/nowhere".to_owned())));
    let failure = open(&with(spec)).await.unwrap_err();
    assert!(failure.message.contains("(/nowhere)"), "{failure}");
}

#[tokio::test]
async fn the_child_gets_its_environment_and_nothing_else() {
    let mut spec = stdio(
        "sh",
        &[
            "-c",
            &format!(
                "{HANDSHAKE}read -r call; reply 1 \"$(text \"$(env | sort | cut -d= -f1 | tr '\\n' ' ')$A\")\"; read -r end"
            ),
        ],
    );
    spec.env.push(("A".to_owned(), Secret::new("overlay".to_owned())));
    let session = open(&with(spec)).await.unwrap();
    let text = call(&session, RequestOptions::default()).await.unwrap().joined_text();
    let names: Vec<&str> =
        text.split_whitespace().filter(|name| !["PWD", "SHLVL", "_", "OLDPWD"].contains(name)).collect();
    assert_eq!(names, ["A", "PATH", "overlay"]);
    session.close(GRACE).await;
}

#[tokio::test]
async fn p4_a_grandchild_that_outlives_its_parent_is_ended() {
    let session = open(&server("sleep 1000 & read -r end")).await.unwrap();
    let group = ProcessGroup::of(session.facts().process_id);
    assert!(group.has_members());
    let report = session.close(GRACE).await;
    assert!(!report.forced);
    assert!(!group.has_members());
}

#[tokio::test]
async fn p4_a_stubborn_grandchild_is_killed() {
    let session =
        open(&server("trap '' TERM; (while :; do sleep 1; done) & trap - TERM; read -r end")).await.unwrap();
    let group = ProcessGroup::of(session.facts().process_id);
    let report = session.close(GRACE).await;
    assert!(report.forced);
    assert!(!group.has_members());
}

#[tokio::test]
async fn a_process_that_ignores_everything_is_killed_within_the_grace() {
    let script = format!("trap '' TERM\n{HANDSHAKE}while :; do sleep 1; done");
    let session = open(&with(stdio("sh", &["-c", &script]))).await.unwrap();
    let started = Instant::now();
    let report = session.close(Duration::from_millis(200)).await;
    assert_eq!(report, CloseReport { forced: true, exit: Some("signal: 9 (SIGKILL)".to_owned()) });
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_process_that_closes_its_output_is_ended() {
    let setup = server("exec 1>&-; while :; do sleep 1; done");
    let session = open(&setup).await.unwrap();
    let group = ProcessGroup::of(session.facts().process_id);
    setup.log.wait_for(1).await;
    let ends = setup.log.ends();
    assert_eq!(ends[0].class, FailureClass::Exited { status: None, stderr_tail: Vec::new() });
    assert!(!group.has_members());
    assert!(session.is_closed());
}

#[tokio::test]
async fn p3_an_oversized_line_fails_its_call_alone() {
    let mut setup = server(
        "read -r call; reply 1 \"\\\"$(head -c 200000 /dev/zero | tr '\\0' x)\\\"\"; read -r call; reply 2 \"$(text ok)\"; read -r end",
    );
    setup.spec.limits.max_message_bytes = 100_000;
    let session = open(&setup).await.unwrap();
    let failure = call(&session, RequestOptions::default()).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::TooLarge { limit: 100_000 });
    assert_eq!(call(&session, RequestOptions::default()).await.unwrap().joined_text(), "ok");
    session.close(GRACE).await;
}

#[tokio::test]
async fn a_start_in_vain_shows_the_last_words_and_leaves_nothing() {
    let mut setup =
        with(stdio("sh", &["-c", "echo 'waiting for a database' >&2; while :; do sleep 1; done"]));
    setup.spec.timeouts.startup = Duration::from_millis(500);
    let failure = open(&setup).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Timeout);
    assert_eq!(
        failure.message,
        "server `demo` did not finish its start within 0.5 s; it said: waiting for a database"
    );
}

#[tokio::test]
async fn a_child_that_is_dropped_takes_its_group_with_it() {
    let spec = stdio("sh", &["-c", "trap '' TERM; sleep 1000 & while :; do sleep 1; done"]);
    let guard = ProcessGuard::new();
    let (child, _stdin, _stdout) =
        ChildProcess::start(&Arc::new(crate::test_support::spec()), &spec, &guard).unwrap();
    let group = ProcessGroup::of(child.process_id());
    assert!(group.has_members());
    drop(child);
    assert!(group.wait_until_empty(GRACE).await);
}

#[tokio::test]
async fn the_guard_process_goes_with_the_last_child() {
    let connector = SystemConnector::new();
    let setup = server("read -r end");
    let session = connector.connect(setup.request()).await.unwrap();
    session.close(GRACE).await;
    let started = Instant::now();
    connector.shutdown().await;
    assert!(started.elapsed() < Duration::from_secs(2));
}
