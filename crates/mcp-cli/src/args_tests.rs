use std::path::Path;
use std::time::Duration;

use clap::error::ErrorKind;

use super::*;

fn parse(line: &str) -> Result<Cli, ErrorKind> {
    let words = std::iter::once("wharf").chain(line.split_whitespace());
    Cli::try_parse_from(words).map_err(|error| error.kind())
}

#[test]
fn global_flags_stand_before_and_after_the_command() {
    for line in ["--json -q --timeout 1.5 --cwd sub status", "status --json -q --timeout 1.5 --cwd sub"] {
        let global = parse(line).unwrap().global;
        assert!(global.json && global.quiet, "{line}");
        assert_eq!(global.timeout, Some(Duration::from_millis(1_500)), "{line}");
        assert_eq!(global.cwd.as_deref(), Some(Path::new("sub")), "{line}");
    }
}

#[test]
fn verbose_counts() {
    assert_eq!(parse("-vv status").unwrap().global.verbose, 2);
}

#[test]
fn a_call_takes_pairs_in_their_order() {
    let Command::Call(call) = parse("call s/t a=1 b:=[2] --args @x.json --server s").unwrap().command else {
        panic!("not a call");
    };
    assert_eq!(
        (call.tool.as_str(), call.args.as_deref(), call.server.as_deref()),
        ("s/t", Some("@x.json"), Some("s"))
    );
    assert_eq!(call.pairs, ["a=1", "b:=[2]"]);
}

#[test]
fn a_lone_dash_is_standard_input() {
    let Command::Call(call) = parse("call t --args -").unwrap().command else { panic!("not a call") };
    assert_eq!(call.args.as_deref(), Some("-"));
}

#[test]
fn serve_is_over_standard_streams_unless_an_address_is_given() {
    let rows = [("serve", None), ("serve --stdio", None), ("serve --http 127.0.0.1:0", Some("127.0.0.1:0"))];
    for (line, expected) in rows {
        let Command::Serve(serve) = parse(line).unwrap().command else { panic!("not serve") };
        assert_eq!(serve.http, expected.map(|text| text.parse().unwrap()), "{line}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let rows = [
        ("", ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand),
        ("call", ErrorKind::MissingRequiredArgument),
        ("search", ErrorKind::MissingRequiredArgument),
        ("serve --stdio --http 127.0.0.1:0", ErrorKind::ArgumentConflict),
        ("serve --http nonsense", ErrorKind::ValueValidation),
        ("--config a --only-config b status", ErrorKind::ArgumentConflict),
        ("--timeout 0 status", ErrorKind::ValueValidation),
        ("--timeout -1 status", ErrorKind::UnknownArgument),
        ("--timeout nan status", ErrorKind::ValueValidation),
        ("completions nonsense", ErrorKind::InvalidValue),
        ("frobnicate", ErrorKind::InvalidSubcommand),
    ];
    for (line, expected) in rows {
        assert_eq!(parse(line).map(|_| ()), Err(expected), "{line:?}");
    }
}

#[test]
fn every_documented_command_parses() {
    let lines = [
        "list",
        "list s",
        "status",
        "describe t",
        "instructions s",
        "connect s",
        "reconnect",
        "reconnect s",
        "resources",
        "read s uri",
        "prompts s",
        "prompt s n k=v",
        "config show",
        "config show s",
        "config validate",
        "config schema",
        "demo",
        "demo-server",
        "demo-server --http 127.0.0.1:0",
        "completions bash",
        "reference",
        "search two words --server s --limit 3 --offset 3 --regex --schemas",
    ];
    for line in lines {
        assert!(parse(line).is_ok(), "{line}");
    }
}
