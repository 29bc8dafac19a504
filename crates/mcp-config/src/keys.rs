//! Every key a file may hold: the one source of the reference page, the schema and the suggestions.

use crate::near::nearest;
use crate::settings::Approvals;
use crate::snapshot::{Approval, Lifecycle, ToolPrefix};

/// Where a key stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// At the top of a file.
    Root,
    /// In the entry of a server.
    Server,
    /// In `settings`.
    Setting,
    /// In `rateLimit` of a server.
    RateLimit,
    /// In `settings.outputGuard`.
    OutputGuard,
}

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A text.
    Text,
    /// A text that is or names a secret.
    Secret,
    /// A text, or a list whose first text is the command and whose others are arguments.
    Command,
    /// A list of texts.
    Texts,
    /// An object of texts that may be secrets.
    Secrets,
    /// An object of lists of texts.
    TextLists,
    /// `true` or `false`.
    Switch,
    /// A number of minutes, 0 or more.
    Minutes,
    /// A number of seconds above 0.
    Seconds,
    /// A number of milliseconds above 0.
    Milliseconds,
    /// A whole number above 0.
    Count,
    /// One of these words.
    Words(&'static [&'static str]),
    /// `"bearer"`, `"oauth"` or `false`.
    Auth,
    /// `true`, `false` or a list of tool patterns.
    Approve,
    /// `true`, `false` or an object with the keys of a scope.
    SwitchOr(Scope),
    /// An object with the keys of a scope.
    Object(Scope),
    /// An object whose values have the keys of a scope.
    Entries(Scope),
    /// Anything: the key is not read by this version.
    Any,
}

/// What this version does with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Support {
    /// It is read.
    Read,
    /// It is read as this other key.
    Alias(&'static str),
    /// It is known and not read yet; a file that holds it gets a diagnostic.
    Later,
}

/// One key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Key {
    /// Where it stands.
    pub scope: Scope,
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Its default as a person reads it; empty where there is none.
    pub default: &'static str,
    /// What it means, in one sentence.
    pub meaning: &'static str,
    /// What this version does with it.
    pub support: Support,
}

const fn key(
    scope: Scope,
    name: &'static str,
    kind: Kind,
    default: &'static str,
    meaning: &'static str,
) -> Key {
    Key { scope, name, kind, default, meaning, support: Support::Read }
}

const fn alias(scope: Scope, name: &'static str, kind: Kind, of: &'static str, meaning: &'static str) -> Key {
    Key { scope, name, kind, default: "", meaning, support: Support::Alias(of) }
}

const fn later(scope: Scope, name: &'static str, meaning: &'static str) -> Key {
    Key { scope, name, kind: Kind::Any, default: "", meaning, support: Support::Later }
}

use Kind::{Count, Milliseconds, Minutes, Seconds, Switch, Text, Texts};
use Scope::{OutputGuard, RateLimit, Root, Server, Setting};

