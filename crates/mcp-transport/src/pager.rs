//! Lists in pages: every page is bounded, and so are their number, their items and their time.

use std::collections::HashSet;
use std::sync::Arc;

use mcp_types::object::to_raw;
use mcp_types::{Diagnostic, DocumentError, RawObject, Severity};
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::classify::{Failure, FailureClass};
use crate::request::Bounds;
use crate::session::Session;

/// A whole list, with what was wrong in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed<T> {
    /// The usable items in the order of the server.
    pub items: Vec<Arc<T>>,
    /// One finding per item or page that could not be used.
    pub diagnostics: Vec<Diagnostic>,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self { items: Vec::new(), diagnostics: Vec::new() }
    }
}

struct Page {
    items: Vec<Box<RawValue>>,
    next: Option<String>,
}

impl Session {
    /// Reads a list to its end. A bad item costs only itself; a cursor that comes again is a failure; a list beyond
    /// the limits is cut and says so.
    pub(crate) async fn list<T>(
        &self,
        method: &'static str,
        member: &'static str,
        decode: fn(Box<RawValue>) -> Result<T, DocumentError>,
    ) -> Result<Listed<T>, Failure> {
        let limits = &self.0.spec.limits;
        let timeouts = &self.0.spec.timeouts;
        let deadline = Instant::now() + timeouts.max_total;
        let mut listed = Listed::default();
        let mut cursors = HashSet::new();
        let mut params = RawObject::default();
        for _ in 0..limits.max_pages {
            let bounds = Bounds {
                idle: timeouts.list,
                total: deadline.saturating_duration_since(Instant::now()),
                progress: None,
            };
            let text = self.request(method, &params, bounds).await?;
            let page = read_page(method, member, &text).map_err(|error| self.not_the_protocol(&error))?;
            for item in page.items {
                if listed.items.len() >= limits.max_items {
                    listed.diagnostics.push(self.cut(method, "items", limits.max_items));
                    return Ok(listed);
                }
                match decode(item) {
                    Ok(item) => listed.items.push(Arc::new(item)),
                    Err(error) => self.skip(&mut listed.diagnostics, method, &error),
                }
            }
            let Some(cursor) = page.next else { return Ok(listed) };
            params.insert("cursor", to_raw(&cursor));
            if !cursors.insert(cursor) {
                return Err(self.repeated_cursor(method));
            }
        }
        listed.diagnostics.push(self.cut(method, "pages", limits.max_pages));
        Ok(listed)
    }

    fn skip(&self, diagnostics: &mut Vec<Diagnostic>, method: &str, error: &DocumentError) {
        // A server with nothing but bad items must not fill the memory with complaints.
        const MAX_DIAGNOSTICS: usize = 100;
        if diagnostics.len() < MAX_DIAGNOSTICS {
            diagnostics.push(
                Diagnostic::new(
                    "item_skipped",
                    Severity::Warning,
                    format!("an item of {method} is skipped: {error}"),
                )
                .for_server(self.0.spec.server.as_str()),
            );
        }
    }

    fn cut(&self, method: &str, what: &str, limit: usize) -> Diagnostic {
        Diagnostic::new(
            "list_truncated",
            Severity::Warning,
            format!("{method} has more than {limit} {what}; the rest is not used"),
        )
        .for_server(self.0.spec.server.as_str())
    }

    fn repeated_cursor(&self, method: &str) -> Failure {
        Failure::new(
            FailureClass::Protocol,
            format!("server `{}` gives the same cursor again in {method}", self.0.spec.server),
        )
    }
}

fn read_page(method: &'static str, member: &'static str, text: &str) -> Result<Page, DocumentError> {
    let mut object = RawObject::parse(method, text)?;
    let items = object.take(member).ok_or(DocumentError::Missing { what: method, member })?;
    let items = serde_json::from_str(items.get()).map_err(|error| DocumentError::malformed(method, error))?;
    // An empty text is a cursor like any other; only its absence ends the list.
    Ok(Page { items, next: object.read::<Option<String>>("nextCursor").flatten() })
}
