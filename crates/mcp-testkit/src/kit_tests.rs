//! The fakes do what their scripts say.

use std::sync::Arc;
use std::time::Duration;

use mcp_transport::{
    BaseEnv, ClientInfo, ConnectRequest, ConnectSpec, Connector, EventSink, Failure, FailureClass,
    ProtocolEra, RequestOptions, Session, SessionEvent, StdioSpec, Timeouts, TransportLimits, TransportSpec,
};
use mcp_types::{Arguments, Epoch, Host, ServerName, ToolName};
use serde_json::json;
use tokio::sync::watch;

use crate::server::serve;
use crate::{Answer, FakeConnector, FakeHost, FaultPlan, FaultTransport, Script, ScriptHandle};

fn request(host: &FakeHost, events: EventSink) -> ConnectRequest {
    let spec = ConnectSpec {
        server: ServerName::new("demo").unwrap(),
        transport: TransportSpec::Stdio(StdioSpec {
            command: "none".to_owned(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: None,
            base_env: Arc::new(BaseEnv::default()),
        }),
        timeouts: Timeouts::default(),
        limits: TransportLimits::default(),
        client: ClientInfo { name: "tests".to_owned(), version: "1".to_owned() },
        era: ProtocolEra::Legacy,
    };
    let host: Arc<dyn Host> = Arc::new(host.clone());
    ConnectRequest { spec: Arc::new(spec), epoch: Epoch::new(1), events, host }
}

async fn dial(connector: &FakeConnector) -> Result<Session, Failure> {
    connector.connect(request(&FakeHost::new(), EventSink::ignore())).await
}

async fn call(session: &Session, tool: &str) -> Result<String, Failure> {
    let options = RequestOptions { timeout: Some(Duration::from_secs(5)), ..RequestOptions::default() };
    let output = session.call_tool(&ToolName::new(tool).unwrap(), &Arguments::empty(), options).await?;
    Ok(output.joined_text())
}

#[tokio::test(start_paused = true)]
async fn answers_come_as_scripted() {
    let connector = FakeConnector::new();
    let second = Duration::from_secs(1);
    let script = Script::new()
        .simple_tool("echo")
        .simple_tool("slow")
        .answer("slow", Answer::text("slept").after(second))
        .simple_tool("stray")
        .answer("stray", Answer::WrongIdFirst(Box::new(Answer::text("right"))))
        .simple_tool("steps")
        .answer("steps", Answer::Progress(3, Box::new(Answer::text("stepped"))))
        .simple_tool("late")
        .answer("late", Answer::Late(second * 10, Box::new(Answer::text("late"))))
        .simple_tool("twice")
        .answer("twice", Answer::Twice(Box::new(Answer::text("once"))))
        .simple_tool("hang")
        .answer("hang", Answer::Hang)
        .simple_tool("exit")
        .answer("exit", Answer::Exit)
        .page_size(3)
        .instructions("be kind");
    let handle = connector.serve("demo", script);
    let session = dial(&connector).await.unwrap();
    assert_eq!(session.facts().instructions.as_deref(), Some("be kind"));
    assert_eq!(session.list_tools().await.unwrap().items.len(), 8);
    assert_eq!(handle.requests("tools/list"), 3);
    for (tool, text) in
        [("echo", "{}"), ("slow", "slept"), ("stray", "right"), ("steps", "stepped"), ("twice", "once")]
    {
        assert_eq!(call(&session, tool).await.unwrap(), text);
    }
    for tool in ["late", "hang"] {
        assert_eq!(call(&session, tool).await.unwrap_err().class, FailureClass::Timeout);
    }
    handle.wait_for_cancelled(2).await;
    tokio::time::sleep(second * 10).await;
    assert!(matches!(
        call(&session, "unknown").await.unwrap_err().class,
        FailureClass::Refused { code: -32602, .. }
    ));
    assert_eq!(session.dropped_replies(), 3);
    assert_eq!(call(&session, "exit").await.unwrap_err().class, FailureClass::Closed);
    assert_eq!(handle.calls().len(), 9);
}

#[tokio::test(start_paused = true)]
async fn dials_and_live_sessions_are_counted() {
    let connector = FakeConnector::new();
    let handle = connector.serve("demo", Script::new());
    let refused = Failure::new(FailureClass::Unreachable, "no");
    connector.fail_times("demo", 2, refused.clone());
    for _ in 0..2 {
        assert_eq!(dial(&connector).await.unwrap_err(), refused);
    }
    let (one, two) = (dial(&connector).await.unwrap(), dial(&connector).await.unwrap());
    assert_eq!((connector.dials("demo"), connector.live("demo")), (4, 2));
    one.close(Duration::ZERO).await;
    assert_eq!(connector.live("demo"), 1);
    handle.disconnect();
    connector.wait_for_live("demo", 0).await;
    assert!(two.is_closed());
    assert_eq!(connector.most_live("demo"), 2);
    connector.hang("demo");
    let hung = tokio::time::timeout(Duration::from_secs(9), dial(&connector)).await;
    assert!(hung.is_err());
    assert_eq!(connector.dials("demo"), 5);
}

#[tokio::test(start_paused = true)]
async fn a_host_is_asked_and_a_notification_is_pushed() {
    let connector = FakeConnector::new();
    let question = json!({"message": "sure?"});
    let script = Script::new()
        .simple_tool("ask")
        .answer("ask", Answer::Ask { method: "elicitation/create".to_owned(), params: question.clone() });
    let handle = connector.serve("demo", script);
    let host = FakeHost::new().elicit(json!({"action": "decline"})).thinking(Duration::from_hours(1));
    let (told, mut events) = watch::channel(0);
    let sink = EventSink::new(move |event| {
        if matches!(event, SessionEvent::ListChanged(_)) {
            told.send_modify(|count| *count += 1);
        }
    });
    let session = connector.connect(request(&host, sink)).await.unwrap();
    assert!(call(&session, "ask").await.unwrap().contains("decline"));
    assert_eq!(host.asked_elicitations(), [(ServerName::new("demo").unwrap(), question.to_string())]);
    handle.list_changed();
    events.wait_for(|count| *count == 1).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_session_bears_a_bad_stream() {
    let plan = FaultPlan {
        split: Some(7),
        delay: Some(Duration::from_millis(1)),
        garbage: b"npm warn deprecated\n\xff\n".to_vec(),
        half_close_after: None,
    };
    let (ours, theirs) = tokio::io::duplex(512);
    let (reader, writer) = tokio::io::split(theirs);
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(serve(ScriptHandle::new(Script::new().simple_tool("echo")), 1, reader, writer));
    let (reader, writer) = tokio::io::split(FaultTransport::new(ours, plan));
    let request = request(&FakeHost::new(), EventSink::ignore());
    let session = mcp_transport::open_stream(request, reader, writer).await.unwrap();
    assert_eq!(call(&session, "echo").await.unwrap(), "{}");
    assert_eq!(session.noise_lines(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_half_closed_stream_ends_the_session() {
    let (ours, theirs) = tokio::io::duplex(4096);
    let (reader, writer) = tokio::io::split(theirs);
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(serve(ScriptHandle::new(Script::new().simple_tool("echo")), 1, reader, writer));
    let plan = FaultPlan { half_close_after: Some(300), ..FaultPlan::default() };
    let (reader, writer) = tokio::io::split(FaultTransport::new(ours, plan));
    let request = request(&FakeHost::new(), EventSink::ignore());
    let session = mcp_transport::open_stream(request, reader, writer).await.unwrap();
    let failure = session.list_tools().await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Closed);
}
