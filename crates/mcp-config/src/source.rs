//! Which files are read, and which of them wins. Pure: paths only.
//!
//! A further source (files of other hosts, ancestors of a project) is one more [`Layer`] and one more line in
//! [`plan`]; everything after it works on layers alone.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// What loading needs to know about the world.
#[derive(Clone, Default)]
pub struct ConfigRequest {
    /// The directory whose project files are read; without it none are.
    pub cwd: Option<PathBuf>,
    /// The home directory. Files below it are read only when it is absolute.
    pub home: PathBuf,
    /// The environment, for `WHARF_CONFIG_DIR` and `XDG_CONFIG_HOME`. Nothing else of it is read.
    pub env: BTreeMap<String, String>,
    /// A file in place of the user's own.
    pub override_file: Option<PathBuf>,
    /// The only file to read.
    pub only_file: Option<PathBuf>,
}

impl fmt::Debug for ConfigRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ConfigRequest")
            .field("cwd", &self.cwd)
            .field("home", &self.home)
            .field("override_file", &self.override_file)
            .field("only_file", &self.only_file)
            .finish_non_exhaustive()
    }
}

/// The place of a file in the order of precedence. A later layer wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Layer {
    /// A file of the user that other programs read as well.
    UserShared,
    /// The user's own `wharf.json`, or the file in its place.
    User,
    /// `.mcp.json` of the project, which other programs read as well.
    ProjectShared,
    /// `.wharf/wharf.json` of the project.
    Project,
    /// The only file.
    Only,
}

impl Layer {
    /// Tells whether the file belongs to a project: its author may be a stranger.
    pub const fn is_project(self) -> bool {
        matches!(self, Self::ProjectShared | Self::Project)
    }

    /// Gives the layer in one word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UserShared => "user-shared",
            Self::User => "user",
            Self::ProjectShared => "project-shared",
            Self::Project => "project",
            Self::Only => "only",
        }
    }
}

/// One file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceFile {
    pub(crate) path: PathBuf,
    pub(crate) layer: Layer,
    /// True: the caller named it, so its absence is a mistake.
    pub(crate) named: bool,
}

impl SourceFile {
    fn found(path: PathBuf, layer: Layer) -> Self {
        Self { path, layer, named: false }
    }

    fn named(path: &Path, layer: Layer) -> Self {
        Self { path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()), layer, named: true }
    }

    /// Tells whether other programs read or write the file too. The unit of `timeout` depends on it.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.layer, Layer::UserShared | Layer::ProjectShared)
            || self.named
                && self.path.file_name().is_some_and(|name| name == ".mcp.json" || name == "mcp.json")
    }
}

/// Gives the files in the order of precedence, lowest first. No path appears twice.
pub(crate) fn plan(request: &ConfigRequest) -> Vec<SourceFile> {
    if let Some(only) = &request.only_file {
        return vec![SourceFile::named(only, Layer::Only)];
    }
    let mut files = Vec::new();
    if request.home.is_absolute() {
        for path in [".config/mcp/mcp.json", ".agents/mcp.json", ".agents/mcp/mcp.json"] {
            files.push(SourceFile::found(request.home.join(path), Layer::UserShared));
        }
    }
    match &request.override_file {
        Some(path) => files.push(SourceFile::named(path, Layer::User)),
        None => {
            files.extend(user_dir(request).map(|dir| SourceFile::found(dir.join("wharf.json"), Layer::User)));
        }
    }
    if let Some(cwd) = &request.cwd {
        files.push(SourceFile::found(cwd.join(".mcp.json"), Layer::ProjectShared));
        files.push(SourceFile::found(cwd.join(".wharf/wharf.json"), Layer::Project));
    }
    without_repetition(files)
}

/// Keeps one file per path: the one the caller named, else the first.
fn without_repetition(files: Vec<SourceFile>) -> Vec<SourceFile> {
    let named: Vec<PathBuf> = files.iter().filter(|file| file.named).map(|file| file.path.clone()).collect();
    let mut kept: Vec<SourceFile> = Vec::new();
    for file in files {
        let repeats = kept.iter().any(|other| other.path == file.path);
        if !repeats && (file.named || !named.contains(&file.path)) {
            kept.push(file);
        }
    }
    kept
}

/// Gives the directory of the user's own file.
fn user_dir(request: &ConfigRequest) -> Option<PathBuf> {
    let set = |key: &str| request.env.get(key).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(dir) = set("WHARF_CONFIG_DIR") {
        return Some(dir);
    }
    // A relative XDG directory is to be ignored, says the standard.
    let base = set("XDG_CONFIG_HOME").filter(|dir| dir.is_absolute());
    let base = base.or_else(|| request.home.is_absolute().then(|| request.home.join(".config")));
    base.map(|base| base.join("wharf"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(env: &[(&str, &str)]) -> ConfigRequest {
        ConfigRequest {
            cwd: Some(PathBuf::from("/project")),
            home: PathBuf::from("/home/ada"),
            env: env.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
            ..ConfigRequest::default()
        }
    }

    fn paths(request: &ConfigRequest) -> Vec<String> {
        plan(request).iter().map(|file| file.path.display().to_string()).collect()
    }

    #[test]
    fn adapter_1_1_files_come_in_the_documented_order() {
        assert_eq!(
            paths(&request(&[])),
            [
                "/home/ada/.config/mcp/mcp.json",
                "/home/ada/.agents/mcp.json",
                "/home/ada/.agents/mcp/mcp.json",
                "/home/ada/.config/wharf/wharf.json",
                "/project/.mcp.json",
                "/project/.wharf/wharf.json",
            ]
        );
    }

    #[test]
    fn the_user_file_follows_the_environment() {
        let rows: [(&[(&str, &str)], &str); 4] = [
            (&[("XDG_CONFIG_HOME", "/x")], "/x/wharf/wharf.json"),
            (&[("XDG_CONFIG_HOME", "x")], "/home/ada/.config/wharf/wharf.json"),
            (&[("XDG_CONFIG_HOME", "/x"), ("WHARF_CONFIG_DIR", "/w")], "/w/wharf.json"),
            (&[("WHARF_CONFIG_DIR", "")], "/home/ada/.config/wharf/wharf.json"),
        ];
        for (env, expected) in rows {
            assert_eq!(paths(&request(env))[3], expected, "{env:?}");
        }
    }

    #[test]
    fn a_named_file_replaces_the_users_and_is_read_once() {
        let mut request = request(&[]);
        request.override_file = Some(PathBuf::from("/project/.mcp.json"));
        let files = plan(&request);
        assert_eq!(
            files[3],
            SourceFile { path: "/project/.mcp.json".into(), layer: Layer::User, named: true }
        );
        assert_eq!(files.len(), 5);
        assert!(files[3].is_shared());
    }

    #[test]
    fn the_only_file_is_alone() {
        let mut request = request(&[]);
        request.only_file = Some(PathBuf::from("/a.json"));
        assert_eq!(paths(&request), ["/a.json"]);
    }

    #[test]
    fn without_a_home_nothing_relative_is_read() {
        assert_eq!(paths(&ConfigRequest::default()), Vec::<String>::new());
    }
}
