//! The limits of what a model receives.

use mcp_config::Settings;
use mcp_guard::GuardRules;

use crate::environment::Environment;

/// The variable that switches the output guard on or off above every setting.
const VARIABLE: &str = "MCP_OUTPUT_GUARD";

pub(super) fn lower(settings: &Settings, environment: &Environment) -> GuardRules {
    let mut rules = GuardRules::default();
    if let Some(set) = settings.output_guard {
        rules.enabled = set.enabled;
        rules.max_bytes = set.max_bytes.unwrap_or(rules.max_bytes);
        rules.max_lines = set.max_lines.unwrap_or(rules.max_lines);
    }
    match environment.vars.get(VARIABLE).map(|word| word.to_lowercase()).as_deref() {
        Some("0" | "false" | "no" | "off") => rules.enabled = false,
        Some("1" | "true" | "yes" | "on") => rules.enabled = true,
        _ => {}
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapter_18_the_variable_beats_the_setting() {
        let rows = [(None, true), (Some("off"), false), (Some("ON"), true), (Some("perhaps"), true)];
        for (word, expected) in rows {
            let vars = word.map(|word| (VARIABLE.to_owned(), word.to_owned()));
            let rules = lower(&Settings::default(), &Environment::new(vars, "/home/ada"));
            assert_eq!(rules.enabled, expected, "{word:?}");
        }
    }
}
