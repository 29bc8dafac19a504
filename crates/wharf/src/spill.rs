//! What was too large to return is written to a private file, off the async threads.

use mcp_guard::{GuardReport, Guarded};
use mcp_types::ToolOutput;

use crate::store::Store;

/// Executes the spill plan of a guarded output, if it has one, and finishes its notice with the path or the reason.
pub(crate) async fn finish(store: Option<Store>, guarded: Guarded) -> (ToolOutput, Option<GuardReport>) {
    let Some(plan) = guarded.spill.as_ref() else { return (guarded.output, guarded.report) };
    let text = plan.text.clone();
    let written = match store {
        None => Err("this runtime keeps no files".to_owned()),
        Some(store) => match tokio::task::spawn_blocking(move || store.spill(&text)).await {
            Ok(written) => written.map_err(|error| error.to_string()),
            Err(_) => Err("the write was interrupted".to_owned()),
        },
    };
    let guarded = guarded.with_spill_path(written);
    (guarded.output, guarded.report)
}
