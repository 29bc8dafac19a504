//! What loading gives: servers, settings, findings and the files they came from. Immutable.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use mcp_types::{Diagnostic, Place, Secret, ServerName, Severity};

use crate::interpolate::Dialect;
use crate::redact;
use crate::settings::Settings;
use crate::source::Layer;

/// A configured text that may be, or name, a secret. Raw: variables are not replaced yet.
pub type SecretText = Secret<String>;

/// All configuration at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConfigSnapshot {
    /// The usable servers, in the order of their first appearance.
    pub servers: Vec<ServerEntry>,
    /// The settings.
    pub settings: Settings,
    /// Everything worth telling, by file and line.
    pub diagnostics: Vec<Diagnostic>,
    /// Every file that was looked for, lowest precedence first.
    pub files: Vec<FileReport>,
}

impl ConfigSnapshot {
    /// Gives the entry of a server.
    pub fn server(&self, name: &str) -> Option<&ServerEntry> {
        self.servers.iter().find(|entry| entry.name.as_str() == name)
    }

    /// Tells whether an entry or a file is not used because of a mistake in it.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// One file that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReport {
    /// The file.
    pub path: PathBuf,
    /// Its place in the order of precedence.
    pub layer: Layer,
    /// What became of it.
    pub state: FileState,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileState {
    /// It is used and names this many servers.
    Loaded {
        /// The number of server names in it, good and bad.
        servers: usize,
    },
    /// It is not there.
    Absent,
    /// It is there and cannot be read.
    Unreadable,
    /// It does not parse. Nothing in it is used.
    Malformed,
}

impl FileState {
    /// Gives the state in one word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Loaded { .. } => "loaded",
            Self::Absent => "absent",
            Self::Unreadable => "unreadable",
            Self::Malformed => "malformed",
        }
    }
}

/// One usable server. Texts are raw; [`crate::interpolate`] replaces variables when the server is lowered.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerEntry {
    /// The name: the key of its entry.
    pub name: ServerName,
    /// How it is reached.
    pub transport: TransportEntry,
    /// When it is started and how long it stays.
    pub lifecycle: Lifecycle,
    /// Minutes without a call after which it is closed; 0 is never, `None` the default of its lifecycle.
    pub idle_timeout_minutes: Option<f64>,
    /// How long a request may be silent; progress resets it.
    pub request_timeout: Option<Duration>,
    /// How long a start is waited for before callers hear that it is still starting.
    pub startup_timeout: Option<Duration>,
    /// How long a request may take in all.
    pub max_timeout: Option<Duration>,
    /// True: visible and never connected.
    pub disabled: bool,
    /// True: a failed mount of it is a failure of the whole.
    pub required: bool,
    /// Whether its resources become tools.
    pub expose_resources: Option<bool>,
    /// How the outward names of its tools begin.
    pub tool_prefix: Option<ToolPrefix>,
    /// Patterns of the tools to show; empty shows all.
    pub include_tools: Vec<String>,
    /// Patterns of tools to hide, applied after `include_tools`.
    pub exclude_tools: Vec<String>,
    /// Further search words by tool pattern.
    pub search_keywords: Vec<(String, Vec<String>)>,
    /// The tools that ask for an approval; replaces the general list.
    pub approve_tools: Option<ApproveTools>,
    /// When its calls ask for an approval.
    pub approval: Option<Approval>,
    /// The most calls at once.
    pub max_in_flight: Option<usize>,
    /// The largest message accepted from it, in bytes.
    pub max_message_bytes: Option<usize>,
    /// The variable dialect of its texts.
    pub dialect: Dialect,
    /// The layer of the file that says how it is reached.
    pub layer: Layer,
    /// The entry that says how it is reached.
    pub source: Place,
    /// Where each written field comes from, by key.
    pub provenance: BTreeMap<String, Place>,
}

/// How a server is reached. `Debug` hides what may be secret.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum TransportEntry {
    /// A child process speaking over its standard streams.
    Stdio {
        /// The program: a name looked up in `PATH`, or a path. `~/` is the home directory.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables laid over the inherited environment.
        env: Vec<(String, SecretText)>,
        /// Its working directory.
        cwd: Option<String>,
        /// False: only the platform's own variables are inherited.
        inherit_env: bool,
    },
    /// A streamable HTTP endpoint.
    Http {
        /// The address. It may hold a secret in its user part or query.
        url: String,
        /// Headers of every request.
        headers: Vec<(String, SecretText)>,
        /// The bearer token of every request.
        bearer: Option<SecretText>,
        /// The variable that holds the bearer token, where `bearer` is absent.
        bearer_env: Option<String>,
    },
}

impl fmt::Debug for TransportEntry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio { command, args, env, cwd, inherit_env } => formatter
                .debug_struct("Stdio")
                .field("command", command)
                .field("args", &redact::arguments(args))
                .field("env", env)
                .field("cwd", cwd)
                .field("inherit_env", inherit_env)
                .finish(),
            Self::Http { url, headers, bearer, bearer_env } => formatter
                .debug_struct("Http")
                .field("url", &redact::url(url))
                .field("headers", headers)
                .field("bearer", bearer)
                .field("bearer_env", bearer_env)
                .finish(),
        }
    }
}

/// Defines a closed set of words once: the type, its words and the way back.
macro_rules! words {
    ($(#[$doc:meta])* $type:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type { $($(#[$variant_doc])* $variant),+ }

        impl $type {
            /// All words, in order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// Gives the word as it is written in a file.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            pub(crate) fn parse(text: &str) -> Option<Self> {
                match text { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}
pub(crate) use words;

words! {
    /// When a server is started and how long it stays.
    Lifecycle {
        /// Started by its first use, closed when idle.
        Lazy = "lazy",
        /// Started with the runtime.
        Eager = "eager",
        /// Started with the runtime and again whenever it ends.
        KeepAlive = "keep-alive",
        /// Started by its first use, then kept.
        LazyKeepAlive = "lazy-keep-alive",
    }
}

words! {
    /// When the calls of a server ask for an approval. Ordered: a later word asks more often.
    Approval {
        /// Never.
        Never = "never",
        /// Where the settings say so.
        Policy = "policy",
        /// For each call.
        Always = "always",
    }
}

words! {
    /// How the outward names of tools begin.
    ToolPrefix {
        /// With the name of the server.
        Server = "server",
        /// With the name of the server less a trailing `-mcp`.
        Short = "short",
        /// With nothing.
        None = "none",
        /// With `mcp__` and the name of the server.
        Mcp = "mcp",
    }
}

/// Which tools ask for an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApproveTools {
    /// All of them.
    All,
    /// None of them.
    None,
    /// Those that match a pattern.
    Matching(Vec<String>),
}
