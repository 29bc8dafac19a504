//! `wharf demo`: the whole of Wharf in one walk, with nothing but this program.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio_util::sync::CancellationToken;
use wharf::{CallTarget, Environment, Error, ErrorCode, Runtime, SearchQuery, ServerDefinition};

use super::{Outcome, SHUTDOWN_GRACE, call, search, show};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::signals::Ending;

/// Characters of JSON that make about one token for a model.
const CHARS_PER_TOKEN: usize = 4;
/// What a client says to a gateway to learn its tools.
const LIST_TOOLS: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"wharf-demo","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    "\n",
);
/// How much of a result the walk shows.
const SHOWN_LINES: usize = 6;

pub(super) async fn run(settings: &Settings) -> Outcome {
    // Before anything is made, so that an interrupt leaves nothing.
    let mut ending = Ending::listen();
    let home = tempfile::Builder::new().prefix("wharf-demo-").tempdir().map_err(|error| {
        Error::new(ErrorCode::FileAccess, format!("no place for a temporary directory: {error}"))
    })?;
    let runtime = open(home.path()).await?;
    let walk = Walk { printer: settings.printer, runtime: &runtime };
    let start = now();
    let outcome = tokio::select! {
        walked = walk.all() => walked,
        () = ending.asked() => Err(Error::new(ErrorCode::Cancelled, "interrupted")),
    };
    runtime.shutdown(SHUTDOWN_GRACE).await;
    let removed = home.close();
    outcome?;
    walk.farewell(now().duration_since(start), removed.is_ok());
    Ok(Exit::Done)
}

async fn open(home: &std::path::Path) -> Result<Runtime, Error> {
    let program = std::env::current_exe()
        .map_err(|error| Error::new(ErrorCode::FileAccess, format!("cannot find this program: {error}")))?;
    let environment = Environment::new(Environment::from_process().vars, home);
    Runtime::builder()
        .environment(environment)
        .cache_dir(home.join("cache"))
        .server("demo", ServerDefinition::stdio(program.to_string_lossy()).args(["demo-server"]))?
        .build()
        .await
}

#[expect(clippy::disallowed_methods, reason = "the binary tells how long its own walk took")]
fn now() -> Instant {
    Instant::now()
}

struct Walk<'a> {
    printer: Printer,
    runtime: &'a Runtime,
}

