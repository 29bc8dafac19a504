//! Lists in pages, and streams that misbehave.

use std::time::Duration;

use serde_json::{Value, json};

use crate::classify::{Failure, FailureClass};
use crate::session::Listed;
use crate::test_support::{Server, Setup};

/// Answers each page request with what `page` gives for its cursor, until the client is content.
async fn serve_pages(server: &mut Server, mut page: impl FnMut(Option<&str>) -> Value) {
    loop {
        let request = server.receive().await;
        let result = page(request["params"]["cursor"].as_str());
        server.reply(&request["id"], &result).await;
    }
}

async fn list(
    setup: Setup,
    page: impl FnMut(Option<&str>) -> Value,
) -> Result<Listed<mcp_types::ToolSpec>, Failure> {
    let (session, mut server) = setup.open().await;
    tokio::select! {
        listed = session.list_tools() => listed,
        () = serve_pages(&mut server, page) => panic!("the client has left"),
    }
}

fn names(listed: &Listed<mcp_types::ToolSpec>) -> Vec<&str> {
    listed.items.iter().map(|tool| tool.name().as_str()).collect()
}

#[tokio::test]
async fn pages_are_read_to_the_end_and_an_empty_cursor_is_a_cursor() {
    let listed = list(Setup::default(), |cursor| match cursor {
        None => json!({"tools": [{"name": "a"}], "nextCursor": ""}),
        Some("") => json!({"tools": [{"name": "b"}], "nextCursor": "x"}),
        Some(_) => json!({"tools": [{"name": "c"}], "nextCursor": null}),
    });
    let listed = listed.await.unwrap();
    assert_eq!(names(&listed), ["a", "b", "c"]);
    assert_eq!(listed.diagnostics, []);
}

#[tokio::test]
async fn p2_a_cursor_that_comes_again_is_a_failure() {
    let mut pages = 0;
    let failure = list(Setup::default(), |_| {
        pages += 1;
        json!({"tools": [{"name": "a"}], "nextCursor": "same"})
    });
    let failure = failure.await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Protocol);
    assert_eq!(pages, 2);
}

#[tokio::test]
async fn p2_a_list_without_end_is_cut() {
    let mut setup = Setup::default();
    setup.spec.limits.max_pages = 5;
    let mut page = 0;
    let listed = list(setup, |_| {
        page += 1;
        json!({"tools": [{"name": format!("t{page}")}], "nextCursor": page.to_string()})
    });
    let listed = listed.await.unwrap();
    assert_eq!(listed.items.len(), 5);
    assert_eq!(listed.diagnostics[0].message, "tools/list has more than 5 pages; the rest is not used");

    let mut setup = Setup::default();
    setup.spec.limits.max_items = 3;
    let listed =
        list(setup, |_| json!({"tools": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}]}));
    let listed = listed.await.unwrap();
    assert_eq!(names(&listed), ["a", "b", "c"]);
    assert_eq!(listed.diagnostics[0].code, "list_truncated");
}

#[tokio::test(start_paused = true)]
async fn a_listing_as_a_whole_is_bounded_in_time() {
    let mut setup = Setup::default();
    setup.spec.timeouts.max_total = Duration::from_mins(1);
    let (session, mut server) = setup.open().await;
    let serving = async {
        for page in 0.. {
            let request = server.receive().await;
            tokio::time::sleep(Duration::from_secs(20)).await;
            server.reply(&request["id"], &json!({"tools": [], "nextCursor": page.to_string()})).await;
        }
    };
    let failure = tokio::select! {
        listed = session.list_tools() => listed.unwrap_err(),
        () = serving => panic!("it never ends"),
    };
    assert_eq!(failure.class, FailureClass::Timeout);
}

#[tokio::test]
async fn p9_a_bad_item_costs_only_itself() {
    let listed = list(
        Setup::default(),
        |_| json!({"tools": [{"name": "a", "future": 1}, {"title": "nameless"}, 7, {"name": ""}, {"name": "b"}]}),
    );
    let listed = listed.await.unwrap();
    assert_eq!(names(&listed), ["a", "b"]);
    assert_eq!(listed.items[0].raw().get(), r#"{"name":"a","future":1}"#);
    assert_eq!(listed.diagnostics.len(), 3);
    assert_eq!(listed.diagnostics[0].server.as_deref(), Some("demo"));
}

#[tokio::test]
async fn a_page_without_its_list_is_a_failure() {
    let failure = list(Setup::default(), |_| json!({"items": []})).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Protocol);
    assert_eq!(failure.message, "server `demo`: tools/list has no \"tools\"");
}

#[tokio::test]
async fn what_is_not_declared_is_not_asked_for_and_an_unknown_list_is_empty() {
    let (session, mut server) =
        Setup { capabilities: json!({"resources": {}}), ..Setup::default() }.open().await;
    assert_eq!(session.list_tools().await.unwrap(), Listed::default());
    assert_eq!(session.list_prompts().await.unwrap(), Listed::default());
    let serving = async {
        let request = server.receive().await;
        assert_eq!(request["method"], "resources/templates/list");
        let error = json!({"code": -32601, "message": "no"});
        server.send(&json!({"jsonrpc": "2.0", "id": request["id"], "error": error})).await;
    };
    let (listed, ()) = tokio::join!(session.list_resource_templates(), serving);
    assert_eq!(listed.unwrap(), Listed::default());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_reads_no_more_ends_the_session() {
    let setup = Setup::default();
    let (ours, theirs) = tokio::io::duplex(1024);
    let (silent_reader, _keeps_open) = tokio::io::duplex(64);
    let (_, writer) = tokio::io::split(ours);
    drop(theirs);
    let failure = crate::stream::open_stream(setup.request(), silent_reader, writer).await.unwrap_err();
    assert_eq!(failure, Failure::lost());
}
