//! A connector without processes: every dial opens an in-memory stream to a scripted server.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_transport::{
    ConnectRequest, Connector, EventSink, Failure, FailureClass, Session, SessionEvent, open_stream,
};
use mcp_types::BoxFuture;
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

use crate::script::{Script, ScriptHandle};
use crate::server::serve;

/// Bytes that may be under way in each direction.
const STREAM_BYTES: usize = 64 * 1024;

/// What happens to a dial.
#[derive(Debug, Clone, Default)]
enum DialPlan {
    #[default]
    Answer,
    Fail(Failure),
    FailTimes(u32, Failure),
    Hang,
}

/// What was dialled so far.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    dials: u64,
    live: u64,
    most_live: u64,
}

struct FakeServer {
    script: ScriptHandle,
    plan: DialPlan,
    counts: watch::Sender<Counts>,
}

/// A connector whose servers are scripts. Clones share everything.
#[derive(Clone, Default)]
pub struct FakeConnector {
    servers: Arc<Mutex<HashMap<String, FakeServer>>>,
    tasks: TaskTracker,
}

impl FakeConnector {
    /// A connector that knows no server yet; dialling an unknown one fails as unreachable.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a script behind a server name and gives the handle that steers it.
    pub fn serve(&self, server: &str, script: Script) -> ScriptHandle {
        let script = ScriptHandle::new(script);
        let entry = FakeServer {
            script: script.clone(),
            plan: DialPlan::default(),
            counts: watch::Sender::default(),
        };
        self.servers().insert(server.to_owned(), entry);
        script
    }

    /// Lets every dial of a server fail until [`FakeConnector::answer`].
    pub fn fail(&self, server: &str, failure: Failure) {
        self.set_plan(server, DialPlan::Fail(failure));
    }

    /// Lets the next dials of a server fail; later ones are answered.
    pub fn fail_times(&self, server: &str, times: u32, failure: Failure) {
        self.set_plan(server, DialPlan::FailTimes(times, failure));
    }

    /// Lets every dial of a server hang until [`FakeConnector::answer`]; dials that hang already stay so.
    pub fn hang(&self, server: &str) {
        self.set_plan(server, DialPlan::Hang);
    }

    /// Lets dials of a server be answered again.
    pub fn answer(&self, server: &str) {
        self.set_plan(server, DialPlan::Answer);
    }

    /// Counts the dials of a server, failed ones included.
    pub fn dials(&self, server: &str) -> u64 {
        self.counts(server).dials
    }

    /// Counts the sessions of a server that are open now.
    pub fn live(&self, server: &str) -> u64 {
        self.counts(server).live
    }

    /// Gives the largest number of sessions of a server that were open at the same time.
    pub fn most_live(&self, server: &str) -> u64 {
        self.counts(server).most_live
    }

    /// Waits until a server was dialled so often.
    pub async fn wait_for_dials(&self, server: &str, dials: u64) {
        self.wait(server, |counts| counts.dials >= dials).await;
    }

    /// Waits until so many sessions of a server are open.
    pub async fn wait_for_live(&self, server: &str, live: u64) {
        self.wait(server, |counts| counts.live == live).await;
    }

    async fn wait(&self, server: &str, reached: impl FnMut(&Counts) -> bool) {
        let receiver = self.servers().get(server).map(|server| server.counts.subscribe());
        if let Some(mut receiver) = receiver {
            drop(receiver.wait_for(reached).await);
        }
    }

    fn counts(&self, server: &str) -> Counts {
        self.servers().get(server).map(|server| *server.counts.borrow()).unwrap_or_default()
    }

    fn set_plan(&self, server: &str, plan: DialPlan) {
        if let Some(server) = self.servers().get_mut(server) {
            server.plan = plan;
        }
    }

    fn servers(&self) -> MutexGuard<'_, HashMap<String, FakeServer>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a dial and decides what becomes of it.
    fn dial(&self, server: &str) -> (DialPlan, Option<Dialled>) {
        let mut servers = self.servers();
        let Some(entry) = servers.get_mut(server) else {
            let message = format!("server `{server}` is not scripted");
            return (DialPlan::Fail(Failure::new(FailureClass::Unreachable, message)), None);
        };
        entry.counts.send_modify(|counts| counts.dials += 1);
        let dialled = Dialled {
            script: entry.script.clone(),
            connection: entry.counts.borrow().dials,
            counts: entry.counts.clone(),
        };
        let plan = match &mut entry.plan {
            DialPlan::FailTimes(0, _) => DialPlan::Answer,
            DialPlan::FailTimes(left, failure) => {
                *left -= 1;
                DialPlan::Fail(failure.clone())
            }
            plan @ (DialPlan::Answer | DialPlan::Fail(_) | DialPlan::Hang) => plan.clone(),
        };
        (plan, Some(dialled))
    }
}

struct Dialled {
    script: ScriptHandle,
    connection: u64,
    counts: watch::Sender<Counts>,
}

impl Connector for FakeConnector {
    fn connect(&self, mut request: ConnectRequest) -> BoxFuture<'static, Result<Session, Failure>> {
        let connector = self.clone();
        Box::pin(async move {
            let (plan, dialled) = connector.dial(request.spec.server.as_str());
            match (plan, dialled) {
                (DialPlan::Hang, _) => std::future::pending().await,
                (DialPlan::Fail(failure) | DialPlan::FailTimes(_, failure), _) => Err(failure),
                (DialPlan::Answer, None) => {
                    Err(Failure::new(FailureClass::Unreachable, "the server is not scripted"))
                }
                (DialPlan::Answer, Some(dialled)) => {
                    let (ours, theirs) = tokio::io::duplex(STREAM_BYTES);
                    let (reader, writer) = tokio::io::split(theirs);
                    connector.tasks.spawn(serve(dialled.script, dialled.connection, reader, writer));
                    let life = Arc::new(Life { stage: Mutex::default(), counts: dialled.counts });
                    request.events = watched(request.events, Arc::clone(&life));
                    let (reader, writer) = tokio::io::split(ours);
                    let session = open_stream(request, reader, writer).await?;
                    life.began();
                    Ok(session)
                }
            }
        })
    }
}

impl fmt::Debug for FakeConnector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers = self.servers();
        let counts = servers.iter().map(|(name, server)| (name, *server.counts.borrow()));
        formatter.debug_map().entries(counts).finish()
    }
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Stage {
    #[default]
    Opening,
    Live,
    Ended,
}

/// Follows one session, so that it is counted exactly once, also when it ends before its opener hears of it.
struct Life {
    stage: Mutex<Stage>,
    counts: watch::Sender<Counts>,
}

impl Life {
    fn began(&self) {
        if self.replace(Stage::Opening, Stage::Live) {
            self.counts.send_modify(|counts| {
                counts.live += 1;
                counts.most_live = counts.most_live.max(counts.live);
            });
        }
    }

    fn ended(&self) {
        if self.replace(Stage::Live, Stage::Ended) {
            self.counts.send_modify(|counts| counts.live = counts.live.saturating_sub(1));
        } else {
            self.replace(Stage::Opening, Stage::Ended);
        }
    }

    fn replace(&self, from: Stage, to: Stage) -> bool {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let matches = *stage == from;
        if matches {
            *stage = to;
        }
        matches
    }
}

fn watched(events: EventSink, life: Arc<Life>) -> EventSink {
    EventSink::new(move |event| {
        if matches!(event, SessionEvent::Ended(_)) {
            life.ended();
        }
        events.send(event);
    })
}
