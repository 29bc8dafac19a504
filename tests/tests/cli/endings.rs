//! No process survives its command, however it ends.
#![expect(clippy::disallowed_methods, reason = "tests look at the clock to give up")]

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::Duration;

use crate::support::Home;

#[test]
fn after_a_call_no_child_is_left() {
    let home = Home::with_stub("echo");
    home.run(&["call", "stub_echo", "text=x"]).ok();
    assert_eq!(home.processes(), Vec::<u32>::new());
}

#[test]
fn p4_a_stubborn_server_and_its_child_end_with_the_command() {
    let home = Home::with_stub("stubborn");
    let run = home.run(&["--timeout", "1", "call", "stub_echo", "text=x"]);
    assert_eq!(run.code(), 6);
    assert_eq!(home.processes(), Vec::<u32>::new());
}

#[test]
fn an_interrupt_in_a_call_ends_everything_with_130() {
    let home = Home::with_stub("silent");
    let mut child =
        home.wharf(&["-v", "call", "stub_echo", "text=x"]).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_call(&home);
    interrupt(child.id());
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    assert_eq!(home.processes(), Vec::<u32>::new());
}

#[test]
fn a_gateway_that_is_killed_in_a_call_leaves_no_child_alive() {
    let home = Home::with_stub("stubborn");
    let mut gateway =
        home.wharf(&["serve", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = gateway.stdin.take().unwrap();
    let mut output = BufReader::new(gateway.stdout.take().unwrap());
    let mut send = |line: &str| {
        use std::io::Write as _;
        writeln!(input, "{line}").unwrap();
    };
    send(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#,
    );
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    send(
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mcp","arguments":{"tool":"stub_echo","args":{"text":"x"}}}}"#,
    );
    wait_for_call(&home);
    gateway.kill().unwrap();
    gateway.wait().unwrap();
    home.wait_until_empty(Duration::from_secs(5));
}

#[test]
fn a_gateway_ends_when_its_client_closes_the_stream() {
    let home = Home::with_stub("echo");
    let mut gateway =
        home.wharf(&["serve", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    drop(gateway.stdin.take());
    assert_eq!(gateway.wait().unwrap().code(), Some(0));
    assert_eq!(home.processes(), Vec::<u32>::new());
}

/// Waits until the server has received the call.
fn wait_for_call(home: &Home) {
    let end = std::time::Instant::now() + Duration::from_secs(20);
    while !home.path().join("called").is_file() {
        assert!(std::time::Instant::now() < end, "the call did not reach the server");
        std::thread::yield_now();
    }
}

fn interrupt(pid: u32) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
}
