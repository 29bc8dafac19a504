//! A crate uses only what its row says, and only lower crates.

use crate::tidy::table::Row;
use crate::workspace::Package;

/// Compares the table with the manifests. A crate for development may use anything.
pub(super) fn problems(table: &[Row], packages: &[Package]) -> Vec<String> {
    let mut problems = Vec::new();
    for row in table {
        if !packages.iter().any(|package| package.name == row.name) {
            problems.push(format!("docs/architecture.md: `{}` is no package of the workspace", row.name));
        }
        problems.extend(row.uses.iter().filter_map(|used| uphill(table, row, used)));
    }
    for package in packages {
        match find(table, &package.name) {
            Some(row) => {
                let undeclared = package.uses.iter().filter_map(|used| undeclared(package, row, used));
                problems.extend(undeclared);
            }
            None if package.dir.starts_with("crates") => problems.push(format!(
                "docs/architecture.md: the crate `{}` has no row in the table of crates",
                package.name
            )),
            None => {}
        }
    }
    problems
}

fn find<'a>(table: &'a [Row], name: &str) -> Option<&'a Row> {
    table.iter().find(|row| row.name == name)
}

/// Tells if a row allows a crate that is not lower.
fn uphill(table: &[Row], row: &Row, used: &str) -> Option<String> {
    let level = row.level?;
    let problem = match find(table, used) {
        None => format!("`{used}`, which has no row"),
        Some(Row { level: None, .. }) => format!("`{used}`, which is for development only"),
        Some(Row { level: Some(other), .. }) if *other >= level => format!("`{used}` of level {other}"),
        Some(_) => return None,
    };
    Some(format!("docs/architecture.md: `{}` of level {level} uses {problem}", row.name))
}

/// Tells if a manifest uses a crate that the row does not name.
fn undeclared(package: &Package, row: &Row, used: &String) -> Option<String> {
    if row.level.is_none() || row.uses.contains(used) {
        return None;
    }
    let manifest = package.dir.join("Cargo.toml");
    Some(format!("{}: `{}` may not use `{used}`; see docs/architecture.md", manifest.display(), package.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(level: Option<u32>, name: &str, uses: &[&str]) -> Row {
        Row { name: name.into(), level, uses: uses.iter().map(|name| (*name).to_owned()).collect() }
    }

    fn package(dir: &str, name: &str, uses: &[&str]) -> Package {
        let uses = uses.iter().map(|name| (*name).to_owned()).collect();
        Package { name: name.into(), dir: dir.into(), uses }
    }

    fn table() -> Vec<Row> {
        vec![row(Some(0), "a", &[]), row(Some(1), "b", &["a"]), row(None, "kit", &[])]
    }

    fn packages() -> Vec<Package> {
        vec![
            package("crates/a", "a", &[]),
            package("crates/b", "b", &["a"]),
            package("crates/kit", "kit", &["b"]),
        ]
    }

    #[test]
    fn a_workspace_as_its_table_says_is_good() {
        assert_eq!(problems(&table(), &packages()), Vec::<String>::new());
        let mut less = packages();
        less[1].uses.clear();
        assert_eq!(problems(&table(), &less), Vec::<String>::new());
    }

    #[test]
    fn a_dependency_that_the_row_does_not_name_is_found() {
        let mut packages = packages();
        packages[0].uses.push("b".into());
        let expected = "crates/a/Cargo.toml: `a` may not use `b`; see docs/architecture.md";
        assert_eq!(problems(&table(), &packages), [expected]);
    }

    #[test]
    fn a_table_that_points_up_or_at_crates_of_development_is_found() {
        let mut table = table();
        table[0].uses = vec!["b".into(), "kit".into(), "z".into()];
        let found = problems(&table, &packages());
        assert_eq!(found.len(), 3);
        assert!(found[0].contains("`a` of level 0 uses `b` of level 1"));
        assert!(found[1].contains("`kit`, which is for development only"));
        assert!(found[2].contains("`z`, which has no row"));
    }

    #[test]
    fn each_crate_has_a_row_and_each_row_a_crate() {
        let mut packages = packages();
        packages.push(package("crates/c", "c", &[]));
        packages.push(package("benches", "bench", &["b"]));
        packages.remove(2);
        let found = problems(&table(), &packages);
        assert!(found.iter().any(|text| text.contains("`kit` is no package")));
        assert!(found.iter().any(|text| text.contains("the crate `c` has no row")));
        assert_eq!(found.len(), 2);
    }
}
