use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::load::tests::{Home, own};

#[test]
fn every_value_has_its_origin() {
    let home = Home::new();
    home.write("p/.wharf/wharf.json", "{\"mcpServers\": {\n\"a\": {\"command\": \"npx\", \"args\": [\"-y\", \"s\"],\n\"env\": {\"K\": \"hunter2\", \"T\": \"${T}\"}}}, \"settings\": {\"approvals\": \"mutating\"}}");
    let shown = show(&home.load());
    let fields = &shown["servers"][0]["fields"];
    assert_eq!(fields["command"]["value"], "npx");
    assert!(fields["command"]["origin"].as_str().unwrap().ends_with(".wharf/wharf.json:2:7"), "{fields}");
    assert_eq!(fields["env"]["value"], json!({"K": "[secret]", "T": "${T}"}));
    assert_eq!(fields["lifecycle"], json!({"value": "lazy", "origin": "default"}));
    assert_eq!(shown["settings"]["approvals"]["value"], "mutating");
    assert_eq!(shown["settings"]["strict"]["origin"], "default");
    assert_eq!(shown["files"][5]["state"], "loaded");
}

proptest! {
    #[test]
    fn no_planted_secret_is_shown_told_or_debugged(tail in "[a-zA-Z0-9+/_.-]{4,20}", place in 0_usize..13) {
        let secret = format!("S3CRET{tail}");
        let entry = match place {
            0 => json!({"command": "x", "env": {"KEY": secret}}),
            1 => json!({"url": "https://h", "headers": {"X-Key": secret}}),
            2 => json!({"url": "https://h", "headers": {"Authorization": format!("Bearer {secret}")}}),
            3 => json!({"url": "https://h", "bearer": secret}),
            4 => json!({"url": "https://h", "bearerToken": format!("!echo {secret}")}),
            5 => json!({"url": format!("https://user:{}@h/mcp", secret.replace('/', "_"))}),
            6 => json!({"url": format!("https://h/mcp?key={secret}")}),
            7 => json!({"url": format!("https://h/mcp?{secret}#{secret}")}),
            8 => json!({"command": "x", "args": ["--api-key", secret]}),
            9 => json!({"command": "x", "args": [format!("--token={secret}"), format!("https://u:{}@h", secret.replace('/', "_"))]}),
            10 => json!({"command": "x", "env": {"KEY": format!("${{NO:-{secret}}}")}}),
            11 => json!({"command": "x", "bearer": secret, "headers": {"bad name": secret}, "auth": secret}),
            _ => json!({"url": secret, "approval": secret, "lifecycle": secret, "timeout": secret, "type": secret}),
        };
        let snapshot = own(&json!({"mcpServers": {"a": entry}, "settings": {"approvals": secret}}).to_string());
        prop_assert!(!show(&snapshot).to_string().contains("S3CRET"));
        let debugged = format!("{snapshot:?}");
        prop_assert!(!debugged.contains("S3CRET"), "{}", debugged);
    }
}
