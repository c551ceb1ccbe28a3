//! The programs of `tests/`: each belongs to one of two packages, and those of the root have no kernels.

use super::{read, root};
use std::fs;

/// Neither package finds its programs by itself.
#[test]
fn every_test_program_is_declared_once() {
    let mut programs: Vec<String> = Vec::new();
    for entry in fs::read_dir(root().join("tests")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.join("main.rs").exists() {
            programs.push(format!("{name}/main.rs"));
        } else if path.extension().is_some_and(|e| e == "rs") && name != "build" {
            programs.push(format!("{name}.rs"));
        }
    }
    programs.sort();
    let mut declared = Vec::new();
    for (manifest, folder) in [("Cargo.toml", "tests/"), ("tests/Cargo.toml", "")] {
        let text = read(manifest);
        let tests = text.split("[[test]]").skip(1);
        let paths = tests.filter_map(|test| test.split("path = \"").nth(1)?.split('"').next());
        declared.extend(paths.map(|path| path.strip_prefix(folder).unwrap().to_owned()));
    }
    declared.sort();
    assert_eq!(
        programs, declared,
        "programs in tests/ (left), [[test]] of Cargo.toml and tests/Cargo.toml"
    );
}

/// The root has no build script, without which its kernels would have no device code.
#[test]
fn tests_of_the_root_have_no_kernels() {
    assert!(!root().join("build.rs").exists());
    let manifest = read("Cargo.toml");
    for test in manifest.split("path = \"tests/").skip(1) {
        let name = test.split(".rs\"").next().unwrap();
        let text = read(&format!("tests/{name}.rs"));
        let line = text.lines().find(|line| line.trim() == "#[kernel]");
        assert_eq!(line, None, "tests/{name}.rs belongs to tests/Cargo.toml");
    }
}