/// Every key, in the order of the reference page.
pub const KEYS: &[Key] = &[
    key(Root, "$schema", Text, "", "The schema of the file, for editors."),
    key(Root, "mcpServers", Kind::Entries(Server), "{}", "The servers by name."),
    alias(Root, "mcp-servers", Kind::Entries(Server), "mcpServers", "Another spelling of `mcpServers`."),
    alias(Root, "servers", Kind::Entries(Server), "mcpServers", "Another spelling of `mcpServers`."),
    key(Root, "settings", Kind::Object(Setting), "{}", "What holds for all servers."),
    later(Root, "imports", "Other programs whose files are read as well."),
    later(Root, "claudePlugins", "Plugin directories whose servers are read as well."),
    //
    key(Server, "command", Kind::Command, "", "The program of a local server: a name in `PATH` or a path."),
    key(Server, "args", Texts, "[]", "Arguments of the program."),
    key(Server, "env", Kind::Secrets, "{}", "Variables of the program, laid over the inherited ones."),
    key(Server, "inheritEnv", Switch, "true", "False: only the variables of the platform are inherited."),
    key(Server, "cwd", Text, "the working directory of Wharf", "The working directory of the program."),
    key(Server, "url", Text, "", "The address of a remote server, `http` or `https`."),
    alias(Server, "serverUrl", Text, "url", "Another spelling of `url`."),
    alias(Server, "httpUrl", Text, "url", "Another spelling of `url`."),
    alias(Server, "uri", Text, "url", "Another spelling of `url`."),
    key(
        Server,
        "type",
        Kind::Words(&["stdio", "http", "streamable-http", "sse", "socket"]),
        "by `command` or `url`",
        "How the server is reached; it must agree with `command` or `url`. `sse` and `socket` are not supported yet.",
    ),
    key(Server, "headers", Kind::Secrets, "{}", "Headers of every request."),
    key(Server, "auth", Kind::Auth, "", "How to sign in. `oauth` is not supported yet."),
    key(Server, "bearerToken", Kind::Secret, "", "The bearer token of every request."),
    alias(Server, "bearer", Kind::Secret, "bearerToken", "Short for `auth: \"bearer\"` and `bearerToken`."),
    key(
        Server,
        "bearerTokenEnv",
        Text,
        "",
        "The variable that holds the bearer token, where `bearerToken` is absent.",
    ),
    key(
        Server,
        "lifecycle",
        Kind::Words(Lifecycle::WORDS),
        "lazy",
        "When the server starts and how long it stays: started by its first use and closed when idle, started with the runtime, kept running always, or kept running from its first use.",
    ),
    key(
        Server,
        "idleTimeout",
        Minutes,
        "by `lifecycle`",
        "Minutes without a call after which it is closed; 0 is never.",
    ),
    key(
        Server,
        "timeout",
        Seconds,
        "30",
        "Seconds a request may be silent; progress resets it. In files shared with other programs 1000 and more are milliseconds.",
    ),
    key(
        Server,
        "requestTimeoutMs",
        Milliseconds,
        "30000",
        "The same in milliseconds; it wins over `timeout`.",
    ),
    key(Server, "maxTimeoutMs", Milliseconds, "600000", "Milliseconds a request may take in all."),
    key(
        Server,
        "startupTimeoutMs",
        Milliseconds,
        "60000",
        "Milliseconds a start is waited for before callers hear that it is still starting.",
    ),
    key(Server, "disabled", Switch, "false", "True: the server is shown and never connected."),
    key(
        Server,
        "enabled",
        Switch,
        "true",
        "False: the same as `disabled: true`, as other programs write it.",
    ),
    key(Server, "required", Switch, "false", "True: when it cannot be mounted, mounting as a whole fails."),
    key(Server, "exposeResources", Switch, "by the setting", "Whether its resources become tools."),
    key(
        Server,
        "toolPrefix",
        Kind::Words(ToolPrefix::WORDS),
        "by the setting",
        "How the outward names of its tools begin.",
    ),
    key(Server, "includeTools", Texts, "[]", "Patterns of the tools to show; empty shows all."),
    key(Server, "excludeTools", Texts, "[]", "Patterns of tools to hide; they win over `includeTools`."),
    key(Server, "searchKeywords", Kind::TextLists, "{}", "Further search words by tool pattern."),
    key(
        Server,
        "approval",
        Kind::Words(Approval::WORDS),
        "policy",
        "When its calls ask for an approval: never, where lists and settings say so, or always.",
    ),
    key(
        Server,
        "approveTools",
        Kind::Approve,
        "by the setting",
        "Patterns of the tools that ask for an approval; they replace the general list.",
    ),
    key(Server, "rateLimit", Kind::Object(RateLimit), "", "How much the server may be asked."),
    key(Server, "maxMessageBytes", Count, "67108864", "The largest message accepted from it, in bytes."),
    later(Server, "socket", "A unix socket the server listens on."),
    later(Server, "requestHeadersCommand", "A command that gives the headers of each request."),
    later(Server, "caFile", "Certificates to trust for this server."),
    later(Server, "oauth", "How to sign in with OAuth."),
    later(Server, "bearerTokenStore", "Whether the bearer token is in the credential store."),
    later(Server, "protocolVersion", "The protocol revision to speak."),
    later(Server, "tasks", "Whether tools may run as tasks."),
    later(Server, "directTools", "Tools offered beside the one `mcp` tool."),
    later(Server, "shared", "Whether one process serves several sessions."),
    later(Server, "debug", "Whether its standard error is shown."),
    later(Server, "trace", "Whether its traffic is recorded."),
    later(Server, "httpTransport", "The kind of HTTP transport."),
    later(Server, "pluginDataDir", "The data directory of a plugin."),
    later(Server, "literalEnv", "Whether variables are taken as they are written."),
    //
    key(RateLimit, "maxInFlight", Count, "64", "The most calls at once."),
    later(RateLimit, "perSecond", "The most calls each second."),
    later(RateLimit, "burst", "How many calls may come at once after a pause."),
    //
    key(
        Setting,
        "toolPrefix",
        Kind::Words(ToolPrefix::WORDS),
        "server",
        "How the outward names of tools begin.",
    ),
    key(
        Setting,
        "idleTimeout",
        Minutes,
        "10",
        "Minutes without a call after which a lazy server is closed; 0 is never.",
    ),
    key(
        Setting,
        "requestTimeoutMs",
        Milliseconds,
        "30000",
        "Milliseconds a request may be silent; progress resets it.",
    ),
    key(Setting, "exposeResources", Switch, "true", "Whether resources become tools."),
    key(
        Setting,
        "allow",
        Texts,
        "all tools",
        "Patterns of the only tools that may be called. A project's file can only narrow it.",
    ),
    key(
        Setting,
        "approvals",
        Kind::Words(Approvals::WORDS),
        "off",
        "What `approval: \"policy\"` means where no list speaks: nothing is asked, or every tool that may change something is asked about.",
    ),
    key(
        Setting,
        "approveTools",
        Kind::Approve,
        "false",
        "Patterns of the tools that ask for an approval. A project's file can only add to it.",
    ),
    key(Setting, "outputGuard", Kind::SwitchOr(OutputGuard), "true", "The limits of what a model receives."),
    key(
        Setting,
        "strict",
        Switch,
        "false",
        "True: only servers defined by code or by `--only-config` are used.",
    ),
    later(Setting, "allowInstall", "Whether servers may be installed by a call."),
    later(Setting, "deferWithMissingMetadata", "Whether a start waits while nothing is known of a server."),
    later(Setting, "hostConfigDiscovery", "Whether files of other programs are looked for."),
    later(Setting, "projectServers", "Whether servers of a project need a consent."),
    later(Setting, "ancestorConfigRoots", "Directories above a project whose files are read as well."),
    later(Setting, "agentPluginPaths", "Directories of agent plugins."),
    later(Setting, "oauthDir", "Where sign-ins are kept."),
    later(Setting, "oauthCredentialStore", "How sign-ins are kept."),
    later(Setting, "authRequiredMessage", "The text shown when a sign-in is needed."),
    later(Setting, "autoAuth", "Whether a sign-in starts by itself."),
    later(Setting, "directTools", "Tools offered beside the one `mcp` tool."),
    later(Setting, "namespaceProxyTools", "Whether each server gets a tool of its own."),
    later(Setting, "strictDirectToolArguments", "Whether arguments are checked against the schema."),
    later(Setting, "directToolResultDetails", "How much detail direct tools return."),
    later(Setting, "warnOnLargeDirectTools", "Whether many direct tools cause a warning."),
    later(Setting, "freezeDirectTools", "Whether direct tools stay as they are during a session."),
    later(Setting, "disableProxyTool", "Whether the one `mcp` tool is left out."),
    later(Setting, "scriptMode", "Whether scripts may call tools."),
    later(Setting, "jev", "Search by meaning with a remote service."),
    later(Setting, "sampling", "Whether servers may ask the model."),
    later(Setting, "samplingAutoApprove", "Whether such questions need no consent."),
    later(Setting, "elicitation", "Whether servers may ask the user."),
    later(Setting, "pinning", "What happens when a definition changes."),
    later(Setting, "trace", "Whether traffic is recorded."),
    later(Setting, "showStatusIcon", "A setting of a user interface."),
    later(Setting, "mcpFooterStatus", "A setting of a user interface."),
    later(Setting, "toolResultRendering", "A setting of a user interface."),
    later(Setting, "collapsedResultLines", "A setting of a user interface."),
    later(Setting, "notifyOnStartupConnect", "A setting of a user interface."),
    //
    key(OutputGuard, "maxBytes", Count, "51200", "The most bytes of text."),
    key(OutputGuard, "maxLines", Count, "2000", "The most lines of text."),
    later(OutputGuard, "detailsMaxBytes", "The most bytes of details."),
];

