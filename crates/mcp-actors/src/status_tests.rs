use std::sync::Arc;
use std::time::Duration;

use mcp_catalog::{ExposeSpec, RosterBuilder, ServerListing};
use mcp_types::{Epoch, ErrorCode, ToolSpec};

use super::*;
use crate::test_support::name;

fn status(server: &str, state: ServerState) -> ServerStatus {
    ServerStatus {
        name: name(server),
        status: state,
        life: Life::Configured,
        tool_count: 0,
        resource_count: None,
        prompt_count: None,
        failed_at: None,
        last_error: None,
        disabled: false,
        required: false,
        source: "config.json".to_owned(),
        epoch: Epoch::ZERO,
        listed_epoch: None,
        process_id: None,
        noise_lines: 0,
        diagnostics: Arc::default(),
    }
}

#[test]
fn the_written_form_is_stable() {
    let now = Instant::now();
    let listing = Arc::new(ServerListing {
        tools: ["one", "two"]
            .map(|tool| Arc::new(ToolSpec::parse(&format!(r#"{{"name":"{tool}"}}"#)).unwrap()))
            .to_vec(),
        ..ServerListing::default()
    });
    let expose = ExposeSpec { exclude: vec!["two".to_owned()], ..ExposeSpec::default() };
    let roster = RosterBuilder::new().server(name("up"), expose, Some(listing), false).build(Version::new(3));
    let snapshot = StatusSnapshot {
        generation: Generation::new(2),
        sequence: Version::new(7),
        servers: vec![
            ServerStatus {
                life: Life::Used,
                tool_count: 2,
                resource_count: Some(4),
                prompt_count: Some(0),
                required: true,
                ..status("up", ServerState::Connected)
            },
            ServerStatus {
                failed_at: Some(now),
                last_error: Some(ErrorLine {
                    code: ErrorCode::ConnectionLost,
                    message: "the process ended".to_owned(),
                    stderr_tail: vec!["no such file".to_owned()],
                    exit: Some("exit status: 1".to_owned()),
                }),
                ..status("down", ServerState::Failed)
            },
            status("closed", ServerState::NeedsAuth),
            ServerStatus {
                disabled: true,
                tool_count: 9,
                resource_count: Some(9),
                ..status("off", ServerState::Disabled)
            },
        ],
        leaving: Vec::new(),
        closed: false,
    };
    let document = status_v1(&snapshot, &roster, now + Duration::from_millis(12_900));
    insta::assert_snapshot!(serde_json::to_string_pretty(&document).unwrap(), @r#"
    {
      "version": 1,
      "generation": 2,
      "sequence": 7,
      "servers": [
        {
          "name": "up",
          "status": "connected",
          "state": "used",
          "toolCount": 1,
          "directToolCount": 0,
          "resourceCount": 4,
          "promptCount": 0,
          "disabled": false,
          "required": true,
          "source": "config.json"
        },
        {
          "name": "down",
          "status": "failed",
          "state": "configured",
          "toolCount": 0,
          "directToolCount": 0,
          "failedAgoSeconds": 12,
          "lastError": {
            "code": "connection_lost",
            "message": "the process ended",
            "stderrTail": [
              "no such file"
            ],
            "exit": "exit status: 1"
          },
          "disabled": false,
          "source": "config.json"
        },
        {
          "name": "closed",
          "status": "needs-auth",
          "state": "configured",
          "toolCount": 0,
          "directToolCount": 0,
          "disabled": false,
          "action": "sign-in",
          "source": "config.json"
        },
        {
          "name": "off",
          "status": "disabled",
          "state": "configured",
          "toolCount": 9,
          "directToolCount": 0,
          "resourceCount": 9,
          "disabled": true,
          "source": "config.json"
        }
      ],
      "totalTools": 1,
      "totalResources": 4,
      "connectedCount": 1,
      "disabledCount": 1
    }
    "#);
}

#[test]
fn every_state_is_written_as_its_word() {
    let states = [
        ServerState::Connected,
        ServerState::Connecting,
        ServerState::Cached,
        ServerState::Failed,
        ServerState::NeedsAuth,
        ServerState::NeedsTrust,
        ServerState::NotConnected,
        ServerState::Restarting,
        ServerState::Disabled,
    ];
    for state in states {
        assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
    }
}
