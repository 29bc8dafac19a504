//! What must be on the machine before the tests can run.

use anyhow::{Context as _, bail};

use crate::process::{command, probe};

/// On 18 server-everything fails over HTTP: it needs the global `crypto`.
const NODE: (u32, u32) = (20, 0);
const PYTHON: (u32, u32) = (3, 10);

/// The versions that were found, as the programs tell them.
#[derive(Debug)]
pub(super) struct Needs {
    pub(super) node: String,
    pub(super) python: String,
}

/// Looks for node, npm and python3. The error names what to install.
pub(super) fn find() -> anyhow::Result<Needs> {
    let node = version_of("node", NODE, "Node.js")?;
    probe(command("npm").arg("--version"))
        .context("the tests need npm, which comes with Node.js: install npm")?;
    let python = version_of("python3", PYTHON, "Python")?;
    if probe(command("python3").args(["-c", "import ensurepip, venv"])).is_none() {
        bail!(
            "the tests need the modules venv and ensurepip of python3: install them (Debian: python3-venv)"
        );
    }
    Ok(Needs { node, python })
}

fn version_of(program: &str, least: (u32, u32), product: &str) -> anyhow::Result<String> {
    let install = format!("install {product} {}.{} or later, with `{program}` on the PATH", least.0, least.1);
    let found = probe(command(program).arg("--version"))
        .with_context(|| format!("the tests need `{program}`, which does not run: {install}"))?;
    match parse(&found) {
        Some(version) if version >= least => Ok(found),
        _ => bail!("`{program} --version` says `{found}`, which is too old: {install}"),
    }
}

/// Reads the first two numbers: `v20.20.2`, `Python 3.11.7`.
fn parse(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim_start_matches(|letter: char| !letter.is_ascii_digit()).split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        assert_eq!(parse("v20.20.2"), Some((20, 20)));
        assert_eq!(parse("Python 3.9.1"), Some((3, 9)));
        assert!(parse("Python 3.9.1") < Some(PYTHON));
        assert_eq!(parse("none"), None);
    }

    #[test]
    fn a_missing_program_is_named_with_what_to_install() {
        let error = version_of("no-such-program", (3, 10), "Python").unwrap_err().to_string();
        assert!(
            error.contains("`no-such-program`") && error.contains("install Python 3.10 or later"),
            "{error}"
        );
    }
}
