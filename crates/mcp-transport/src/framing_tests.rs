//! Lines come out whole, whatever the reads were.

use proptest::prelude::*;

use super::*;

/// Feeds the bytes in parts and gives what comes out.
fn frames(limit: usize, parts: impl IntoIterator<Item = Vec<u8>>) -> Vec<Frame> {
    let mut framer = Framer::new(limit);
    let mut out = Vec::new();
    for part in parts {
        framer.space().extend_from_slice(&part);
        out.extend(std::iter::from_fn(|| framer.next()));
    }
    out.extend(framer.rest());
    out
}

fn line(text: &str) -> Frame {
    Frame::Line(BytesMut::from(text))
}

#[test]
fn a_rest_without_newline_is_a_line() {
    assert_eq!(frames(100, [b"a\nb".to_vec()]), [line("a"), line("b")]);
}

#[test]
fn p3_an_oversized_line_costs_only_itself() {
    let reply = format!(r#"{{"jsonrpc":"2.0","id":5,"result":"{}"}}"#, "x".repeat(10_000));
    let stream = format!("before\n{reply}\nafter\n");
    let parts: Vec<Vec<u8>> = stream.as_bytes().chunks(64).map(<[u8]>::to_vec).collect();
    let expected = [
        line("before"),
        Frame::Oversized { bytes: reply.len(), id: Some(RequestId::Number(5)) },
        line("after"),
    ];
    assert_eq!(frames(1_000, parts), expected);
    assert_eq!(frames(1_000, [stream.into_bytes()]), expected);
}

#[test]
fn the_id_of_a_reply_is_found_at_either_end() {
    let number = |number| Some(RequestId::Number(number));
    let rows = [
        (r#"{"jsonrpc":"2.0","id":5,"result":{"a":1}}"#, number(5)),
        (r#"{"id": "abc" , "result": []}"#, Some(RequestId::String("abc".into()))),
        (r#"{"result":{"id":1},"id":-7}"#, number(-7)),
        (r#"{"result":{"id":1}, "id": 8, "jsonrpc": "2.0"} "#, number(8)),
        (r#"{"result":{"deep":{"id":1}}}"#, None),
        (r#"{"result":{"text":"\"id\":3}"}}"#, None),
        (r#"{"result":{"x":1},"id":4,"other":"x"}"#, None),
        (r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#, None),
        (r#"{"method":"x","id":5}"#, None),
        (r#"{"id":5,"method":"x","params":{}}"#, None),
        ("", None),
        ("[]", None),
    ];
    for (text, expected) in rows {
        assert_eq!(reply_id(text.as_bytes(), text.as_bytes()), expected, "{text}");
    }
}

proptest! {
    #[test]
    fn any_split_gives_the_same_frames(
        lines in prop::collection::vec("[a-z\u{e4} {}\"]{0,40}", 0..12),
        cuts in prop::collection::vec(1_usize..9, 1..20),
        limit in 4_usize..60,
    ) {
        let mut stream = lines.join("\n").into_bytes();
        stream.push(b'\n');
        let whole = frames(limit, [stream.clone()]);
        let mut parts = Vec::new();
        let mut rest = &stream[..];
        let mut cut = cuts.iter().cycle();
        while !rest.is_empty() {
            let (part, after) = rest.split_at((*cut.next().unwrap()).min(rest.len()));
            parts.push(part.to_vec());
            rest = after;
        }
        prop_assert_eq!(frames(limit, parts), whole);
    }

    #[test]
    fn no_bytes_break_the_search_for_an_id(head in prop::collection::vec(any::<u8>(), 0..200), tail in "[{}\":,id0-9\\\\ a-z]{0,60}") {
        let _ = reply_id(&head, tail.as_bytes());
        let _ = reply_id(tail.as_bytes(), &head);
    }
}
