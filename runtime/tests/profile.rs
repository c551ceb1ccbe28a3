//! Ranges and marks reach a profiler's library, the way NVTX finds it; without one nothing happens.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed test should stop there")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use warploom_runtime::profile::{self, NoTool};
use warploom_runtime::{Device, Result};

/// Where the library writes, and the sign that this process is the one whose profile is checked.
const LOG: &str = "TOOL_LOG";

fn make_calls() -> Result<()> {
    profile::name_thread("first");
    let range = profile::range("whole");
    {
        let _outer = profile::scope("outer");
        let _inner = profile::scope("inner\0rest");
        profile::mark("now");
    }
    std::thread::spawn(move || drop(range)).join().unwrap();
    let device = Device::emulator();
    profile::name_stream(&device.stream()?, "of the emulator: in no profile");
    profile::start(&device)?;
    profile::stop(&device)?;
    Ok(())
}

/// Builds the library; the path of it.
fn build() -> PathBuf {
    let library = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("libtool.so");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/profile/tool.rs");
    let mut command = Command::new(rustc);
    command
        .args(["--edition", "2024", "--crate-type", "cdylib", "-o"])
        .arg(&library)
        .arg(source);
    // Where cargo was given a linker for another processor, this program was built for that one.
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let variable = target.to_uppercase().replace('-', "_");
    if let Ok(linker) = std::env::var(format!("CARGO_TARGET_{variable}_LINKER")) {
        command.args(["--target", &target, &format!("-Clinker={linker}")]);
    }
    let built = command.output().unwrap();
    let text = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{text}");
    library
}

//@ rows: TT-4
#[test]
fn calls_reach_the_tool_in_order() {
    let log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tool.log");
    drop(fs::remove_file(&log));
    let child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "without_a_tool_nothing_happens",
            "--test-threads",
            "1",
        ])
        .env("NVTX_INJECTION64_PATH", build())
        .env(LOG, &log)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{text}");
    let log = fs::read_to_string(log).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    let expected = [
        "attached",
        "thread true first",
        "start whole",
        "push outer",
        "push inner",
        "mark now",
        "pop",
        "pop",
        "end 6",
    ];
    assert_eq!(lines, expected);
}

/// Also what the test above runs in a process of its own, where there is a tool.
#[test]
fn without_a_tool_nothing_happens() -> Result<()> {
    match profile::tool() {
        Ok(()) => assert!(std::env::var_os(LOG).is_some()),
        Err(error) => assert!(matches!(error, NoTool::NotAsked { .. }), "{error}"),
    }
    make_calls()
}
