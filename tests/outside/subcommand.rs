//! `cargo warploom`, from an empty folder to a report: a new project is built, run, shown, measured and checked. What the commands print is
//! kept in `docs/generated/cargo-warploom/`.

use crate::support::CommandOutput;
use crate::transcripts::{build, compare, new_project, transcript, warploom};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of ptxas whose figures are kept.
const PTXAS: &str = "13.0.88";

/// A race between the warps of a block: the barrier after the writes is missing.
const RACE: &str = "
/// Reverses each block, through shared memory.
#[kernel(block(64))]
fn reverse(block: Block, i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    let tile = warploom::shared_array!(f32, 64);
    let t = block.thread();
    // SAFETY: each thread writes its own slot. The barrier before the reads is missing.
    unsafe { tile.set(t, x[i.get()]) };
    // SAFETY: wrong: another warp may not have written yet.
    let value = unsafe { tile.get(63 - t) };
    if let Some(y) = y.get_mut(i) {
        *y = value;
    }
}

#[cfg(test)]
mod race {
    use super::*;

    #[test]
    fn blocks_are_reversed() -> warploom::Result<()> {
        let device = Device::open()?;
        let stream = device.stream()?;
        let (x, mut y) = (device.upload(&[1.0; 64])?, device.zeroed(64)?);
        reverse::launch(&stream, Launch::new(1, 64), &x, &mut y)?;
        stream.synchronize()?;
        Ok(())
    }
}
";

#[test]
fn a_new_project_runs_and_its_kernel_is_shown() {
    let project = new_project("hello");
    let help = warploom(&project, "--help");
    compare("help.txt", &transcript("--help", &help, &project));
    let made = "made the project `hello` in hello; to run it: cd hello && cargo run";
    compare(
        "new.txt",
        &format!("$ cargo warploom new hello --path ../warploom\n{made}\n"),
    );
    let said = project.works(&["run"]);
    assert_eq!(said.printed, "emulator: y[0] = 5, all equal: true\n");
    let said = project.works(&["test"]);
    assert!(
        said.printed
            .contains("test tests::saxpy_is_as_on_the_cpu ... ok"),
        "{}",
        said.text
    );
    if project.cargo(&["fmt", "--version"]).ok {
        project.works(&["fmt", "--check"]);
    }

    let line = "ptx saxpy";
    let said = warploom(&project, line);
    assert!(
        said.ok
            && said
                .printed
                .contains("// src/main.rs:7: *y += a * x[i.get()];")
    );
    compare("ptx.txt", &transcript(line, &said, &project));
    let plain = warploom(&project, "ptx saxpy --no-source");
    let is_code = |line: &&str| !line.starts_with("// ");
    let code = |said: &CommandOutput| {
        said.printed
            .lines()
            .filter(is_code)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        code(&plain),
        code(&said),
        "line information changes the code"
    );

    let line = "ir saxpy";
    let said = warploom(&project, line);
    assert!(
        said.ok
            && said
                .printed
                .contains("; src/main.rs:7: *y += a * x[i.get()];")
    );
    assert!(said.printed.contains("define ptx_kernel void @saxpy("));
    compare("ir.txt", &transcript(line, &said, &project));

    let line = "ptx axpy";
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(2));
    assert!(
        said.text.ends_with(
            "error: no kernel is called `axpy`; there are\n  hello::saxpy  saxpy  src/main.rs:4\n"
        ),
        "{}",
        said.text
    );
}

