//! The embedded demo: what a newcomer sees first.

use std::time::Duration;

use serde_json::json;

use crate::support::Home;

#[test]
fn the_demo_needs_nothing_and_leaves_nothing() {
    let home = Home::new(&json!({}));
    let run = home.run(&["demo"]).ok();
    for part in ["status", "search", "describe", "call"] {
        assert!(run.stdout().to_lowercase().contains(part), "{part} is missing:\n{}", run.stdout());
    }
    home.wait_until_empty(Duration::from_secs(2));
}
