//! The command line as clap sees it. No decision is made here.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

/// Mounts MCP servers and puts them behind one small tool.
#[derive(Debug, Parser)]
#[command(name = "wharf", version, about, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Read FILE in place of your own wharf.json
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Read FILE and no other configuration
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "config")]
    pub(crate) only_config: Option<PathBuf>,
    /// Work as if started in DIR
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Answer in JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Tell only the answer and errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Tell more on standard error; twice tells everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Seconds that a request may be silent
    #[arg(long, global = true, value_name = "SECS", value_parser = seconds)]
    pub(crate) timeout: Option<std::time::Duration>,
    /// Never colour
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Call one tool and print what it returns
    Call(Call),
    /// Find tools by words; starts nothing but on the very first use
    Search(Search),
    /// Show one tool: what it does and what it takes
    Describe(Tool),
    /// List servers and their tools; starts nothing but on the very first use
    List(OptionalServer),
    /// Tell the state of every server; connects nothing
    Status,
    /// Show what a server says about its own use
    Instructions(Server),
    /// Connect a server and list what it offers
    Connect(Server),
    /// Close and connect again, one server or all that are enabled
    Reconnect(OptionalServer),
    /// List resources
    Resources(OptionalServer),
    /// Read one resource
    Read(Read),
    /// List prompts
    Prompts(OptionalServer),
    /// Get one prompt
    Prompt(Prompt),
    /// Be an MCP server in front of all mounted ones
    Serve(Serve),
    /// Look at the configuration
    #[command(subcommand)]
    Config(Config),
    /// See what Wharf does, with nothing but this program
    Demo,
    /// Be the MCP server that the demo mounts
    DemoServer(DemoServer),
    /// Print shell completions
    Completions(Completions),
    /// Print this reference as Markdown
    #[command(hide = true)]
    Reference,
}

/// `wharf call`
#[derive(Debug, Args)]
pub(crate) struct Call {
    /// The tool: its outward name, or SERVER/TOOL
    #[arg(value_name = "TOOL")]
    pub(crate) tool: String,
    /// Arguments: key=text, or key:=JSON; each takes the place of an earlier one and of a member of --args
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) pairs: Vec<String>,
    /// All arguments as a JSON object, as @FILE, or - for standard input
    #[arg(long, value_name = "JSON|@FILE|-")]
    pub(crate) args: Option<String>,
    /// The server, when the tool's own name is given
    #[arg(long, value_name = "SERVER")]
    pub(crate) server: Option<String>,
}

/// `wharf search`
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// The words, or the pattern with --regex
    #[arg(value_name = "QUERY", required = true)]
    pub(crate) query: Vec<String>,
    /// Only tools of this server
    #[arg(long, value_name = "SERVER")]
    pub(crate) server: Option<String>,
    /// The most hits to print
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub(crate) limit: usize,
    /// Hits to leave out at the start
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: usize,
    /// Take the query as a regular expression over names and descriptions
    #[arg(long)]
    pub(crate) regex: bool,
    /// Show what each tool takes
    #[arg(long)]
    pub(crate) schemas: bool,
}

/// A tool.
#[derive(Debug, Args)]
pub(crate) struct Tool {
    /// The tool: its outward name, or SERVER/TOOL
    #[arg(value_name = "TOOL")]
    pub(crate) tool: String,
    /// The server, when the tool's own name is given
    #[arg(long, value_name = "SERVER")]
    pub(crate) server: Option<String>,
}

/// A server.
#[derive(Debug, Args)]
pub(crate) struct Server {
    /// The server
    #[arg(value_name = "SERVER")]
    pub(crate) server: String,
}

/// A server or all.
#[derive(Debug, Args)]
pub(crate) struct OptionalServer {
    /// The server; all without it
    #[arg(value_name = "SERVER")]
    pub(crate) server: Option<String>,
}

/// `wharf read`
#[derive(Debug, Args)]
pub(crate) struct Read {
    /// The server
    #[arg(value_name = "SERVER")]
    pub(crate) server: String,
    /// The resource
    #[arg(value_name = "URI")]
    pub(crate) uri: String,
}

/// `wharf prompt`
#[derive(Debug, Args)]
pub(crate) struct Prompt {
    /// The server
    #[arg(value_name = "SERVER")]
    pub(crate) server: String,
    /// The prompt
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Its arguments
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) pairs: Vec<String>,
}

/// `wharf serve`
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Serve one client on standard input and output; the default
    #[arg(long, conflicts_with = "http")]
    pub(crate) stdio: bool,
    /// Serve over streamable HTTP on this loopback address, such as 127.0.0.1:8377
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<std::net::SocketAddr>,
}

/// `wharf demo-server`
#[derive(Debug, Args)]
pub(crate) struct DemoServer {
    /// Serve over streamable HTTP on this loopback address
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<std::net::SocketAddr>,
}

/// `wharf config`
#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Print every value and where it comes from; secrets are hidden
    Show(OptionalServer),
    /// Check all files; exit code 7 when one holds an error
    Validate,
    /// Print the JSON Schema of the configuration
    Schema,
}

/// `wharf completions`
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("{text:?} is no number of seconds"))?;
    if seconds <= 0.0 {
        return Err("the time must be above zero".to_owned());
    }
    std::time::Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;
