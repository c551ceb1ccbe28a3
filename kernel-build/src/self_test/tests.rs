//! Every row holds for the toolchain of these tests; what fails is named with its row.

use super::kernels::{self, INDICES, Sample};
use super::llvm_rows::INTRINSICS;
use super::probe::{Probe, Task};
use super::rows::{ROWS, Row};
use super::{Checked, keep, passed_before, read, run, rustc_rows, shown, verdict};
use crate::llvm::Module;
use crate::llvm::tests::{context, library};
use crate::toolchain::{Toolchain, Version, sysroot};
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

fn toolchain() -> Toolchain {
    let rustc = PathBuf::from(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    Toolchain {
        version: Version::of(&rustc).unwrap(),
        sysroot: sysroot(&rustc).unwrap(),
        rustc,
        llvm: library(),
    }
}

/// An empty folder of one test.
fn folder(name: &str) -> PathBuf {
    let folder = format!("warploom-self-test-{name}-{}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn probe(name: &str) -> Probe {
    Probe::new(Task::of(&toolchain(), folder(name)))
}

#[track_caller]
fn row(name: &str) -> &'static Row {
    ROWS.iter().find(|row| row.name == name).unwrap()
}

/// The message of each row that fails is what a port to another release begins with.
#[test]
fn every_row_holds_for_this_toolchain() {
    let probe = probe("rows");
    let failed = ROWS.iter().filter_map(|row| {
        let problem = (row.check)(&probe).err()?;
        Some(format!(
            "{}: {problem}\n  change {}\n",
            row.name, row.change
        ))
    });
    let failed: String = failed.collect();
    assert!(failed.is_empty(), "{failed}");
}

/// Each name is said once, in the table and in the documents.
#[test]
fn names_of_rows_are_different() {
    let names: BTreeSet<&str> = ROWS.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), ROWS.len());
}

/// In a process of its own, which this executable is as a build script's is.
#[test]
fn a_process_checks_all_rows() {
    let folder = folder("process");
    let checked = run(&toolchain(), &folder).unwrap();
    assert_eq!(verdict(&checked, "this toolchain"), Ok(()));
    let names: Vec<&str> = checked.iter().map(|c| &*c.row).collect();
    assert_eq!(names, ROWS.iter().map(|row| row.name).collect::<Vec<_>>());
    let lines = shown(&checked);
    assert_eq!(lines[0], "self-test: C functions of LLVM: passed");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0, "a leftover");
}

#[test]
fn a_failing_row_is_named_with_what_to_change() {
    let checked = [
        Checked {
            row: "C functions of LLVM".into(),
            problem: None,
        },
        Checked {
            row: "flags of rustc".into(),
            problem: Some("rustc refuses `-Zub-checks=no`:\n  error: unknown".into()),
        },
    ];
    let lines = shown(&checked);
    assert_eq!(
        lines[1],
        "self-test: flags of rustc: failed: rustc refuses `-Zub-checks=no`:; error: unknown"
    );
    assert_eq!(
        verdict(&checked, "rustc 1.100.0 with LLVM 24 (libLLVM.so.24.1)").unwrap_err(),
        "the self-test of rustc 1.100.0 with LLVM 24 (libLLVM.so.24.1) failed in the row `flags of rustc`: rustc refuses `-Zub-checks=no`:; error: unknown; a version of warploom-build for it differs in `DEVICE_FLAGS` in kernel-build/src/wrapper.rs, or use a toolchain that was tested: rustc 1.95 to 1.99 with LLVM 22 to 23"
    );
}

/// As LLVM does for an option that it does not know.
#[test]
fn a_process_that_ends_early_has_failed_in_the_row_that_it_began() {
    let printed = "{\"Begins\":\"C functions of LLVM\"}\n{\"Ended\":{\"row\":\"C functions of LLVM\",\"problem\":null}}\nnoise\n{\"Begins\":\"options of LLVM\"}\n";
    let aborted = ExitStatus::from_raw(6);
    let checked = read(printed, aborted, "for the option\nunknown option\n\n");
    assert_eq!(checked.len(), 2);
    assert_eq!(checked[1].row, "options of LLVM");
    let problem = checked[1].problem.as_deref().unwrap();
    assert!(
        problem.starts_with("the process ended (signal: 6 "),
        "{problem}"
    );
    assert!(problem.ends_with("): unknown option"), "{problem}");
    let nothing = read("", aborted, "");
    assert_eq!(nothing[0].row, "start");
}