#[test]
fn reports_are_compared() {
    let Some(ptxas) = ptxas() else { return };
    let project = new_project("measured").env("WARPLOOM_PTXAS", ptxas.display().to_string());
    let is_kept = version(&ptxas).contains(&format!("V{PTXAS}"));
    let keep = |name: &str, line: &str, said: &CommandOutput| {
        if is_kept {
            compare(name, &transcript(line, said, &project));
        }
    };
    let line = "report --json before.json --html report.html";
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(0), "{}", said.text);
    assert!(
        said.printed.contains("measured::saxpy  sm_75"),
        "{}",
        said.printed
    );
    keep("report.txt", line, &said);
    let page = fs::read_to_string(project.folder.join("report.html")).unwrap();
    assert!(page.contains("<h2>measured::saxpy</h2>") && page.contains(">sm_100</td>"));
    if is_kept {
        compare("report.html", &page);
    }

    let line = "sass saxpy --arch sm_90";
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(0), "{}", said.text);
    assert!(
        said.printed.contains("// src/main.rs:7: ") && said.printed.contains("STG.E "),
        "{}",
        said.printed
    );
    keep("sass.txt", line, &said);

    let line = "report --compare before.json";
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(0), "{}", said.text);
    assert!(
        said.printed.ends_with("\n0 figures worse, 0 better\n"),
        "{}",
        said.printed
    );

    project.replace(
        "src/main.rs",
        "*y += a * x[i.get()];",
        "*y += (a * x[i.get()]).sqrt().recip();",
    );
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(1), "{}", said.text);
    assert!(
        said.printed
            .contains("\nworse: measured::saxpy for sm_90: instructions "),
        "{}",
        said.printed
    );
    keep("compare.txt", line, &said);
    let said = warploom(&project, "report --compare before.json --tolerance 1000");
    assert_eq!(said.code, Some(0), "{}", said.text);
}

#[test]
fn checks_find_a_race_and_write_a_page() {
    let project = new_project("checked");
    let line = "check";
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(0), "{}", said.text);
    assert!(
        said.printed
            .contains("4 runs under 4 schedules: 0 failed; found 0 errors, 0 warnings")
    );
    compare("check.txt", &transcript(line, &said, &project));

    let project = project.append("src/main.rs", RACE);
    let line = "check --schedules forward,random:7 --lints --html findings/index.html -- blocks_are_reversed";
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(1), "{}", said.text);
    assert!(said.printed.contains("error[WL0101]"), "{}", said.printed);
    assert!(
        said.printed
            .contains("= found in checked (unit tests) under forward, random:7")
    );
    compare("check-race.txt", &transcript(line, &said, &project));
    let page = fs::read_to_string(project.folder.join("findings/index.html")).unwrap();
    assert!(page.contains("<span class=\"code error\">WL0101</span>"));
    assert!(
        page.contains("<a href=\"kernels/0/reverse.html\">reverse, in checked (unit tests)</a>")
    );
    let of_kernel = project.folder.join("findings/kernels/0/reverse.html");
    assert!(
        fs::read_to_string(of_kernel)
            .unwrap()
            .contains("<h1>reverse</h1>")
    );

    let races = "check --schedules forward -- blocks_are_reversed";
    for (only, code) in [
        ("--kernel reverse", 1),
        ("--kernel -reverse", 0),
        ("--launches 1", 1),
        ("--launches 2..", 0),
    ] {
        let line = races.replace("--schedules", &format!("{only} --schedules"));
        let said = warploom(&project, &line);
        assert_eq!(said.code, Some(code), "{only}: {}", said.text);
    }
    let said = warploom(&project, "check --kernel scan");
    assert_eq!(said.code, Some(2), "{}", said.text);
    let expected = "--kernel leaves out all kernels; there are\n";
    assert!(said.text.contains(expected), "{}", said.text);
}

#[test]
fn the_doctor_knows_the_new_project() {
    let mut project = new_project("examined");
    let tools = project.folder.join("cuda/bin");
    fs::create_dir_all(&tools).unwrap();
    for (file, variable) in [
        ("ptxas", "WARPLOOM_PTXAS"),
        ("nvdisasm", "WARPLOOM_NVDISASM"),
        ("compute-sanitizer", "WARPLOOM_COMPUTE_SANITIZER"),
    ] {
        fs::write(tools.join(file), "").unwrap();
        project = project.env(variable, tools.join(file).display().to_string());
    }
    let line = "doctor";
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(0), "{}", said.text);
    for there in [
        "\nok       examined: build.rs compiles kernels\n",
        "\nok       examined: kernels are compiled of bin examined\n",
        "\nok       warploom and warploom-build 0.1.0\n",
        "\n0 errors, ",
    ] {
        assert!(
            said.printed.contains(there),
            "no {there:?} in\n{}",
            said.printed
        );
    }
    // Where there is a GPU, it has lines of its own.
    if said.printed.contains("found no NVIDIA driver") {
        compare("doctor.txt", &transcript(line, &said, &project));
    }
    project.write("build.rs", "fn main() {}\n");
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(0));
    assert!(
        said.printed
            .contains("\nwarning  examined: build.rs does not call warploom_build"),
        "{}",
        said.printed
    );
    let no_llvm = project.env("WARPLOOM_LLVM", "/nowhere");
    assert_eq!(warploom(&no_llvm, line).code, Some(1));
}

