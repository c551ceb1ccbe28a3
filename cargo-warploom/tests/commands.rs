//! The program as cargo starts it: what it makes, what it says, and its exit codes. What needs a build of kernels is in
//! `tests/outside/subcommand.rs` of the repository.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a run said.
struct Said {
    code: i32,
    out: String,
    err: String,
}

/// A new folder for a test, below cargo's own for tests.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs `cargo warploom` in a folder, with these variables and none of ours else.
fn run_with(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-warploom"));
    command.arg("warploom").args(arguments).current_dir(folder);
    for (name, _) in std::env::vars_os() {
        let name_text = name.to_string_lossy();
        if name_text.starts_with("WARPLOOM_") || name_text.starts_with("CUDA_") {
            command.env_remove(&name);
        }
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    Said {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn run(folder: &Path, arguments: &[&str]) -> Said {
    run_with(folder, arguments, &[])
}

/// A package without dependencies, with its lock file.
fn package(name: &str) -> PathBuf {
    let folder = folder(name);
    let manifest = format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[workspace]\n");
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::create_dir(folder.join("src")).unwrap();
    fs::write(folder.join("src/main.rs"), "fn main() {}\n").unwrap();
    folder
}

#[test]
fn a_new_project_has_all_files() {
    let place = folder("new");
    let said = run(&place, &["new", "hello-gpu"]);
    assert_eq!((said.code, &*said.err), (0, ""));
    assert_eq!(
        said.out,
        "made the project `hello-gpu` in hello-gpu; to run it: cd hello-gpu && cargo run\n"
    );
    let read = |file: &str| fs::read_to_string(place.join("hello-gpu").join(file)).unwrap();
    let manifest = read("Cargo.toml");
    assert!(manifest.contains("name = \"hello-gpu\"\n"), "{manifest}");
    assert!(manifest.contains("\nwarploom = \"0.1\"\n"), "{manifest}");
    assert!(
        manifest.contains("\nwarploom-build = \"0.1\"\n"),
        "{manifest}"
    );
    assert!(!manifest.contains("incremental"), "{manifest}");
    assert!(manifest.contains("\n[profile.dev]\ndebug = \"line-tables-only\"\n\n#"));
    assert!(read("build.rs").contains("warploom_build::compile();"));
    assert!(read("src/main.rs").contains("#[kernel]"));
    assert!(read("README.md").starts_with("# hello-gpu\n"));
    assert!(read(".github/workflows/ci.yml").contains("cargo test"));
    assert_eq!(read(".gitignore"), "/target\n");
}

#[test]
fn a_checkout_takes_the_place_of_versions() {
    let place = folder("new-path");
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let checkout = checkout.display().to_string();
    let said = run(
        &place,
        &["new", "a/b", "--name", "hello", "--path", &checkout],
    );
    assert_eq!((said.code, &*said.err), (0, ""));
    let manifest = fs::read_to_string(place.join("a/b/Cargo.toml")).unwrap();
    assert!(manifest.contains("name = \"hello\"\n"), "{manifest}");
    let library = format!("warploom = {{ path = \"{checkout}\" }}\n");
    assert!(manifest.contains(&library), "{manifest}");
    let profile = "\n[profile.dev.package.\"*\"]\nincremental = false\n\n#";
    assert!(manifest.contains(profile), "{manifest}");
    let wrong = run(&place, &["new", "c", "--path", "a"]);
    assert_eq!(wrong.code, 2);
    assert!(
        wrong
            .err
            .starts_with("error: a is no checkout of warploom: "),
        "{}",
        wrong.err
    );
    assert!(
        !place.join("c").exists(),
        "nothing is written before all is checked"
    );
}

#[test]
fn existing_folders_and_wrong_names_are_refused() {
    let place = folder("new-refused");
    fs::create_dir(place.join("there")).unwrap();
    let said = run(&place, &["new", "there"]);
    assert_eq!(said.code, 2);
    assert_eq!(
        said.err,
        "error: there exists already; choose another folder, or remove it\n"
    );
    let said = run(&place, &["new", "2fast"]);
    assert_eq!(said.code, 2);
    assert_eq!(
        said.err,
        "error: `2fast` cannot be a package's name: it starts with a digit; give another one with --name\n"
    );
    assert!(!place.join("2fast").exists());
}

#[test]
fn the_doctor_knows_a_machine_without_a_project() {
    // Below the repository's own folder cargo would find its Cargo.toml.
    let elsewhere = std::env::temp_dir().join(format!("warploom-doctor-{}", std::process::id()));
    fs::create_dir_all(&elsewhere).unwrap();
    let said = run(&elsewhere, &["doctor"]);
    fs::remove_dir_all(&elsewhere).unwrap();
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.starts_with("ok       rustc 1."), "{}", said.out);
    assert!(said.out.contains("\nok       LLVM "), "{}", said.out);
    assert!(
        said.out.contains("\nok       project: none here\n"),
        "{}",
        said.out
    );
    assert!(said.out.contains("\n0 errors, "), "{}", said.out);
}

#[test]
fn the_doctor_says_what_is_wrong_and_exits_with_1() {
    let place = package("doctor-wrong");
    let variables = [
        ("WARPLOOM_LLVM", "/nowhere/libLLVM.so"),
        ("WARPLOOM_DEVICE_CODE", "0"),
        ("WARPLOOM_SHEDULE", "reverse"),
    ];
    let said = run_with(&place, &["doctor"], &variables);
    assert_eq!(said.code, 1, "{}", said.out);
    for there in [
        "\nerror    WARPLOOM_LLVM names no LLVM that can be used\n",
        "         remedy: unset WARPLOOM_LLVM, or name another library\n",
        "\nwarning  WARPLOOM_DEVICE_CODE=0: no GPU code is built\n",
        "         remedy: did you mean WARPLOOM_SCHEDULE?\n",
        "\nok       project: no package here depends on warploom\n",
        "\n1 error, ",
    ] {
        assert!(said.out.contains(there), "no {there:?} in\n{}", said.out);
    }
}

#[test]
fn the_doctor_runs_the_self_test() {
    let place = package("doctor-self-test");
    let said = run(&place, &["doctor", "--self-test"]);
    assert_eq!(said.code, 0, "{}", said.out);
    let rows = said
        .out
        .lines()
        .filter(|line| line.starts_with("ok       self-test: "));
    assert!(rows.count() > 10, "{}", said.out);
}

#[test]
fn a_project_without_kernels_is_told_what_it_lacks() {
    let place = package("no-kernels");
    for arguments in [&["ptx", "saxpy"][..], &["check"]] {
        let said = run(&place, arguments);
        assert_eq!(said.code, 2);
        assert!(
            said.err.ends_with(
                "error: the programs that were built carry no kernels with device code; a build dependency on warploom-build and `warploom_build::compile()` in build.rs make it, and `cargo warploom doctor` checks both\n"
            ),
            "{}",
            said.err
        );
    }
}

#[test]
fn missing_tools_and_wrong_values_are_errors_before_a_build() {
    let place = package("no-tools");
    let nowhere = ("WARPLOOM_PTXAS", "/nowhere/ptxas");
    for arguments in [&["report"][..], &["sass", "saxpy"]] {
        let said = run_with(&place, arguments, &[nowhere]);
        let expected = (2, "error: WARPLOOM_PTXAS=/nowhere/ptxas is no file\n");
        assert_eq!((said.code, &*said.err), expected);
    }
    let said = run_with(
        &place,
        &["sanitize"],
        &[("WARPLOOM_COMPUTE_SANITIZER", "/nowhere")],
    );
    let expected = (2, "error: WARPLOOM_COMPUTE_SANITIZER=/nowhere is no file\n");
    assert_eq!((said.code, &*said.err), expected);
    let there = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let no_gpu = [
        ("WARPLOOM_COMPUTE_SANITIZER", there),
        ("CUDA_VISIBLE_DEVICES", ""),
    ];
    let said = run_with(&place, &["sanitize"], &no_gpu);
    assert_eq!(said.code, 2);
    assert!(
        said.err
            .starts_with("error: compute-sanitizer needs a GPU: "),
        "{}",
        said.err
    );
    assert!(said.err.contains("cargo warploom check"), "{}", said.err);
    let said = run(&place, &["check", "--schedules", "backwards"]);
    assert_eq!(said.code, 2);
    assert!(
        said.err.starts_with("error: `backwards` is no schedule; "),
        "{}",
        said.err
    );
    for (option, wrong, expected) in [
        ("--kernel", "scan,", "names of kernels, "),
        ("--launches", "0", "numbers of launches from 1 on "),
    ] {
        let said = run(&place, &["check", option, wrong]);
        let expected = format!("error: {option} {wrong}: {expected}");
        assert_eq!(said.code, 2);
        assert!(said.err.starts_with(&expected), "{}", said.err);
    }
    let said = run(&place, &["ptx", "saxpy", "--arch", "hopper"]);
    assert!(
        said.err.starts_with("error: `hopper` is no architecture; "),
        "{}",
        said.err
    );
    let said = run(&place, &["dance"]);
    assert_eq!(said.code, 2);
    assert!(
        said.err.contains("unrecognized subcommand 'dance'"),
        "{}",
        said.err
    );
    assert!(!place.join("target").exists(), "nothing was built");
}

#[test]
fn a_build_that_fails_is_an_error() {
    let place = package("broken");
    fs::write(place.join("src/main.rs"), "fn main() { missing() }\n").unwrap();
    let said = run(&place, &["check"]);
    assert_eq!(said.code, 2);
    assert!(
        said.err.contains("cannot find function `missing`"),
        "{}",
        said.err
    );
    assert!(
        said.err
            .ends_with("error: `cargo test` failed, see above\n"),
        "{}",
        said.err
    );
}
