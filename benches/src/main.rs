//! Measures Wharf against the floor: the same work done by a bare rmcp program, in the same run.
//!
//! **Job.** Prints one table: what, floor, Wharf, ratio, the limit that must hold and the budget that is the goal.
//!
//! **Not its job.** It is no test: figures vary, so it never fails a build unless `--check` is given.
//!
//! **Invariants.** Floor and Wharf are measured alternately in one run. Load goes to loopback, bounded in count.
//!
//! **Start reading at** [`main`], then `cold.rs`, `echo.rs`, `idle.rs`.
//!
//! Usage: `bench WHARF STUB_SERVER FLOOR_CALL FLOOR_HTTP [--check]`; `cargo xtask bench` gives the paths.

mod cold;
mod echo;
mod idle;
mod process;
mod report;

use std::path::PathBuf;

use anyhow::Context as _;

/// The programs that are measured.
struct Programs {
    wharf: PathBuf,
    stub: PathBuf,
    floor_call: PathBuf,
    floor_http: PathBuf,
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "the table is the answer of this program")]
async fn main() -> anyhow::Result<()> {
    let (flags, paths): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|text| text.starts_with("--"));
    let mut paths = paths.into_iter().map(PathBuf::from);
    let mut next = |what: &'static str| paths.next().with_context(|| format!("no path of {what} given"));
    let programs = Programs {
        wharf: next("wharf")?,
        stub: next("stub-server")?,
        floor_call: next("floor-call")?,
        floor_http: next("floor-http")?,
    };
    let mut rows = cold::measure(&programs)?;
    rows.extend(echo::measure(&programs).await?);
    rows.extend(idle::measure(&programs)?);
    print!("{}", report::table(&rows));
    let missed = rows.iter().filter(|row| row.exceeds_limit()).count();
    if missed > 0 && flags.iter().any(|flag| flag == "--check") {
        anyhow::bail!("{missed} figures exceed their limit");
    }
    Ok(())
}
