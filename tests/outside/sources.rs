//! Lines of source in findings: they are found from any current folder, wherever the target folder is.

use crate::support::{Outside, target_folder};
use std::fs;
use std::process::Command;

const PROGRAM: &str = "use warploom::prelude::*;

#[kernel]
fn beyond(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        // SAFETY: wrong: the last thread reads behind the slice.
        *y = unsafe { *x.as_ptr().add(i.get() + 1) };
    }
}

fn main() -> warploom::Result<()> {
    let device = Device::emulator();
    let (stream, x, mut y) = (device.stream()?, device.upload(&[7_u32; 64])?, device.zeroed(64)?);
    beyond::launch(&stream, Launch::new(1, 64), &x, &mut y)?;
    if let Err(found) = stream.synchronize() {
        println!(\"{found}\");
    }
    Ok(())
}
";

#[test]
fn programs_show_their_source_from_another_folder() {
    let outer = Outside::program("source-lines", PROGRAM);
    outer.builds();
    // A project of its own, with a file of the same name.
    let elsewhere = outer.folder.join("elsewhere");
    fs::create_dir_all(elsewhere.join("src")).unwrap();
    fs::write(elsewhere.join("Cargo.lock"), "").unwrap();
    let other = "// not this file\n".repeat(30);
    fs::write(elsewhere.join("src/main.rs"), other).unwrap();

    let mut program = Command::new(target_folder().join("debug/source-lines"));
    for (name, _) in std::env::vars() {
        if name.starts_with("CARGO") || name.starts_with("WARPLOOM") {
            program.env_remove(name);
        }
    }
    let output = program
        .env("WARPLOOM_EMULATOR", "checked")
        .current_dir(&elsewhere)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("error[WL0001]"), "{said}");
    let line = "\n 7 |         *y = unsafe { *x.as_ptr().add(i.get() + 1) };\n";
    assert!(said.contains(line), "{said}");
    assert!(!said.contains("not this file"), "{said}");
}
