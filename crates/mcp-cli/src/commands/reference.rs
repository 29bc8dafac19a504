//! `wharf completions` and the hidden `wharf reference`.

use std::fmt::Write as _;

use clap::{Arg, ArgAction, Command, CommandFactory as _};
use clap_complete::Shell;

use crate::args::Cli;
use crate::exit::Exit;
use crate::printer::Printer;

/// Exit codes as the page shows them.
const EXIT_CODES: &[(u8, &str)] = &[
    (0, "done"),
    (1, "the tool reports a failure of its own"),
    (2, "wrong usage"),
    (3, "no such server or tool"),
    (4, "a sign-in is needed"),
    (5, "denied by policy or approval"),
    (6, "could not connect, or timed out"),
    (7, "the configuration holds errors"),
    (130, "interrupted"),
];

/// Prints the completions of a shell.
pub(super) fn completions(printer: Printer, shell: Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "wharf", &mut script);
    printer.raw(&script);
    Exit::Done
}

/// Prints all commands as Markdown.
pub(super) fn markdown(printer: Printer) -> Exit {
    printer.text(&page(&mut Cli::command()));
    Exit::Done
}

fn page(root: &mut Command) -> String {
    // Flags of all commands are handed down when the tree is built; the page shows them once.
    root.build();
    let mut text = String::from("# Command line\n\n");
    if let Some(about) = root.get_about() {
        let _written = writeln!(text, "{about}\n");
    }
    text.push_str(
        "Standard output holds the answer, standard error everything else.\n\n## Global options\n\n",
    );
    push_arguments(&mut text, root.get_arguments().filter(|argument| argument.is_global_set()));
    text.push_str("\n## Exit codes\n\n| Code | Meaning |\n|---|---|\n");
    for (code, meaning) in EXIT_CODES {
        let _written = writeln!(text, "| {code} | {meaning} |");
    }
    for command in root.get_subcommands() {
        push_command(&mut text, "wharf", command);
    }
    text
}

fn push_command(text: &mut String, parent: &str, command: &Command) {
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    let name = format!("{parent} {}", command.get_name());
    let children: Vec<&Command> =
        command.get_subcommands().filter(|child| child.get_name() != "help").collect();
    if children.is_empty() {
        let _written = writeln!(text, "\n## `{name}`\n");
        if let Some(about) = command.get_about() {
            let _written = writeln!(text, "{about}.\n");
        }
        let _written = writeln!(text, "```text\n{}\n```\n", usage(&name, command));
        push_arguments(text, command.get_arguments().filter(|argument| !argument.is_global_set()));
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    for child in children {
        push_command(text, &name, child);
    }
}

/// Gives one line of usage without the global options.
fn usage(name: &str, command: &Command) -> String {
    let mut line = name.to_owned();
    let own: Vec<&Arg> = command.get_arguments().filter(|argument| is_own(argument)).collect();
    if own.iter().any(|argument| !argument.is_positional()) {
        line.push_str(" [OPTIONS]");
    }
    for argument in own.iter().filter(|argument| argument.is_positional()) {
        let value = value_name(argument);
        let more = if takes_many(argument) { "..." } else { "" };
        let (open, close) = if argument.is_required_set() { ('<', '>') } else { ('[', ']') };
        let _written = write!(line, " {open}{value}{close}{more}");
    }
    line
}

fn is_own(argument: &Arg) -> bool {
    !argument.is_global_set() && !argument.is_hide_set() && !is_standard(argument)
}

/// Tells whether every command line has it.
fn is_standard(argument: &Arg) -> bool {
    matches!(argument.get_id().as_str(), "help" | "version")
}

fn push_arguments<'a>(text: &mut String, arguments: impl Iterator<Item = &'a Arg>) {
    let rows: Vec<&Arg> =
        arguments.filter(|argument| !argument.is_hide_set() && !is_standard(argument)).collect();
    if rows.is_empty() {
        return;
    }
    text.push_str("| Argument | Meaning |\n|---|---|\n");
    for argument in rows {
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let _written =
            writeln!(text, "| `{}` | {} |", spelled(argument).replace('|', "\\|"), help.replace('|', "\\|"));
    }
}

fn spelled(argument: &Arg) -> String {
    if argument.is_positional() {
        return value_name(argument);
    }
    let mut names: Vec<String> = argument.get_short().map(|short| format!("-{short}")).into_iter().collect();
    names.extend(argument.get_long().map(|long| format!("--{long}")));
    let name = names.join(", ");
    if takes_value(argument) { format!("{name} {}", value_name(argument)) } else { name }
}

fn takes_value(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::Set | ArgAction::Append)
}

fn takes_many(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::Append)
}

fn value_name(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    names.iter().map(clap::builder::Str::as_str).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_page_names_every_shown_command_and_no_hidden_one() {
        let page = page(&mut Cli::command());
        for command in ["call", "search", "config validate", "demo-server", "completions"] {
            assert!(page.contains(&format!("\n## `wharf {command}`\n")), "{command} is missing");
        }
        assert!(!page.contains("wharf reference") && !page.contains("`wharf help`"));
    }

    #[test]
    fn a_command_is_shown_with_its_own_arguments_alone() {
        let page = page(&mut Cli::command());
        let call = page.split("\n## `").find(|part| part.starts_with("wharf call`")).unwrap();
        assert!(
            call.contains("wharf call [OPTIONS] <TOOL> [KEY=VALUE]...") && !call.contains("--only-config"),
            "{call}"
        );
    }
}
