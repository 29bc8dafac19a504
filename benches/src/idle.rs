//! The gateway asleep: how soon it is ready with 20 lazy servers, and what it weighs.

use std::path::{Path, PathBuf};

use crate::Programs;
use crate::process::{Served, command, time};
use crate::report::{Row, quantile};

const RUNS: usize = 15;
const SERVERS: usize = 20;

pub(crate) fn measure(programs: &Programs) -> anyhow::Result<Vec<Row>> {
    let home = temporary_home("idle")?;
    let config = home.join("wharf.json");
    write_config(&config, &programs.stub, SERVERS)?;
    // Learns what the servers offer, so that the gateway answers from its catalogue.
    time(command(&programs.wharf, &home).arg("--only-config").arg(&config).arg("list"))?;
    let mut ready = Vec::new();
    let mut resident = Vec::new();
    for _ in 0..RUNS {
        let mut wharf = command(&programs.wharf, &home);
        wharf.arg("--only-config").arg(&config).args(["serve", "--http", "127.0.0.1:0"]);
        let served = Served::start(&mut wharf, true)?;
        ready.push(served.ready);
        resident.push(served.resident()?);
    }
    remove(&home)?;
    Ok(vec![
        Row::new("`wharf serve`, 20 lazy servers, ready, median", "ms", None, quantile(&mut ready, 0.5))
            .limit(30.0, 20.0),
        Row::new(
            "`wharf serve`, 20 lazy servers, resident, median",
            "MiB",
            None,
            quantile(&mut resident, 0.5),
        )
        .limit(20.0, 12.0),
    ])
}

/// Writes a configuration of `count` lazy servers `stub1`, `stub2`, ….
pub(crate) fn write_config(path: &Path, stub: &Path, count: usize) -> anyhow::Result<()> {
    let servers: serde_json::Map<String, serde_json::Value> = (1..=count)
        .map(|number| (format!("stub{number}"), serde_json::json!({"command": stub, "args": ["echo"]})))
        .collect();
    #[expect(clippy::disallowed_methods, reason = "a file of the benchmark's own")]
    std::fs::write(path, serde_json::json!({"mcpServers": servers}).to_string())?;
    Ok(())
}

pub(crate) fn temporary_home(name: &str) -> anyhow::Result<PathBuf> {
    let home = std::env::temp_dir().join(format!("wharf-bench-{name}-{}", std::process::id()));
    #[expect(clippy::disallowed_methods, reason = "a directory of the benchmark's own")]
    std::fs::create_dir_all(&home)?;
    Ok(home)
}

pub(crate) fn remove(home: &Path) -> anyhow::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "a directory of the benchmark's own")]
    std::fs::remove_dir_all(home)?;
    Ok(())
}