/// Keys that other programs write into the files they share. They mean nothing to Wharf.
const FOREIGN: &[&str] = &[
    "alwaysAllow",
    "alwaysLoad",
    "autoApprove",
    "autoStart",
    "deferTools",
    "description",
    "dev",
    "disabledTools",
    "enabledTools",
    "envFile",
    "gallery",
    "headersHelper",
    "icon",
    "inputs",
    "note",
    "projects",
    "roots",
    "sandbox",
    "sandboxEnabled",
    "tools",
    "trust",
    "version",
];

/// Finds a key.
pub(crate) fn find(scope: Scope, name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.scope == scope && key.name == name)
}

/// Tells whether a key belongs to another program.
pub(crate) fn is_foreign(name: &str) -> bool {
    FOREIGN.contains(&name)
}

/// Gives the key that was most likely meant.
pub(crate) fn suggestion(scope: Scope, name: &str) -> Option<&'static str> {
    nearest(name, KEYS.iter().filter(|key| key.scope == scope).map(|key| key.name))
}

impl Kind {
    /// Says what is taken, after "must be".
    pub(crate) fn expected(self) -> String {
        let text = match self {
            Self::Text | Self::Secret => "a text",
            Self::Command => "a text, or a list of texts that is not empty",
            Self::Texts => "a list of texts",
            Self::Secrets => "an object whose values are texts",
            Self::TextLists => "an object whose values are lists of texts",
            Self::Switch => "true or false",
            Self::Minutes => "a number of minutes, 0 or more",
            Self::Seconds => "a number of seconds above 0",
            Self::Milliseconds => "a number of milliseconds above 0",
            Self::Count => "a whole number above 0",
            Self::Words(words) => return format!("one of {}", quoted(words)),
            Self::Auth => "\"bearer\", \"oauth\" or false",
            Self::Approve => "true, false or a list of tool patterns",
            Self::SwitchOr(_) => "true, false or an object",
            Self::Object(_) | Self::Entries(_) => "an object",
            Self::Any => "anything",
        };
        text.to_owned()
    }
}

/// Joins words for a person.
pub(crate) fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_stands_twice_and_aliases_lead_to_read_keys() {
        for (index, key) in KEYS.iter().enumerate() {
            let twin =
                KEYS.iter().skip(index + 1).find(|other| other.scope == key.scope && other.name == key.name);
            assert_eq!(twin, None);
            assert!(key.meaning.ends_with('.'), "{}", key.name);
            if let Support::Alias(of) = key.support {
                assert_eq!(find(key.scope, of).map(|key| key.support), Some(Support::Read), "{}", key.name);
            }
            assert!(!is_foreign(key.name), "{}", key.name);
        }
    }

    #[test]
    fn t_cfg_02_a_slip_finds_the_key() {
        assert_eq!(suggestion(Server, "aproval"), Some("approval"));
        assert_eq!(suggestion(Server, "comand"), Some("command"));
        assert_eq!(suggestion(Root, "mcpServer"), Some("mcpServers"));
        assert_eq!(suggestion(Setting, "zzz"), None);
    }
}
