//! Messages out of JSON bodies, matched with the request they answer.

use rmcp::model::{JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use serde_json::value::RawValue;

use crate::classify::{Failure, FailureClass};
use crate::convert::{message_from_text, same_id};
use crate::wire::Shape;

/// What a request waits for.
#[derive(Debug, Clone)]
pub(super) enum Expected {
    /// The response to `initialize`, which rmcp itself must understand.
    Handshake(RequestId),
    /// Any other response.
    Reply(RequestId),
}

impl Expected {
    pub(super) const fn id(&self) -> &RequestId {
        match self {
            Self::Handshake(id) | Self::Reply(id) => id,
        }
    }

    pub(super) const fn handshake(&self) -> Option<&RequestId> {
        match self {
            Self::Handshake(id) => Some(id),
            Self::Reply(_) => None,
        }
    }
}

/// One message that answers a request, with the id of that request.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) message: ServerJsonRpcMessage,
    /// The result as it was written, of a handshake alone: the message holds all others as they were written.
    pub(super) handshake: Option<Box<RawValue>>,
}

/// The messages of one JSON body.
#[derive(Debug)]
pub(super) enum Reply {
    One(Box<Answer>),
    /// An array, as one early revision of the protocol allowed.
    Batch(Vec<ServerJsonRpcMessage>),
}

/// Reads a body. `None` means that it holds no message; a message that cannot be the answer is a failure.
pub(super) fn json_reply(body: &str, expected: &Expected) -> Option<Result<Reply, Failure>> {
    if !body.trim_start().starts_with('[') {
        return Some(answer(body, expected)?.map(|answer| Reply::One(Box::new(answer))));
    }
    let parts: Vec<&RawValue> = serde_json::from_str(body).ok()?;
    if let Expected::Handshake(_) = expected {
        let mut answers = parts.iter().filter_map(|part| answer(part.get(), expected)?.ok());
        return Some(answers.next().map(|answer| Reply::One(Box::new(answer))).ok_or_else(wrong_reply));
    }
    let messages: Option<Vec<_>> = parts.iter().map(|part| message_from_text(part.get(), None)).collect();
    let messages = messages.filter(|messages| !messages.is_empty())?;
    let answered = messages.iter().any(|message| answers(message, expected));
    Some(if answered { Ok(Reply::Batch(messages)) } else { Err(wrong_reply()) })
}

/// Reads one message as the answer to a request.
pub(super) fn answer(text: &str, expected: &Expected) -> Option<Result<Answer, Failure>> {
    let mut message = message_from_text(text, expected.handshake())?;
    if !answers(&message, expected) {
        return Some(Err(wrong_reply()));
    }
    // An error may name no request or a made-up one, and a number may come back as text. This body answers this
    // request and no other.
    let mut handshake = None;
    match &mut message {
        JsonRpcMessage::Response(response) => {
            response.id = expected.id().clone();
            if expected.handshake().is_some()
                && let Some(Shape::Response { result, .. }) = Shape::parse(text)
            {
                handshake = Some(result.to_owned());
            }
        }
        JsonRpcMessage::Error(error) => error.id = Some(expected.id().clone()),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
    }
    Some(Ok(Answer { message, handshake }))
}

fn answers(message: &ServerJsonRpcMessage, expected: &Expected) -> bool {
    match message {
        JsonRpcMessage::Response(response) => same_id(expected.id(), &response.id),
        JsonRpcMessage::Error(_) => true,
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => false,
    }
}

fn wrong_reply() -> Failure {
    Failure::new(FailureClass::Protocol, "the server answered with a message that belongs to no request")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Option<Result<String, FailureClass>> {
        let reply = json_reply(body, &Expected::Reply(RequestId::Number(7)))?;
        Some(reply.map_err(|failure| failure.class).map(|reply| match reply {
            Reply::One(answer) => serde_json::to_string(&answer.message).unwrap(),
            Reply::Batch(messages) => serde_json::to_string(&messages).unwrap(),
        }))
    }

    #[test]
    fn a_result_travels_as_it_was_written() {
        let body = r#"{"jsonrpc":"2.0","id":"7","result":{"z":1.50,"a":[1e2]}}"#;
        assert_eq!(
            read(body),
            Some(Ok(r#"{"jsonrpc":"2.0","id":7,"result":"{\"z\":1.50,\"a\":[1e2]}"}"#.to_owned()))
        );
    }

    #[test]
    fn an_error_belongs_to_the_request_whatever_it_names() {
        for id in ["null", "\"server-error\"", "7", "8"] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32600,"message":"no"}}}}"#);
            let expect = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"no"}}"#;
            assert_eq!(read(&body), Some(Ok(expect.to_owned())), "{id}");
        }
    }

    #[test]
    fn a_foreign_reply_is_a_failure_and_rubbish_is_no_message() {
        assert_eq!(read(r#"{"jsonrpc":"2.0","id":8,"result":{}}"#), Some(Err(FailureClass::Protocol)));
        assert_eq!(read(r#"{"jsonrpc":"2.0","method":"x"}"#), Some(Err(FailureClass::Protocol)));
        for body in ["", "null", "{}", "[]", "<html>", r#"{"error_description":"x"}"#] {
            assert_eq!(read(body), None, "{body}");
        }
    }
}
