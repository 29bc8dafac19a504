//! Which tools of a server are shown, and under which further words they are found.

use mcp_types::{RawObject, ToolRef, ToolSpec};

use crate::expose::ExposeSpec;
use crate::naming::{folded, spellings};

/// The selectors of one server, matched against the tools they select from.
#[derive(Default)]
pub(crate) struct Filter {
    /// Positions of the tools that `include` selects; `None` when it is empty and selects all.
    included: Option<Vec<bool>>,
    excluded: Vec<bool>,
    keywords: Vec<(Vec<bool>, Vec<String>)>,
}

impl Filter {
    pub(crate) fn new(expose: &ExposeSpec, tools: &[ToolRef]) -> Self {
        if expose.include.is_empty() && expose.exclude.is_empty() && expose.keywords.is_empty() {
            return Self::default();
        }
        let tools: Vec<Spellings> = tools.iter().map(Spellings::new).collect();
        let any = |patterns: &[String]| {
            let mut selected = vec![false; tools.len()];
            for pattern in patterns {
                for (slot, is_selected) in selected.iter_mut().zip(selected_by(pattern, &tools)) {
                    *slot |= is_selected;
                }
            }
            selected
        };
        Self {
            included: (!expose.include.is_empty()).then(|| any(&expose.include)),
            excluded: any(&expose.exclude),
            keywords: expose
                .keywords
                .iter()
                .map(|(pattern, words)| (selected_by(pattern, &tools), words.clone()))
                .collect(),
        }
    }

    /// Tells whether the tool at a position is shown.
    pub(crate) fn shows(&self, position: usize) -> bool {
        let at = |selected: &Vec<bool>| selected.get(position).copied().unwrap_or(false);
        self.included.as_ref().is_none_or(at) && !at(&self.excluded)
    }

    /// Gives the words of all entries that select the tool at a position, trimmed, each once.
    pub(crate) fn keywords(&self, position: usize) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for (selected, entry) in &self.keywords {
            if !selected.get(position).copied().unwrap_or(false) {
                continue;
            }
            for word in entry.iter().map(|word| word.trim()).filter(|word| !word.is_empty()) {
                if !words.iter().any(|known| known == word) {
                    words.push(word.to_owned());
                }
            }
        }
        words
    }
}

/// Every spelling of one tool, as it is and with hyphens as underscores.
struct Spellings {
    current: Vec<String>,
    older: Vec<String>,
}

impl Spellings {
    fn new(tool: &ToolRef) -> Self {
        let current = spellings(tool);
        Self { older: current.iter().map(|name| folded(name)).collect(), current }
    }
}

/// Tells for each tool whether a pattern selects it. An older spelling, hyphens as underscores, counts only when no
/// tool has the pattern as its present one.
fn selected_by(pattern: &str, tools: &[Spellings]) -> Vec<bool> {
    let matched = |pattern: &str, names: &dyn Fn(&Spellings) -> &Vec<String>| {
        let pattern = Glob::new(pattern);
        tools.iter().map(|tool| names(tool).iter().any(|name| pattern.matches(name))).collect::<Vec<bool>>()
    };
    let current = matched(pattern, &|tool| &tool.current);
    if current.contains(&true) {
        return current;
    }
    matched(&folded(pattern), &|tool| &tool.older)
}

/// A pattern: `*` any run, `?` one character, everything else itself, from the first to the last character.
struct Glob(Vec<char>);

impl Glob {
    fn new(text: &str) -> Self {
        Self(text.chars().collect())
    }

    /// Walks both texts once; where a character fails, the last `*` takes one more.
    fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        let (mut in_pattern, mut in_name) = (0, 0);
        let mut last_star: Option<(usize, usize)> = None;
        while let Some(character) = name.get(in_name) {
            match self.0.get(in_pattern) {
                Some('*') => {
                    last_star = Some((in_pattern, in_name));
                    in_pattern += 1;
                }
                Some(expected) if *expected == '?' || expected == character => {
                    in_pattern += 1;
                    in_name += 1;
                }
                Some(_) | None => {
                    let Some((star, start)) = last_star else { return false };
                    last_star = Some((star, start + 1));
                    in_pattern = star + 1;
                    in_name = start + 1;
                }
            }
        }
        self.0.iter().skip(in_pattern).all(|rest| *rest == '*')
    }
}

/// Tells whether a tool is meant for an app view alone: `_meta.ui.visibility` without `model`.
pub(crate) fn is_hidden_from_models(tool: &ToolSpec) -> bool {
    let Some(meta) = tool.member("_meta").and_then(|raw| RawObject::parse("_meta", raw.get()).ok()) else {
        return false;
    };
    let Some(ui) = meta.read::<RawObject>("ui") else { return false };
    if ui.get("visibility").is_none() {
        return false;
    }
    ui.read::<Vec<String>>("visibility").is_none_or(|faces| !faces.iter().any(|face| face == "model"))
}

#[cfg(test)]
#[path = "filter_tests.rs"]
mod tests;
