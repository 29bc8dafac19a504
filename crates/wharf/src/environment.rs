//! The world as a runtime sees it: variables, home and the places derived from them. Nothing else reads the process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use mcp_transport::BaseEnv;

/// The variable that marks a child of Wharf and how deep it stands, so that a Wharf that starts itself is noticed.
pub const DEPTH_VARIABLE: &str = "WHARF_DEPTH";

/// The deepest nesting of Wharf in Wharf that is allowed.
pub const MAX_DEPTH: u32 = 3;

/// Variables that belong to Wharf alone and are never handed to a server.
const OWN_SECRETS: &[&str] = &["WHARF_OAUTH_FILE_KEY", "WHARF_HTTP_TOKEN"];

/// The environment of one runtime. `Debug` shows the names of the variables, never their values.
#[derive(Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Environment {
    /// The variables: for `${VAR}` in configuration and, unless a server says otherwise, for its child.
    pub vars: BTreeMap<String, String>,
    /// The home directory, for `~` and the default places.
    pub home: PathBuf,
}

impl Environment {
    /// Makes an environment from its parts.
    ///
    /// ```
    /// let environment = wharf::Environment::new([("TOKEN".to_owned(), "t".to_owned())], "/home/ada");
    /// assert_eq!(format!("{environment:?}"), r#"Environment { vars: ["TOKEN"], home: "/home/ada" }"#);
    /// ```
    pub fn new(vars: impl IntoIterator<Item = (String, String)>, home: impl Into<PathBuf>) -> Self {
        Self { vars: vars.into_iter().collect(), home: home.into() }
    }

    /// Reads the environment of this process. Variables that are not UTF-8 are left out.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one door through which the process environment comes in"
    )]
    pub fn from_process() -> Self {
        let vars: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let home = ["HOME", "USERPROFILE"].iter().find_map(|key| vars.get(*key)).map(PathBuf::from);
        Self { home: home.unwrap_or_default(), vars }
    }

    /// Tells how many Wharfs stand above this one.
    pub fn depth(&self) -> u32 {
        self.vars.get(DEPTH_VARIABLE).and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    /// Gives the directory of the catalogue cache and of spilled results.
    pub fn cache_dir(&self) -> PathBuf {
        self.place("WHARF_CACHE_DIR", "XDG_CACHE_HOME", ".cache")
    }

    fn place(&self, own: &str, base: &str, fallback: &str) -> PathBuf {
        let set = |key: &str| self.vars.get(key).filter(|value| !value.is_empty()).map(PathBuf::from);
        set(own).unwrap_or_else(|| set(base).unwrap_or_else(|| self.home.join(fallback)).join("wharf"))
    }

    /// Gives what every child starts from: the variables without Wharf's own secrets, marked one level deeper.
    pub(crate) fn for_children(&self, inherit: bool) -> Arc<BaseEnv> {
        let mut vars: BTreeMap<OsString, OsString> = self
            .vars
            .iter()
            .filter(|(key, _)| !OWN_SECRETS.contains(&key.as_str()))
            .filter(|(key, _)| inherit || LEAN.contains(&key.as_str()))
            .map(|(key, value)| (key.into(), value.into()))
            .collect();
        vars.insert(DEPTH_VARIABLE.into(), (self.depth() + 1).to_string().into());
        Arc::new(BaseEnv(vars))
    }
}

/// What a child gets with `inheritEnv: false`: what programs need to find their files and speak the right language.
const LEAN: &[&str] = &[
    "HOME",
    "LANG",
    "LC_ALL",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "APPDATA",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
];

impl fmt::Debug for Environment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.vars.keys().collect();
        formatter.debug_struct("Environment").field("vars", &names).field("home", &self.home).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Environment {
        Environment::new(
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())),
            "/home/ada",
        )
    }

    #[test]
    fn the_cache_place_follows_the_documented_order() {
        let rows: [(&[(&str, &str)], &str); 4] = [
            (&[], "/home/ada/.cache/wharf"),
            (&[("XDG_CACHE_HOME", "/x")], "/x/wharf"),
            (&[("XDG_CACHE_HOME", "/x"), ("WHARF_CACHE_DIR", "/w")], "/w"),
            (&[("WHARF_CACHE_DIR", "")], "/home/ada/.cache/wharf"),
        ];
        for (pairs, expected) in rows {
            assert_eq!(environment(pairs).cache_dir(), PathBuf::from(expected), "{pairs:?}");
        }
    }

    #[test]
    fn own_secrets_never_reach_a_child() {
        let child = environment(&[("WHARF_OAUTH_FILE_KEY", "k"), ("PATH", "/bin")]).for_children(true);
        assert!(!child.0.contains_key(&OsString::from("WHARF_OAUTH_FILE_KEY")));
        assert_eq!(child.0.get(&OsString::from(DEPTH_VARIABLE)), Some(&OsString::from("1")));
    }

    #[test]
    fn adapter_2_10_a_lean_child_gets_only_the_platform_variables() {
        let child = environment(&[("PATH", "/bin"), ("AWS_SECRET", "s")]).for_children(false);
        assert_eq!(child.0.keys().collect::<Vec<_>>(), ["PATH", DEPTH_VARIABLE]);
    }
}