/// In place of compute-sanitizer: keeps its arguments, runs the program, and has found something if a file says so.
const SANITIZER: &str = r#"#!/bin/sh
here="$(dirname "$0")"
echo "$WARPLOOM_DEVICE: $*" >>"$here/calls"
while [ "${1#/}" = "$1" ]; do shift; done
"$@" || exit
[ ! -e "$here/found" ] || exit 86
"#;

/// A test for the fake driver, which cannot run the kernel of the project.
const GPU: &str = "
#[test]
fn the_device_is_a_gpu() -> warploom::Result<()> {
    assert!(Device::open()?.is_gpu());
    Ok(())
}
";

#[test]
#[cfg(target_os = "linux")]
fn sanitize_runs_test_programs_on_a_gpu_under_the_tool() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = new_project("sanitised").append("src/main.rs", GPU);
    let folder = project.folder.join("tools");
    fs::create_dir_all(&folder).unwrap();
    let tool = folder.join("compute-sanitizer");
    fs::write(&tool, SANITIZER).unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    let driver = build("warploom-fake-driver", "libwarploom_fake_driver.so");
    fs::copy(driver, folder.join("libcuda.so.1")).unwrap();
    let project = project
        .env("WARPLOOM_COMPUTE_SANITIZER", tool.display().to_string())
        .env("LD_LIBRARY_PATH", folder.display().to_string());

    let said = warploom(&project, "doctor");
    assert!(
        said.printed.contains("\nok       NVIDIA driver for CUDA "),
        "{}",
        said.printed
    );
    assert!(!said.printed.contains("no GPU is used"), "{}", said.printed);

    let said = warploom(
        &project,
        "sanitize --tool racecheck -- --exact the_device_is_a_gpu",
    );
    assert_eq!(said.code, Some(0), "{}", said.text);
    assert!(
        said.printed.contains("test the_device_is_a_gpu ... ok"),
        "{}",
        said.text
    );
    assert!(
        said.printed
            .ends_with("\nsanitised (unit tests): nothing found\n"),
        "{}",
        said.text
    );
    let calls = fs::read_to_string(folder.join("calls")).unwrap();
    let start = "cuda: --tool racecheck --error-exitcode 86 ";
    assert!(
        calls.starts_with(start) && calls.lines().count() == 1,
        "{calls}"
    );
    assert!(calls.ends_with(" --exact the_device_is_a_gpu\n"), "{calls}");

    fs::write(folder.join("found"), "").unwrap();
    let said = warploom(&project, "sanitize -- the_device_is_a_gpu");
    assert_eq!(said.code, Some(1), "{}", said.text);
    assert!(
        said.printed
            .ends_with("\nsanitised (unit tests): memcheck found something, see above\n"),
        "{}",
        said.text
    );
}

/// NVIDIA's assembler, if `WARPLOOM_PTXAS` names it.
fn ptxas() -> Option<PathBuf> {
    let named = std::env::var_os("WARPLOOM_PTXAS").map(PathBuf::from);
    if named.is_none() {
        let required = std::env::var("WARPLOOM_REQUIRE_PTXAS").is_ok_and(|value| value == "1");
        assert!(!required, "WARPLOOM_PTXAS does not name ptxas");
        eprintln!("skipped: WARPLOOM_PTXAS does not name ptxas");
    }
    named
}

fn version(ptxas: &Path) -> String {
    let said = Command::new(ptxas).arg("--version").output().unwrap();
    String::from_utf8_lossy(&said.stdout).into_owned()
}
