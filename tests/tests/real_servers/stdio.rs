//! server-everything, filesystem, memory, time and git over stdio: listed, searched and called.

use serde_json::{Value, json};

use crate::support::{Home, tool};

fn node(package: &str, arguments: &[&str]) -> Value {
    let bin = tool("WHARF_TEST_NODE_MODULES").join(".bin").join(package);
    json!({"command": bin, "args": arguments, "startupTimeoutMs": 120_000, "timeout": 60})
}

fn python(module: &str, arguments: &[&str]) -> Value {
    let bin = tool("WHARF_TEST_VENV").join("bin/python");
    let arguments: Vec<&str> = ["-m", module].iter().chain(arguments).copied().collect();
    json!({"command": bin, "args": arguments, "startupTimeoutMs": 120_000, "timeout": 60})
}

fn call(home: &Home, tool: &str, arguments: &Value) -> String {
    let run = home.run(&["call", tool, "--args", &arguments.to_string()]).ok();
    assert_eq!(home.processes(), Vec::<u32>::new(), "after {tool}");
    run.stdout()
}

/// Lists, then searches, then tells that the server is known.
fn learn(home: &Home, server: &str, query: &str, expected: &str) {
    home.run(&["connect", server]).ok();
    let listed = home.run(&["list", server, "--json"]).ok().json();
    assert!(listed["servers"][0]["tools"].as_array().is_some_and(|tools| tools.len() > 1), "{listed}");
    let found = home.run(&["search", query, "--server", server, "--json"]).ok().json();
    let names: Vec<&str> =
        found["items"].as_array().unwrap().iter().filter_map(|item| item["tool"].as_str()).collect();
    assert!(names.contains(&expected), "{expected} is not in {names:?}");
    assert_eq!(home.processes(), Vec::<u32>::new());
}

#[test]
fn server_everything_works() {
    let home = Home::new(&json!({"everything": node("mcp-server-everything", &["stdio"])}));
    learn(&home, "everything", "echo", "echo");
    assert!(call(&home, "everything_echo", &json!({"message": "hello"})).contains("hello"));
    assert!(call(&home, "everything_get-sum", &json!({"a": 2, "b": 3})).contains('5'));
    let structured =
        home.run(&["call", "everything_get-structured-content", "location=Chicago", "--json"]).ok().json();
    assert!(structured["structuredContent"]["temperature"].is_number(), "{structured}");
    assert!(call(&home, "everything_get-tiny-image", &json!({})).contains("image"));
}

#[test]
fn server_filesystem_works() {
    let home = Home::new(&json!({}));
    let allowed = home.path().canonicalize().unwrap();
    home.write("note.txt", "written before");
    let servers =
        json!({"mcpServers": {"files": node("mcp-server-filesystem", &[allowed.to_str().unwrap()])}});
    home.write(".mcp.json", &servers.to_string());
    learn(&home, "files", "read a file", "read_text_file");
    let note = allowed.join("note.txt");
    assert!(call(&home, "files_read_text_file", &json!({"path": note})).contains("written before"));
    let other = allowed.join("other.txt");
    call(&home, "files_write_file", &json!({"path": other, "content": "written by a tool"}));
    assert!(call(&home, "files_list_directory", &json!({"path": allowed})).contains("other.txt"));
    let outside = home.run(&["call", "files_read_text_file", "path=/etc/hostname"]);
    assert_eq!(outside.code(), 1, "{}", outside.stderr());
}

#[test]
fn server_memory_works() {
    let mut entry = node("mcp-server-memory", &[]);
    let home = Home::new(&json!({}));
    entry["env"] = json!({"MEMORY_FILE_PATH": home.path().join("memory.jsonl")});
    home.write(".mcp.json", &json!({"mcpServers": {"memory": entry}}).to_string());
    learn(&home, "memory", "create entities", "create_entities");
    let ship =
        json!({"entities": [{"name": "Vasa", "entityType": "ship", "observations": ["sank in 1628"]}]});
    assert!(call(&home, "memory_create_entities", &ship).contains("Vasa"));
    assert!(call(&home, "memory_search_nodes", &json!({"query": "ship"})).contains("1628"));
    assert!(call(&home, "memory_read_graph", &json!({})).contains("Vasa"));
}

#[test]
fn server_time_works() {
    let home = Home::new(&json!({"time": python("mcp_server_time", &["--local-timezone", "UTC"])}));
    learn(&home, "time", "current time", "get_current_time");
    assert!(call(&home, "time_get_current_time", &json!({"timezone": "UTC"})).contains("UTC"));
    let conversion = json!({"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"});
    assert!(call(&home, "time_convert_time", &conversion).contains("21:00"));
    let wrong = home.run(&["call", "time_get_current_time", "timezone=Nowhere/None"]);
    assert_eq!(wrong.code(), 1, "{}", wrong.stderr());
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test makes a repository of its own")]
fn server_git_works() {
    let home = Home::new(&json!({}));
    let repository = home.path().join("repository");
    let git = |arguments: &[&str]| {
        let output =
            std::process::Command::new("git").arg("-C").arg(home.path()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "-q", "repository"]);
    home.write("repository/a.txt", "one\n");
    let path = repository.to_str().unwrap();
    home.write(
        ".mcp.json",
        &json!({"mcpServers": {"git": python("mcp_server_git", &["--repository", path])}}).to_string(),
    );
    learn(&home, "git", "show the status of a repository", "git_status");
    assert!(call(&home, "git_git_status", &json!({"repo_path": path})).contains("a.txt"));
    call(&home, "git_git_add", &json!({"repo_path": path, "files": ["a.txt"]}));
    assert!(call(&home, "git_git_diff_staged", &json!({"repo_path": path})).contains("+one"));
}
