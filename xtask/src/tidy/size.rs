//! Files stay short enough to be read in one go.

use std::path::Path;

/// The most lines of a file, without its tests.
const MOST_LINES: usize = 400;

/// Tells if a file is too long. Files of tests may be.
pub(super) fn problem(file: &Path, text: &str) -> Option<String> {
    if is_of_tests(file) {
        return None;
    }
    let lines = count(text);
    (lines > MOST_LINES)
        .then(|| format!("{}: {lines} lines; more than {MOST_LINES} is too long", file.display()))
}

/// A file of tests is named `…_tests.rs` or lies in a directory `tests` or `…_tests`.
fn is_of_tests(file: &Path) -> bool {
    let named = |path: &Path| path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("_tests"));
    let mut dirs = file.parent().into_iter().flat_map(Path::ancestors);
    named(file) || dirs.any(|dir| named(dir) || dir.file_name().is_some_and(|name| name == "tests"))
}

/// Counts the lines before the module of tests.
fn count(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines.windows(2).position(|pair| pair == ["#[cfg(test)]", "mod tests {"]);
    tests.unwrap_or(lines.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_test_module_do_not_count() {
        assert_eq!(count("//! a\nfn a() {}\n\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n"), 3);
        assert_eq!(count("//! a\n#[cfg(test)]\n#[path = \"a_tests.rs\"]\nmod tests;\n"), 4);
        assert_eq!(count("//! a\n#[cfg(test)]\nfn helper() {}\n"), 3);
    }

    #[test]
    fn the_limit_is_the_last_size_that_is_good() {
        let file = Path::new("crates/a/src/a.rs");
        assert_eq!(problem(file, &"x\n".repeat(400)), None);
        assert!(
            problem(file, &"x\n".repeat(401))
                .is_some_and(|text| text.starts_with("crates/a/src/a.rs: 401 lines"))
        );
    }

    #[test]
    fn files_of_tests_may_be_long() {
        for file in
            ["crates/a/src/a_tests.rs", "tests/tests/cli/main.rs", "crates/a/src/shell_tests/lists.rs"]
        {
            assert!(is_of_tests(Path::new(file)), "{file}");
        }
        for file in ["crates/a/src/a.rs", "crates/a-tests/src/a.rs", "crates/a/src/testing/run.rs"] {
            assert!(!is_of_tests(Path::new(file)), "{file}");
        }
    }
}
