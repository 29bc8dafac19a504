//! Each crate begins with what it is for, so that nobody has to guess.

use std::path::Path;

/// The parts of a header in their order.
const PARTS: [&str; 4] = ["**Job.**", "**Not its job.**", "**Invariants.**", "**Start reading at**"];

/// Tells which part of its header a file lacks, if any. The parts stand in order.
pub(super) fn problem(file: &Path, text: &str) -> Option<String> {
    let mut lines = text.lines().take_while(|line| line.starts_with("//!"));
    let missing = PARTS
        .iter()
        .find(|part| !lines.any(|line| line.trim_start_matches("//!").trim_start().starts_with(**part)))?;
    let parts = PARTS.join(", ");
    Some(format!("{}: the header lacks `{missing}`; it needs, in this order, {parts}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "//! A.\n//!\n//! **Job.** B.\n//!\n//! **Not its job.** C.\n//! **Invariants.** D.\n//! d\n//! **Start reading at** [`e`].\n";

    #[test]
    fn a_full_header_is_good() {
        assert_eq!(problem(Path::new("a.rs"), GOOD), None);
    }

    #[test]
    fn a_missing_part_is_named() {
        let text = GOOD.replace("**Invariants.**", "Invariants:");
        assert!(
            problem(Path::new("a.rs"), &text)
                .is_some_and(|text| text.contains("a.rs: the header lacks `**Invariants.**`"))
        );
        assert!(problem(Path::new("a.rs"), "").is_some_and(|text| text.contains("lacks `**Job.**`")));
    }

    #[test]
    fn a_part_below_the_header_or_out_of_order_does_not_count() {
        let below = GOOD.replace("//! **Start", "use a;\n//! **Start");
        assert!(
            problem(Path::new("a.rs"), &below)
                .is_some_and(|text| text.contains("lacks `**Start reading at**`"))
        );
        let swapped =
            "//! **Not its job.** C.\n//! **Job.** B.\n//! **Invariants.** D.\n//! **Start reading at** e\n";
        assert!(
            problem(Path::new("a.rs"), swapped).is_some_and(|text| text.contains("lacks `**Not its job.**`"))
        );
    }
}
