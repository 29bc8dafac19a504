//! Which tools of a server are shown, and under which further words they are found.

use mcp_types::{RawObject, ToolRef, ToolSpec};
use regex::Regex;

use crate::expose::ExposeSpec;
use crate::naming::{folded, spellings};

/// The selectors of one server, compiled against the tools they select from.
pub(crate) struct Filter {
    include: Vec<Selector>,
    exclude: Vec<Selector>,
    keywords: Vec<(Selector, Vec<String>)>,
}

impl Filter {
    pub(crate) fn new(expose: &ExposeSpec, tools: &[ToolRef]) -> Self {
        let compile = |patterns: &[String]| patterns.iter().map(|text| Selector::new(text, tools)).collect();
        Self {
            include: compile(&expose.include),
            exclude: compile(&expose.exclude),
            keywords: expose
                .keywords
                .iter()
                .map(|(pattern, words)| (Selector::new(pattern, tools), words.clone()))
                .collect(),
        }
    }

    pub(crate) fn shows(&self, tool: &ToolRef) -> bool {
        let included = self.include.is_empty() || self.include.iter().any(|selector| selector.selects(tool));
        included && !self.exclude.iter().any(|selector| selector.selects(tool))
    }

    /// Gives the words of all matching entries, trimmed, each once.
    pub(crate) fn keywords(&self, tool: &ToolRef) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for (selector, entry) in &self.keywords {
            if !selector.selects(tool) {
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

/// One pattern. An older spelling (hyphens as underscores) counts only when no tool has the pattern as its present one.
struct Selector {
    pattern: Glob,
    folded: Option<Glob>,
}

impl Selector {
    fn new(text: &str, tools: &[ToolRef]) -> Self {
        let pattern = Glob::new(text);
        let current = tools.iter().any(|tool| spellings(tool).iter().any(|name| pattern.matches(name)));
        let folded = (!current).then(|| Glob::new(&folded(text)));
        Self { pattern, folded }
    }

    fn selects(&self, tool: &ToolRef) -> bool {
        spellings(tool).iter().any(|name| {
            self.pattern.matches(name) || self.folded.as_ref().is_some_and(|glob| glob.matches(&folded(name)))
        })
    }
}

/// `*` any run, `?` one character, anchored; without them the exact text.
enum Glob {
    Exact(String),
    Pattern(Regex),
}

impl Glob {
    fn new(text: &str) -> Self {
        if !text.contains(['*', '?']) {
            return Self::Exact(text.to_owned());
        }
        let body = regex::escape(text).replace(r"\*", "(?s:.*)").replace(r"\?", "(?s:.)");
        match Regex::new(&format!("^{body}$")) {
            Ok(pattern) => Self::Pattern(pattern),
            Err(_) => Self::Exact(text.to_owned()),
        }
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Exact(text) => text == name,
            Self::Pattern(pattern) => pattern.is_match(name),
        }
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
