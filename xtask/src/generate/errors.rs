//! The error codes.

use std::fmt::Write as _;

use mcp_types::ErrorCode;

const INTRODUCTION: &str = "\
# Error codes

Whatever fails, fails with one of these codes. Programs should look at the code and at nothing else: codes are added,
never changed. The message beside a code is for people.

The last column tells whether the same request can succeed when it is sent again:

- `never`: it will fail again.
- `after_action`: it may succeed after what the hint of the error names was done.
- `later`: it may succeed later.

| Code | Meaning | Retry |
|---|---|---|
";

/// Gives the page.
pub(super) fn body() -> anyhow::Result<String> {
    let mut page = INTRODUCTION.to_owned();
    for code in ErrorCode::ALL {
        let meaning = code.meaning().split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        let retry = serde_json::to_value(code.retry())?;
        writeln!(page, "| `{code}` | {meaning} | `{}` |", retry.as_str().unwrap_or_default())?;
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_one_full_row() {
        let page = body().unwrap();
        assert!(
            page.contains(
                "| `not_found` | The server offers no resource or prompt of this name. | `never` |\n"
            )
        );
        let rows = page.lines().filter(|line| line.starts_with("| `")).count();
        assert_eq!(rows, ErrorCode::ALL.len());
    }
}
