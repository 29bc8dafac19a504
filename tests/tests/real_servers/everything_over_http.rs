//! server-everything over streamable HTTP.
#![expect(clippy::disallowed_methods, reason = "tests start processes")]

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Home, tool};

struct Everything {
    child: Child,
    port: u16,
}

impl Everything {
    fn start() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let bin = tool("WHARF_TEST_NODE_MODULES").join(".bin/mcp-server-everything");
        let child = Command::new(bin)
            .arg("streamableHttp")
            .env("PORT", port.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let everything = Self { child, port };
        let end = Instant::now() + Duration::from_mins(1);
        while TcpStream::connect(("127.0.0.1", port)).or_else(|_| TcpStream::connect(("::1", port))).is_err()
        {
            assert!(Instant::now() < end, "server-everything did not listen");
            std::thread::yield_now();
        }
        everything
    }
}

impl Drop for Everything {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

#[test]
fn server_everything_works_over_streamable_http() {
    let everything = Everything::start();
    let home = Home::new(&json!({"remote": {"url": format!("http://localhost:{}/mcp", everything.port)}}));
    home.run(&["connect", "remote"]).ok();
    let found = home.run(&["search", "echo", "--json"]).ok().json();
    assert_eq!(found["items"][0]["name"], "remote_echo");
    assert!(home.run(&["call", "remote_echo", "message=over http"]).ok().stdout().contains("over http"));
    assert!(home.run(&["call", "remote_get-sum", "a:=20", "b:=22"]).ok().stdout().contains("42"));
    let image = home.run(&["call", "remote_get-tiny-image", "--json"]).ok().json();
    assert!(image["content"].as_array().unwrap().iter().any(|block| block["type"] == "image"), "{image}");
}

#[test]
fn a_server_that_does_not_listen_is_unreachable() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let home = Home::new(&json!({"remote": {"url": format!("http://127.0.0.1:{port}/mcp")}}));
    let run = home.run(&["connect", "remote", "--json"]);
    assert_eq!(run.code(), 6);
    assert_eq!(run.json()["error"]["code"], "connect_failed");
}
