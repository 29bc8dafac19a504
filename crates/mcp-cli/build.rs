//! Links the program at a fixed address on Linux.
//!
//! A command of a few milliseconds spends a fifth of them on relocating itself when it may lie anywhere. Libraries,
//! heap and stacks keep their random addresses.

#![expect(clippy::disallowed_methods, reason = "a build script speaks to cargo this way")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let linux = std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    let gnu = std::env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "gnu");
    if linux && gnu {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
