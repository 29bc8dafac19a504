//! Nothing is lost on the passage through rmcp.

use proptest::prelude::*;
use rmcp::model::GetMeta;
use serde_json::json;

use super::*;

/// What a caller gets of a reply that went through the text form.
fn through(text: &str) -> String {
    let message: ServerJsonRpcMessage = serde_json::from_str(&wrap_result(text)).unwrap();
    let JsonRpcMessage::Response(response) = message else { panic!("no response: {message:?}") };
    result_text(response.result)
}

#[test]
fn p_058_a_document_with_line_breaks_goes_out_on_one_line() {
    let params =
        RawObject::parse("params", "{\"name\": \"a\",\r\n \"arguments\": {\n  \"text\": \"two\\nlines\"\n}}")
            .unwrap();
    let request = ClientJsonRpcMessage::request(
        ClientRequest::CustomRequest(folded_request("tools/call", &params)),
        RequestId::Number(1),
    );
    let line = encode(&request).unwrap();
    assert!(!line.contains(['\n', '\r']), "{line:?}");
    let sent: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(sent["params"]["arguments"]["text"], "two\nlines");
}

#[test]
fn p7_p9_results_of_any_shape_pass_untouched() {
    let results = [
        "{}",
        "null",
        "\"text\"",
        "[1,2]",
        r#"{"content":[],"tools":[]}"#,
        r#"{"tools":[{"name":"a","execution":{"taskSupport":"optional"},"futureField":1.50}]}"#,
        r#"{"content":[{"type":"hologram"}],"n":12345678901234567890123}"#,
        r#"{"resultType":"complete"}"#,
    ];
    for result in results {
        let text = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{result}}}"#);
        assert_eq!(through(&text), result);
        let Some(JsonRpcMessage::Response(response)) = message_from_text(&text, None) else {
            panic!("{text}")
        };
        assert_eq!((response.id, result_text(response.result)), (RequestId::Number(7), result.to_owned()));
    }
}

#[test]
fn what_rmcp_must_understand_stays_as_it_is() {
    let untouched = [
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#,
        "no message at all",
    ];
    for text in untouched {
        assert!(matches!(wrap_result(text), Cow::Borrowed(same) if same == text), "{text}");
    }
}

#[test]
fn p10_a_question_of_any_shape_arrives_whole() {
    let params = r#"{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"object","x":1.0}}},"n":1.50}"#;
    let text = format!(r#"{{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{params}}}"#);
    let by_text: ServerJsonRpcMessage = serde_json::from_str(&wrap_result(&text)).unwrap();
    for message in [by_text, message_from_text(&text, None).unwrap()] {
        let JsonRpcMessage::Request(request) = message else { panic!("no request") };
        let ServerRequest::CustomRequest(custom) = request.request else { panic!("not folded") };
        let (method, unfolded) = unfold(&custom.method, custom.params.as_ref());
        assert_eq!((method.as_str(), unfolded.unwrap().get()), ("elicitation/create", params));
    }
}

#[test]
fn a_request_goes_out_as_written_with_the_meta_of_both_sides() {
    let mut params = RawObject::default();
    params.insert("name", to_raw("t"));
    params.insert("arguments", serde_json::from_str(r#"{"big":12345678901234567890123,"f":1.50}"#).unwrap());
    params.insert("_meta", to_raw(&json!({"traceparent": "x", "progressToken": "mine"})));
    let mut request = folded_request("tools/call", &params);
    request
        .get_meta_mut()
        .set_progress_token(rmcp::model::ProgressToken(rmcp::model::NumberOrString::Number(4)));
    let message = JsonRpcMessage::request(ClientRequest::CustomRequest(request), RequestId::Number(9));
    assert_eq!(
        encode(&message).unwrap(),
        r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"t","arguments":{"big":12345678901234567890123,"f":1.50},"_meta":{"traceparent":"x","progressToken":4}}}"#
    );
}

#[test]
fn an_answer_to_the_server_goes_out_as_written() {
    let answer: Box<RawValue> = serde_json::from_str(r#"{"action":"accept","content":{"n":1.50}}"#).unwrap();
    let message = JsonRpcMessage::response(
        ClientResult::CustomResult(folded_result(&answer)),
        RequestId::String("q".into()),
    );
    assert_eq!(
        encode(&message).unwrap(),
        r#"{"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{"n":1.50}}}"#
    );
}

#[test]
fn a_handshake_that_leaves_things_out_is_completed() {
    let text =
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"a"}}}"#;
    let Some(JsonRpcMessage::Response(response)) = message_from_text(text, Some(&RequestId::Number(0)))
    else {
        panic!("no response")
    };
    assert!(matches!(response.result, ServerResult::InitializeResult(_)));
}

#[test]
fn an_error_of_any_shape_is_read() {
    let read = |error: &str| {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{error}}}"#);
        let Some(JsonRpcMessage::Error(error)) = message_from_text(&text, None) else { panic!("{text}") };
        (error.error.code.0, error.error.message.into_owned())
    };
    assert_eq!(read(r#"{"code":-32602,"message":"bad","data":{}}"#), (-32602, "bad".to_owned()));
    assert_eq!(read(r#"{"code":99999999999,"message":"far"}"#), (-32603, "far".to_owned()));
    assert_eq!(read(r#""just text""#), (-32603, "just text".to_owned()));
}

proptest! {
    #[test]
    fn any_result_passes_untouched(value in any_json()) {
        let result = value.to_string();
        let text = format!(r#"{{"id":1,"jsonrpc":"2.0","result":{result}}}"#);
        prop_assert_eq!(through(&text), result);
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[a-zA-Z_]{1,8}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}
