//! Names near to an unknown one.

/// The most names that are suggested.
const MAX_SUGGESTIONS: usize = 5;

/// Gives the names nearest to `text`, best first: those that contain it or differ by a few letters.
pub(crate) fn nearest(text: &str, names: impl Iterator<Item = String>) -> Vec<String> {
    let wanted = text.to_lowercase();
    let limit = (wanted.chars().count() / 3).max(2);
    let mut ranked: Vec<(usize, String)> = names
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let distance = distance(&wanted, &lower);
            let contained = !wanted.is_empty() && (lower.contains(&wanted) || wanted.contains(&lower));
            (contained || distance <= limit)
                .then_some((if contained { distance.min(limit) } else { distance }, name))
        })
        .collect();
    ranked.sort();
    ranked.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// Counts the single-letter edits between two texts.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, from) in left.chars().enumerate() {
        let mut diagonal = index;
        let mut before = index + 1;
        let mut next = vec![before];
        for (to, above) in right.iter().zip(row.iter().skip(1)) {
            before = (diagonal + usize::from(from != *to)).min(before + 1).min(above + 1);
            diagonal = *above;
            next.push(before);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_best_first() {
        let names = ["github", "gitlab", "filesystem", "time"].map(str::to_owned);
        let rows: [(&str, &[&str]); 4] = [
            ("githb", &["github", "gitlab"]),
            ("tme", &["time"]),
            ("git", &["github", "gitlab"]),
            ("zzzzzz", &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(nearest(text, names.iter().cloned()), expected, "{text}");
        }
    }

    #[test]
    fn distance_counts_edits() {
        assert_eq!([distance("", "ab"), distance("kitten", "sitting"), distance("same", "same")], [2, 3, 0]);
    }
}
