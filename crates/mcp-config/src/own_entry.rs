//! Recognising an entry that would start Wharf itself: the one that other programs need, and Wharf must not mount.

/// Programs that start the program named by their arguments.
const LAUNCHERS: &[&str] = &[
    "bash",
    "bun",
    "bunx",
    "cargo",
    "cmd",
    "dash",
    "deno",
    "env",
    "fish",
    "mise",
    "nice",
    "nohup",
    "npm",
    "npx",
    "pnpm",
    "pnpx",
    "powershell",
    "pwsh",
    "sh",
    "stdbuf",
    "sudo",
    "uv",
    "uvx",
    "yarn",
    "zsh",
];

/// Tells whether a command would start this gateway.
pub(crate) fn starts_wharf(command: &str, args: &[String]) -> bool {
    let serves = |words: &[&str]| words.contains(&"serve");
    let args: Vec<&str> = args.iter().flat_map(|argument| argument.split_whitespace()).collect();
    if is_wharf(command) {
        return serves(&args);
    }
    if !LAUNCHERS.contains(&program(command).as_str()) {
        return false;
    }
    match args.iter().position(|argument| is_wharf(argument)) {
        Some(position) => args.get(position..).is_some_and(serves),
        None => false,
    }
}

fn is_wharf(word: &str) -> bool {
    // A package may carry a version: wharf@1.2.
    let name = program(word);
    name == "wharf" || name.strip_prefix("wharf@").is_some()
}

/// Gives the name of a program without directory, quotation marks and the suffix of Windows.
fn program(word: &str) -> String {
    let word = word.trim_matches(['"', '\'']);
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word).to_ascii_lowercase();
    let name = name.strip_suffix(".exe").or_else(|| name.strip_suffix(".cmd")).unwrap_or(&name);
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fc_own_entry_is_recognised_behind_launchers() {
        let rows: [(&str, &[&str], bool); 11] = [
            ("wharf", &["serve"], true),
            ("/opt/bin/wharf", &["--config", "x", "serve", "--stdio"], true),
            ("C:\\bin\\Wharf.exe", &["serve"], true),
            ("npx", &["-y", "wharf@latest", "serve"], true),
            ("sh", &["-c", "exec ~/bin/wharf serve"], true),
            ("env", &["A=b", "wharf", "serve"], true),
            ("wharf", &["demo-server"], false),
            ("wharf-tools", &["serve"], false),
            ("other", &["wharf", "serve"], false),
            ("npx", &["serve", "wharf"], false),
            ("node", &["server.js"], false),
        ];
        for (command, args, expected) in rows {
            let args: Vec<String> = args.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(starts_wharf(command, &args), expected, "{command} {args:?}");
        }
    }
}
