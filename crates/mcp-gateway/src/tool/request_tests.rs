use serde_json::json;

use super::*;

fn parsed(parameters: Value) -> Result<Mode, (ErrorCode, String)> {
    let Value::Object(parameters) = parameters else { panic!("rows are objects") };
    parse(parameters).map_err(|error| (error.code(), error.message().to_owned()))
}

fn check(parameters: Value, expected: Mode) {
    assert_eq!(parsed(parameters), Ok(expected));
}

fn check_refused(parameters: Value, code: ErrorCode, message: &str) {
    assert_eq!(parsed(parameters), Err((code, message.to_owned())));
}

fn search(text: &str) -> SearchRequest {
    SearchRequest {
        text: text.into(),
        server: None,
        regex: false,
        include_schemas: true,
        limit: 12,
        offset: 0,
    }
}

#[test]
fn adapter_13_2_the_first_mode_given_counts() {
    let mut all = json!({
        "tool": "t", "connect": "c", "describe": "d", "instructions": "i", "search": "", "server": "s", "args": {}
    });
    let server = || Some("s".to_owned());
    let mut remove = |key: &str| {
        let given = all.clone();
        all.as_object_mut().unwrap().remove(key);
        given
    };
    check(remove("tool"), Mode::Call { tool: "t".into(), server: server(), arguments: Arguments::empty() });
    check(remove("connect"), Mode::Connect { server: "c".into() });
    check(remove("describe"), Mode::Describe { tool: "d".into(), server: server() });
    check(remove("instructions"), Mode::Instructions { server: "i".into() });
    check(remove("search"), Mode::Search(SearchRequest { server: server(), ..search("") }));
    check(remove("server"), Mode::List { server: "s".into() });
}

#[test]
fn blank_parameters_ask_for_the_status() {
    check(json!({}), Mode::Status);
    check(json!({"tool": "", "args": "", "connect": " ", "server": null, "limit": 5}), Mode::Status);
}

#[test]
fn adapter_13_3_arguments_may_be_a_json_text() {
    let call = |arguments: &str| Mode::Call {
        tool: "t".into(),
        server: None,
        arguments: Arguments::parse(arguments).unwrap(),
    };
    check(json!({"tool": "t", "args": "{\"n\": 1.0}"}), call("{\"n\": 1.0}"));
    check(json!({"tool": "t", "args": {"a": [1]}}), call("{\"a\":[1]}"));
    check(json!({"tool": "t", "args": "  "}), call("{}"));
}

#[test]
fn adapter_13_3_bad_arguments_name_what_they_are() {
    let code = ErrorCode::InvalidArguments;
    check_refused(json!({"tool": "t", "args": "[1]"}), code, "args must be a JSON object, not an array");
    check_refused(json!({"tool": "t", "args": 7}), code, "args must be a JSON object, not a number");
    check_refused(
        json!({"tool": "t", "args": "{a"}),
        code,
        "args is no valid JSON: key must be a string at line 1 column 2",
    );
}

#[test]
fn adapter_13_3_misplaced_parameters_are_refused() {
    let code = ErrorCode::InvalidRequest;
    check_refused(json!({"args": {"search": "x"}}), code, "args alone asks for nothing");
    check_refused(json!({"tool": "t", "path": "/x"}), code, "parameter \"path\" is none of mcp");
    check_refused(json!({"query": "x"}), code, "parameter \"query\" is none of mcp");
    check_refused(json!({"action": "auth-start", "server": "s"}), code, "action is not offered here");
}

#[test]
fn a_parameter_of_another_kind_is_refused() {
    let code = ErrorCode::InvalidRequest;
    check_refused(json!({"search": 5}), code, "search must be a string, not a number");
    check_refused(json!({"search": "x", "limit": "5"}), code, "limit must be a number, not a string");
    check_refused(json!({"search": "x", "regex": 1}), code, "regex must be true or false, not a number");
}

#[test]
fn adapter_15_limit_and_offset_are_clamped_to_whole_numbers() {
    check(
        json!({"search": "x", "limit": 0, "offset": -3, "includeSchemas": false, "regex": true}),
        Mode::Search(SearchRequest { limit: 1, include_schemas: false, regex: true, ..search("x") }),
    );
    check(
        json!({"search": "x", "limit": 2.9, "offset": 4.0}),
        Mode::Search(SearchRequest { limit: 2, offset: 4, ..search("x") }),
    );
}
