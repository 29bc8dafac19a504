//! Measuring text and telling sizes.

/// Counts the lines of a text; an empty text has none.
pub(crate) fn lines(text: &str) -> usize {
    if text.is_empty() { 0 } else { text.bytes().filter(|byte| *byte == b'\n').count() + 1 }
}

/// Tells a size in bytes, KiB or MiB.
pub(crate) fn size(bytes: usize) -> String {
    const KIB: usize = 1024;
    const MIB: usize = 1024 * 1024;
    let tenths = |unit: usize| (bytes.saturating_mul(10) + unit / 2) / unit;
    let shown = |tenths: usize, unit: &str| format!("{}.{} {unit}", tenths / 10, tenths % 10);
    match bytes {
        0..KIB => format!("{bytes} B"),
        KIB..MIB => shown(tenths(KIB), "KiB"),
        _ => shown(tenths(MIB), "MiB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_one_decimal() {
        let rows =
            [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (51_200, "50.0 KiB"), (1_600_000, "1.5 MiB")];
        for (bytes, expected) in rows {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn a_text_without_newline_is_one_line() {
        assert_eq!([lines(""), lines("a"), lines("a\nb"), lines("a\n")], [0, 1, 2, 2]);
    }
}