impl Walk<'_> {
    async fn all(&self) -> Result<(), Error> {
        self.say("Wharf puts any number of MCP servers behind one small tool. This walk mounts one built-in server.\n");
        self.asleep();
        self.learn().await?;
        self.find()?;
        self.describe()?;
        self.call_tools().await?;
        self.change().await?;
        self.snapshot();
        Ok(())
    }

    fn farewell(&self, took: Duration, removed: bool) {
        let left = if removed { "the server has ended, nothing is left" } else { "the server has ended" };
        self.say(&format!("Done in {} ms; {left}.", took.as_millis()));
        self.say("Next: put your servers into .mcp.json and run `wharf list`, or give `wharf serve` to your agent.");
    }

    fn asleep(&self) {
        self.step("status", "Configured servers sleep: no process runs until one is needed.");
        self.show(&show::status_text(&self.runtime.status()));
    }

    async fn learn(&self) -> Result<(), Error> {
        self.step("connect demo", "The first use starts the server and remembers what it offers.");
        let listing = self.runtime.connect("demo").await?;
        let definitions: usize = listing.tools.iter().map(|tool| tool.raw().get().len()).sum();
        self.show(&format!(
            "{} tools, {} resources, {} prompts. Their definitions would cost a model about {} tokens in every turn;\n\
            the one `mcp` tool costs about {}, and stays under 350 with twenty servers.",
            listing.tools.len(),
            listing.resources.len(),
            listing.prompts.len(),
            definitions / CHARS_PER_TOKEN,
            gateway_definition_bytes(self.runtime).await? / CHARS_PER_TOKEN,
        ));
        Ok(())
    }

    fn find(&self) -> Result<(), Error> {
        self.step("search \"add numbers\"", "Search answers from the catalogue; it starts nothing.");
        let query = SearchQuery { limit: 3, ..SearchQuery::new("add numbers") };
        let page = self.runtime.search(&query)?;
        self.show(&search::as_text(&query, &page, false));
        Ok(())
    }

    fn describe(&self) -> Result<(), Error> {
        self.step("describe demo_add", "A model reads one tool when it needs it.");
        let target = CallTarget { server: None, tool: "demo_add".to_owned() };
        let tool = self.runtime.resolve(&target)?;
        self.show(&show::description_text(&tool, self.runtime.requires_approval(&tool)));
        Ok(())
    }

    async fn call_tools(&self) -> Result<(), Error> {
        self.call("demo_echo", json!({"message": "hello"}), "A call goes straight to the server's session.")
            .await?;
        self.call("demo_add", json!({"a": 19, "b": 23}), "Structured results are kept as they are.").await?;
        self.call("demo_picture", json!({}), "Pictures pass; the command line saves them.").await?;
        self.call(
            "demo_blob",
            json!({"lines": 5_000}),
            "A huge result is cut for the model and kept whole in a file.",
        )
        .await?;
        self.call(
            "demo_fail",
            json!({"message": "as asked"}),
            "A tool's own failure is an answer, not a breakdown.",
        )
        .await
    }

    async fn call(&self, tool: &str, arguments: Value, meaning: &str) -> Result<(), Error> {
        self.step(&format!("call {tool}"), meaning);
        let answer = self.runtime.call_tool(tool, arguments).await?;
        let text = call::as_text(&answer, self.runtime.results_dir().as_deref());
        let mark = if answer.output.is_error { "isError: " } else { "" };
        self.show(&format!("{mark}{}", shortened(&text)));
        Ok(())
    }

    async fn change(&self) -> Result<(), Error> {
        self.step("call demo_grow", "A server may change its tools; the roster follows in one step.");
        let before = self.runtime.roster().tools().count();
        let mut changes = self.runtime.subscribe();
        self.runtime.call_tool("demo_grow", json!({})).await?;
        let grown = async {
            while self.runtime.roster().tools().count() <= before {
                if changes.next().await.is_none() {
                    return;
                }
            }
        };
        if tokio::time::timeout(Duration::from_secs(1), grown).await.is_err() {
            self.printer.note("the change was not seen in time");
        }
        self.show(&format!("{before} tools before, {} now", self.runtime.roster().tools().count()));
        Ok(())
    }

    fn snapshot(&self) {
        self.step("status", "One snapshot tells the truth about every server.");
        self.show(&show::status_text(&self.runtime.status()));
    }

    fn step(&self, command: &str, meaning: &str) {
        self.say(&format!("$ wharf {command}\n  # {meaning}"));
    }

    fn show(&self, text: &str) {
        let indented: Vec<String> =
            text.trim_end().lines().map(|line| format!("  {line}").trim_end().to_owned()).collect();
        self.say(&(indented.join("\n") + "\n"));
    }

    fn say(&self, text: &str) {
        self.printer.text(text);
    }
}

/// Asks a gateway before this runtime what a model would carry of it.
async fn gateway_definition_bytes(runtime: &Runtime) -> Result<usize, Error> {
    let (client, gateway) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(gateway);
    let end = CancellationToken::new();
    let serving = mcp_gateway::serve_stream(runtime.clone(), reader, writer, "demo", end.clone());
    let asking = async {
        let (reader, mut writer) = tokio::io::split(client);
        let mut lines = BufReader::new(reader).lines();
        writer.write_all(LIST_TOOLS.as_bytes()).await?;
        while let Some(line) = lines.next_line().await? {
            let message: Value = serde_json::from_str(&line).unwrap_or_default();
            if let Some(tool) = message.pointer("/result/tools/0") {
                return Ok(tool.to_string().len());
            }
        }
        Err(std::io::Error::other("the gateway left"))
    };
    let (asked, _served) = tokio::join!(
        async {
            let asked = tokio::time::timeout(Duration::from_secs(1), asking).await;
            end.cancel();
            asked
        },
        serving,
    );
    asked
        .map_err(|_| Error::new(ErrorCode::Timeout, "the gateway did not answer"))?
        .map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))
}

/// Keeps the first lines and the last one of a long text.
fn shortened(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= SHOWN_LINES {
        return text.to_owned();
    }
    let head = lines.iter().take(2).copied().collect::<Vec<_>>().join("\n");
    format!("{head}\n… {} more lines …\n{}", lines.len() - 3, lines.last().copied().unwrap_or_default())
}
