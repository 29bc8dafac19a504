//! How one server's tools are shown: prefix, filters, keywords.

/// How the outward names of a server's tools begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum PrefixMode {
    /// The server's name.
    #[default]
    Server,
    /// The server's name without a trailing `-mcp`.
    Short,
    /// Nothing.
    None,
    /// `mcp__` and the server's name.
    Mcp,
}

impl PrefixMode {
    /// Every mode, in the order of the documentation.
    pub const ALL: [Self; 4] = [Self::Server, Self::Short, Self::None, Self::Mcp];

    /// Reads the word of the configuration.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "server" => Some(Self::Server),
            "short" => Some(Self::Short),
            "none" => Some(Self::None),
            "mcp" => Some(Self::Mcp),
            _ => None,
        }
    }
}

/// How the tools of one server are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExposeSpec {
    /// How outward names begin.
    pub prefix: PrefixMode,
    /// Patterns of the only tools to show; empty shows all.
    pub include: Vec<String>,
    /// Patterns of tools to hide; applied after `include`.
    pub exclude: Vec<String>,
    /// Words under which tools are found besides their own: pattern and words.
    pub keywords: Vec<(String, Vec<String>)>,
    /// Whether resources appear as tools that read them.
    pub expose_resources: bool,
}

impl Default for ExposeSpec {
    fn default() -> Self {
        Self {
            prefix: PrefixMode::Server,
            include: Vec::new(),
            exclude: Vec::new(),
            keywords: Vec::new(),
            expose_resources: true,
        }
    }
}
