//! The table that a person reads.

use std::fmt::Write as _;

/// One figure beside its floor.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) unit: &'static str,
    pub(crate) floor: Option<f64>,
    pub(crate) wharf: f64,
    /// What must hold: a ratio where there is a floor, else a figure in the unit.
    pub(crate) limit: Option<f64>,
    /// The goal, in the same measure.
    pub(crate) budget: Option<f64>,
    /// True where more is better.
    pub(crate) more_is_better: bool,
}

impl Row {
    pub(crate) fn new(what: impl Into<String>, unit: &'static str, floor: Option<f64>, wharf: f64) -> Self {
        Self { what: what.into(), unit, floor, wharf, limit: None, budget: None, more_is_better: false }
    }

    pub(crate) fn limit(mut self, limit: f64, budget: f64) -> Self {
        self.limit = Some(limit);
        self.budget = Some(budget);
        self
    }

    pub(crate) fn more_is_better(mut self) -> Self {
        self.more_is_better = true;
        self
    }

    fn measure(&self) -> f64 {
        self.floor.map_or(self.wharf, |floor| self.wharf / floor)
    }

    pub(crate) fn exceeds_limit(&self) -> bool {
        self.limit.is_some_and(|limit| {
            if self.more_is_better { self.measure() < limit } else { self.measure() > limit }
        })
    }
}

/// Renders the rows as a Markdown table.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| what | unit | floor | wharf | ratio | must | goal | |\n|---|---|---:|---:|---:|---:|---:|---|\n",
    );
    let figure = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
    for row in rows {
        let ratio = row.floor.map(|floor| row.wharf / floor);
        let verdict = match row.limit {
            Some(_) if row.exceeds_limit() => "over",
            Some(_) => "ok",
            None => "",
        };
        let _written = writeln!(
            text,
            "| {} | {} | {} | {:.2} | {} | {} | {} | {verdict} |",
            row.what,
            row.unit,
            figure(row.floor),
            row.wharf,
            figure(ratio),
            figure(row.limit),
            figure(row.budget)
        );
    }
    text
}

/// Gives the value at a fraction of the sorted samples.
pub(crate) fn quantile(samples: &mut [f64], fraction: f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an index into a short list"
    )]
    let index = ((samples.len().saturating_sub(1)) as f64 * fraction).round() as usize;
    samples.get(index).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_a_sample() {
        let mut samples = [3.0, 1.0, 2.0];
        assert!((quantile(&mut samples, 0.5) - 2.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_ratio_over_its_limit_is_told() {
        let row = Row::new("call", "ms", Some(2.0), 4.0).limit(1.5, 1.2);
        assert!(row.exceeds_limit() && table(&[row]).contains("over"));
    }
}
