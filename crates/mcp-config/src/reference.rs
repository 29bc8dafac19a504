//! The reference page, made from the table of keys.

use std::fmt::Write as _;

use crate::keys::{KEYS, Key, Kind, Scope, Support, quoted};

const HEAD: &str = "\
# Configuration

<!-- Made by `cargo xtask gen` from the table of keys in crates/mcp-config. Do not edit. -->

A configuration file is JSON; comments, trailing commas and a byte order mark are fine. A mistake loses the entry it is
in, never its neighbours; `wharf config validate` names file, line and what to do, `wharf config show` says where each
value comes from.

## Files

Each file lays its words over those before it, field by field:

1. `~/.config/mcp/mcp.json`, `~/.agents/mcp.json`, `~/.agents/mcp/mcp.json`
2. `wharf.json` in `$WHARF_CONFIG_DIR`, else `$XDG_CONFIG_HOME/wharf`, else `~/.config/wharf`; `--config FILE` takes its
   place
3. `.mcp.json` of the project
4. `.wharf/wharf.json` of the project

`--only-config FILE` reads that file and no other. A file has at most 1 MiB.

Headers and tokens belong to one address, arguments, variables and directory to one command: when a later file changes
the address or the command, it does not inherit them. In matters of policy (`allow`, `approvals`, `approveTools`,
`approval`, `strict`) the files of a project only narrow what the user's files say.

## Variables

| Written | Means |
|---|---|
| `${NAME}`, `${env:NAME}`, `$env:NAME`, `{env:NAME}` | the variable |
| `${NAME:-text}` | the variable, or the text where it is unset or empty |
| `~`, `~/…` | the home directory, at the start of a command, an argument or a directory |
| `!!text` | a text that begins with `!`, in `env`, `headers` and tokens |

What a variable holds is not expanded again. `!command` in `env`, `headers` and tokens is known and not run yet.
";

/// Gives the reference page of all keys as Markdown.
pub fn reference_markdown() -> String {
    let mut page = HEAD.to_owned();
    let sections = [
        (Scope::Root, "Top of the file"),
        (Scope::Server, "A server"),
        (Scope::RateLimit, "`rateLimit` of a server"),
        (Scope::Setting, "`settings`"),
        (Scope::OutputGuard, "`outputGuard` of the settings"),
    ];
    for (scope, title) in sections {
        let _infallible =
            write!(page, "\n## {title}\n\n| Key | Takes | Default | Meaning |\n|---|---|---|---|\n");
        for key in KEYS.iter().filter(|key| key.scope == scope && key.support != Support::Later) {
            page.push_str(&row(key));
        }
        let later: Vec<String> = KEYS
            .iter()
            .filter(|key| key.scope == scope && key.support == Support::Later)
            .map(|key| format!("`{}`", key.name))
            .collect();
        if !later.is_empty() {
            let _infallible = write!(page, "\nKnown and not read by this version: {}.\n", later.join(", "));
        }
    }
    page
}

fn row(key: &Key) -> String {
    let default = if key.default.is_empty() { "–" } else { key.default };
    format!("| `{}` | {} | {default} | {} |\n", key.name, takes(key.kind), key.meaning)
}

fn takes(kind: Kind) -> String {
    if let Kind::Words(words) = kind { quoted(words) } else { kind.expected() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_every_key_and_its_tables_are_whole() {
        let page = reference_markdown();
        for key in KEYS {
            assert!(page.contains(&format!("`{}`", key.name)), "{}", key.name);
        }
        for line in page.lines().filter(|line| line.starts_with("| `")) {
            let columns = line.matches(" | ").count();
            assert!(columns == 3 || columns == 1, "{line}");
        }
    }
}
