//! What each command answers.

use serde_json::json;

use crate::support::{Home, stub_server};

#[test]
fn a_call_prints_the_text_of_the_tool() {
    let home = Home::with_stub("echo");
    let run = home.run(&["call", "stub_echo", "text=hello"]).ok();
    assert_eq!(run.stdout(), "hello\n");
}

#[test]
fn a_call_in_json_has_the_documented_shape() {
    let home = Home::with_stub("echo");
    let mut answer = home.run(&["call", "stub_echo", "text=hello", "--json"]).ok().json();
    assert!(answer["durationMs"].take().is_number());
    assert_eq!(
        answer,
        json!({
            "server": "stub", "tool": "echo", "name": "stub_echo", "isError": false,
            "content": [{"type": "text", "text": "hello"}], "durationMs": null,
        })
    );
}

#[test]
fn arguments_come_from_pairs_json_and_files() {
    let home = Home::with_stub("echo");
    home.write("args.json", r#"{"text":"from a file"}"#);
    let rows = [
        (vec!["call", "stub_echo", "text:=\"typed\""], "typed\n"),
        (vec!["call", "stub_echo", "--args", r#"{"text":"json"}"#], "json\n"),
        (vec!["call", "stub_echo", "--args", "@args.json"], "from a file\n"),
        (vec!["call", "stub/echo", "text=own name"], "own name\n"),
    ];
    for (arguments, expected) in rows {
        assert_eq!(home.run(&arguments).ok().stdout(), expected, "{arguments:?}");
    }
}

#[test]
fn search_list_and_describe_answer_from_the_catalogue_of_a_server_that_is_gone() {
    let home = Home::new(&json!({}));
    let copy = home.path().join("stub");
    let linked =
        std::fs::hard_link(stub_server(), &copy).or_else(|_| std::fs::copy(stub_server(), &copy).map(drop));
    linked.unwrap();
    home.write(
        ".mcp.json",
        &json!({"mcpServers": {"stub": {"command": copy, "args": ["echo"]}}}).to_string(),
    );
    home.run(&["connect", "stub"]).ok();
    #[expect(clippy::disallowed_methods, reason = "the test takes its server away")]
    std::fs::remove_file(&copy).unwrap();
    assert_eq!(home.run(&["search", "echo", "--json"]).ok().json()["total"], 1);
    assert_eq!(home.run(&["list", "stub", "--json"]).ok().json()["servers"][0]["tools"][0]["tool"], "echo");
    let described = home.run(&["describe", "stub_echo", "--json"]).ok().json();
    assert_eq!(described["shape"], "{ text: string; }");
    assert_eq!(described["inputSchema"]["required"], json!(["text"]));
}

#[test]
fn status_is_the_versioned_snapshot() {
    let home = Home::with_stub("echo");
    home.run(&["connect", "stub"]).ok();
    let status = home.run(&["status", "--json"]).ok().json();
    assert_eq!(status["version"], 1);
    assert_eq!(status["servers"][0]["name"], "stub");
    assert_eq!(status["servers"][0]["status"], "cached");
    assert_eq!(status["servers"][0]["toolCount"], 1);
    assert_eq!(status["totalTools"], 1);
}

#[test]
fn validate_names_line_and_hint_and_the_good_entries_still_work() {
    let home = Home::new(&json!({}));
    let stub = stub_server();
    home.write(
        ".mcp.json",
        &format!("{{\n  // two servers\n  \"mcpServers\": {{\n    \"good\": {{\"command\": {stub:?}, \"args\": [\"echo\"]}},\n    \"bad\": {{\"comand\": \"x\"}},\n  }}\n}}\n"),
    );
    let run = home.run(&["config", "validate"]);
    assert_eq!(run.code(), 7);
    let text = run.stdout() + &run.stderr();
    assert!(text.contains(".mcp.json:5") && text.contains("command"), "{text}");
    assert_eq!(home.run(&["call", "good_echo", "text=still here"]).ok().stdout(), "still here\n");
}

#[test]
fn a_file_that_does_not_parse_is_named_with_its_place() {
    let home = Home::new(&json!({}));
    home.write(".mcp.json", "{\n  \"mcpServers\": {\n    \"a\": {\"command\" \"x\"}\n  }\n}\n");
    let run = home.run(&["config", "validate"]);
    assert_eq!(run.code(), 7);
    let text = run.stdout() + &run.stderr();
    assert!(text.contains(".mcp.json:3:"), "{text}");
}
