//! A cold call: the whole process from start to end, on a server that answers at once; and an answer from the catalogue.

use std::path::Path;

use crate::Programs;
use crate::process::{command, time};
use crate::report::{Row, quantile};

const RUNS: usize = 40;

pub(crate) fn measure(programs: &Programs) -> anyhow::Result<Vec<Row>> {
    let home = crate::idle::temporary_home("cold")?;
    let config = home.join("wharf.json");
    crate::idle::write_config(&config, &programs.stub, 1)?;
    let mut floor = Vec::new();
    let mut call = Vec::new();
    let mut search = Vec::new();
    for run in 0..=RUNS {
        let floored = time(command(&programs.floor_call, &home).arg(&programs.stub).arg("echo"))?;
        let called = time(wharf(programs, &home, &config).args(["call", "stub1_echo", "text=hi"]))?;
        let searched = time(wharf(programs, &home, &config).args(["search", "echo"]))?;
        // The first run fills the caches of the system and of Wharf.
        if run > 0 {
            floor.push(floored);
            call.push(called);
            search.push(searched);
        }
    }
    crate::idle::remove(&home)?;
    let floor_median = quantile(&mut floor, 0.5);
    Ok(vec![
        Row::new(
            "cold `wharf call`, whole process, median",
            "ms",
            Some(floor_median),
            quantile(&mut call, 0.5),
        )
        .limit(1.5, 1.5),
        Row::new(
            "`wharf search` from the catalogue, whole process, median",
            "ms",
            None,
            quantile(&mut search, 0.5),
        )
        .limit(15.0, 15.0),
    ])
}

fn wharf(programs: &Programs, home: &Path, config: &Path) -> std::process::Command {
    let mut wharf = command(&programs.wharf, home);
    wharf.arg("--only-config").arg(config);
    wharf
}
