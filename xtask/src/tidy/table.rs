//! The table of crates in `docs/architecture.md`.

use anyhow::{Context as _, bail};

/// One row: a crate, where it stands and what it may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) name: String,
    /// `None` is a crate for development, which may use anything.
    pub(super) level: Option<u32>,
    pub(super) uses: Vec<String>,
}

/// Reads the table under the heading `## Crates`.
pub(super) fn parse(page: &str) -> anyhow::Result<Vec<Row>> {
    let lines = page.lines().skip_while(|line| line.trim() != "## Crates").skip(1);
    let section = lines.take_while(|line| !line.starts_with("## "));
    let mut table = section.filter(|line| line.starts_with('|')).map(cells);
    let head = table.next().context("there is no table under `## Crates`")?;
    if head != ["Level", "Crate", "Job", "Uses"] {
        bail!("the table of crates needs the columns Level, Crate, Job, Uses; it has {}", head.join(", "));
    }
    let rows: Vec<Row> = table.skip(1).map(|cells| row(&cells)).collect::<Result<_, _>>()?;
    if rows.is_empty() {
        bail!("the table of crates has no rows");
    }
    Ok(rows)
}

fn cells(line: &str) -> Vec<&str> {
    line.trim().trim_matches('|').split('|').map(str::trim).collect()
}

fn row(cells: &[&str]) -> anyhow::Result<Row> {
    let [level, name, _job, uses] = cells else {
        bail!("a row of the table of crates has {} cells", cells.len())
    };
    let name = name.trim_matches('`').to_owned();
    let level = match *level {
        "dev" => None,
        number => Some(number.parse().with_context(|| format!("the level of `{name}` is `{number}`"))?),
    };
    let words = uses.split(',').map(str::trim).filter(|word| !["–", "-", "any", ""].contains(word));
    Ok(Row { name, level, uses: words.map(|word| word.trim_matches('`').to_owned()).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
## Words

| Word | What |
|---|---|
| **Spec** | x |

## Crates

Some words.

| Level | Crate | Job | Uses |
|---|---|---|---|
| 0 | `types` | names, counters | – |
| 2 | `config` | files → one snapshot | `types`, `fs` |
| dev | `kit` | all | any |

## Else

| 9 | `other` | x | – |
";

    fn of(name: &str, level: Option<u32>, uses: &[&str]) -> Row {
        Row { name: name.into(), level, uses: uses.iter().map(|name| (*name).to_owned()).collect() }
    }

    #[test]
    fn only_the_table_of_crates_is_read() {
        let expected =
            [of("types", Some(0), &[]), of("config", Some(2), &["types", "fs"]), of("kit", None, &[])];
        assert_eq!(parse(PAGE).unwrap(), expected);
    }

    #[test]
    fn a_table_of_another_shape_is_an_error() {
        let error = |page: &str| parse(page).unwrap_err().to_string();
        assert!(error("# Nothing").contains("no table"));
        assert!(error(&PAGE.replace("| Uses |", "| Needs |")).contains("it has Level, Crate, Job, Needs"));
        assert!(error(&PAGE.replace("| 2 |", "| two |")).contains("the level of `config` is `two`"));
        assert!(error(&PAGE.replace("| all | any |", "| all |")).contains("has 3 cells"));
    }
}