#[test]
fn a_refused_flag_is_named() {
    let probe = probe("flags");
    let flags = ["-Copt-level=3", "-Zno-such-flag"];
    let error = probe.compile("", &flags).unwrap_err();
    let problem = rustc_rows::refused(&probe, &flags, &error);
    assert!(
        problem.starts_with("rustc refuses `-Zno-such-flag`: error: unknown unstable option"),
        "{problem}"
    );
}

/// A sysroot whose libraries are not there fails the rows that need them, and says which.
#[test]
fn a_toolchain_without_its_libraries_is_said_to_lack_them() {
    let mut task = Task::of(&toolchain(), folder("libraries"));
    task.sysroot = PathBuf::from("/nowhere");
    let probe = Probe::new(task);
    let problem = (row("core's panic functions").check)(&probe).unwrap_err();
    assert!(
        problem.starts_with("no libcore-*.rlib in /nowhere/lib/rustlib/"),
        "{problem}"
    );
}

#[test]
fn a_kernel_without_the_expected_ptx_is_an_error() {
    let probe = probe("sample");
    assert_eq!(kernels::check(&probe, &INDICES), Ok(()));
    let other = Sample {
        expected: &["%tid.x", "ld.unheard|ld.of"],
        ..INDICES
    };
    let problem = kernels::check(&probe, &other).unwrap_err();
    assert_eq!(problem, "the PTX of `indices` has no `ld.unheard|ld.of`");
}

#[test]
fn what_passed_is_kept_for_this_toolchain_alone() {
    let (toolchain, folder) = (toolchain(), folder("kept"));
    let of = |problem: Option<&str>| {
        [Checked {
            row: "flags of rustc".into(),
            problem: problem.map(str::to_owned),
        }]
    };
    keep(&toolchain, &folder, &of(Some("failed")));
    assert_eq!(passed_before(&toolchain, &folder), None);
    keep(&toolchain, &folder, &of(None));
    assert_eq!(passed_before(&toolchain, &folder).unwrap(), of(None));
    let mut other = toolchain.clone();
    other.version.text.push_str("commit-hash: other\n");
    assert_eq!(passed_before(&other, &folder), None);
    let mut other = toolchain;
    other.llvm.path = PathBuf::from("/nowhere/libLLVM.so.23.1");
    assert_eq!(passed_before(&other, &folder), None);
}

/// Names of intrinsics in the device library's tables.
fn of_the_device_library() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../device-std/src/intrinsics");
    let files = std::fs::read_dir(folder).unwrap();
    let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    let names = texts.flat_map(|text| {
        let symbols = text.split('"').skip(1).step_by(2);
        let of_llvm = symbols.filter(|s| s.starts_with("llvm.") && !s.contains([' ', '\n', '…']));
        of_llvm.map(str::to_owned).collect::<Vec<_>>()
    });
    names.collect()
}

/// With `WARPLOOM_BLESS=1` it is written anew.
#[test]
fn the_list_of_intrinsics_is_that_of_the_device_library() {
    let context = context();
    let mut module = Module::new(&context, "intrinsics");
    let lines = of_the_device_library().into_iter().map(|name| {
        let found = module.intrinsic(&name);
        let ty = found.map(|i| i.value_type().to_text());
        // A newer LLVM may have it in another form only.
        let mut listed = INTRINSICS.lines().filter_map(|l| l.split_once(' '));
        let known = listed
            .find(|(n, _)| *n == name)
            .map(|(_, ty)| ty.to_owned());
        format!("{name} {}\n", ty.or(known).unwrap_or_default())
    });
    let expected: String = lines.collect();
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/self_test/intrinsics.txt");
        std::fs::write(file, &expected).unwrap();
        return;
    }
    assert_eq!(INTRINSICS, expected, "WARPLOOM_BLESS=1 writes it anew");
}
