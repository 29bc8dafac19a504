use tokio::io::{AsyncReadExt as _, DuplexStream, ReadHalf, WriteHalf};

use super::*;

const PING: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";

struct Client {
    stream: DuplexStream,
    transport: LineTransport<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>,
}

fn connected(limit: usize) -> Client {
    let (client, server) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(server);
    Client { stream: client, transport: LineTransport::bounded(reader, writer, limit) }
}

/// Sends a bad line and a ping; gives what was answered and whether the ping came through.
async fn answers(limit: usize, bytes: &[u8]) -> (String, bool) {
    let mut client = connected(limit);
    client.stream.write_all(bytes).await.unwrap();
    client.stream.write_all(PING.as_bytes()).await.unwrap();
    let pinged = client.transport.receive().await.is_some();
    client.transport.close().await.unwrap();
    drop(client.transport);
    let mut text = String::new();
    client.stream.read_to_string(&mut text).await.unwrap();
    (text, pinged)
}

async fn check(limit: usize, bytes: &[u8], expected: &str) {
    let (text, pinged) = answers(limit, bytes).await;
    assert_eq!((text.trim_end(), pinged), (expected, true));
}

#[tokio::test]
async fn a_line_that_is_no_json_is_answered_and_skipped() {
    check(
        1000,
        b"{\"jsonrpc\": nope\n",
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"the line is no JSON"}}"#,
    )
    .await;
}

#[tokio::test]
async fn p_004_a_bad_request_is_answered_under_its_id() {
    check(
        1000,
        b"{\"jsonrpc\":\"1.0\",\"id\":\"a\",\"method\":\"ping\"}\n",
        r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"the line is no JSON-RPC message"}}"#,
    )
    .await;
}

#[tokio::test]
async fn p_006_a_batch_is_refused() {
    check(
        1000,
        format!("[{}]\n", PING.trim_end()).as_bytes(),
        r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"the line is no JSON-RPC message"}}"#,
    )
    .await;
}

#[tokio::test]
async fn a_line_over_the_limit_is_answered_and_the_next_one_read() {
    let mut long = vec![b' '; 20_000];
    long.push(b'\n');
    check(
        100,
        &long,
        r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"a message may have at most 100 bytes"}}"#,
    )
    .await;
}

#[tokio::test]
async fn blank_lines_carriage_returns_and_a_byte_order_mark_are_no_problem() {
    let ping = PING.replace('\n', "\r\n");
    check(1000, format!("\n  \r\n\u{feff}{ping}").as_bytes(), "").await;
}

#[tokio::test]
async fn a_line_cut_by_a_cancelled_read_is_not_lost() {
    let mut client = connected(1000);
    let (start, rest) = PING.split_at(10);
    client.stream.write_all(start.as_bytes()).await.unwrap();
    assert!(futures::poll!(std::pin::pin!(client.transport.receive())).is_pending());
    client.stream.write_all(rest.as_bytes()).await.unwrap();
    assert!(client.transport.receive().await.is_some());
}
