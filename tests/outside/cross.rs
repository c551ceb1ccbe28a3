//! Builds for another target than the host: device code does not depend on it.

use crate::support::{Outside, device_code, target_folder};
use std::io::Write as _;
use std::path::{Path, PathBuf};

const MUSL: &str = "x86_64-unknown-linux-musl";
const AARCH64: &str = "aarch64-unknown-linux-gnu";

/// `.ci/run outside` installs the targets.
#[track_caller]
fn is_installed(target: &str) -> bool {
    let installed = std::process::Command::new("rustup")
        .args(["target", "list", "--installed"])
        .current_dir(crate::support::repository())
        .output();
    let installed = installed.map(|o| String::from_utf8_lossy(&o.stdout).into_owned());
    if installed.is_ok_and(|list| list.lines().any(|line| line == target)) {
        return true;
    }
    let text = format!("skipped: run `rustup target add {target}`");
    assert!(
        !std::env::var("WARPLOOM_REQUIRE_TARGETS").is_ok_and(|v| v == "1"),
        "{text}"
    );
    // Past the test runner's capture. If this fails, nothing is lost but the remark.
    drop(writeln!(std::io::stderr(), "{text}"));
    false
}

/// The objects with containers that the build script of a library wrote for a target.
fn archives(library: &str, target: &str) -> Vec<PathBuf> {
    let folders = target_folder().join(target).join("debug/build");
    let folders = std::fs::read_dir(folders).unwrap();
    let prefix = format!("{library}-");
    let folders = folders.map(|f| f.unwrap().path()).filter(|f| {
        let name = f.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&prefix)
    });
    let files = folders.filter_map(|f| std::fs::read_dir(f.join("out/warploom")).ok());
    files.flatten().map(|f| f.unwrap().path()).collect()
}

#[test]
fn a_program_for_musl_has_device_code_and_runs() {
    if !is_installed(MUSL) {
        return;
    }
    let program = Outside::program("cross-musl", include_str!("saxpy/src/main.rs"));
    let said = program.works(&["build", "--target", MUSL]);
    assert!(!said.text.contains("no GPU code"), "{}", said.text);
    let file = Path::new(MUSL).join("debug/cross-musl");
    let code = device_code(&target_folder().join(&file));
    assert_eq!(code[0].kernels(), ["cross_musl::saxpy"]);
    assert!(code[0].ptx[0].contains(".entry"), "{:?}", code[0].ptx);
    assert_eq!(
        program.prints(&file.display().to_string()).trim(),
        "emulator: y[0] = 5, all equal: true"
    );
}

/// The device code of a library, whose linker is ours: that of a program is not needed.
#[test]
fn a_library_for_musl_has_device_code() {
    if !is_installed(MUSL) {
        return;
    }
    let library = Outside::copy("kernels-lib", "cross-lib-musl");
    library.works(&["build", "--target", MUSL]);
    assert_eq!(
        kernels_in_archives("kernels-lib", MUSL),
        ["kernels_lib::scale"]
    );
}

#[test]
fn a_library_for_aarch64_has_device_code_and_instrumented_code() {
    use object::{Architecture, Object as _};
    if !is_installed(AARCH64) {
        return;
    }
    let library = Outside::copy("kernels-lib", "cross-lib-aarch64");
    library.works(&["build", "--target", AARCH64]);
    assert_eq!(
        kernels_in_archives("kernels-lib", AARCH64),
        ["kernels_lib::scale"]
    );
    let mut objects = 0;
    for archive in archives("kernels-lib", AARCH64) {
        let bytes = std::fs::read(archive).unwrap();
        let parsed = object::read::archive::ArchiveFile::parse(&*bytes).unwrap();
        for member in parsed.members() {
            let data = member.unwrap().data(&*bytes).unwrap();
            let object = object::File::parse(data).unwrap();
            assert_eq!(object.architecture(), Architecture::Aarch64);
            objects += 1;
        }
    }
    assert!(objects >= 2, "device code and instrumented code: {objects}");
}

fn kernels_in_archives(library: &str, target: &str) -> Vec<String> {
    let mut names = Vec::new();
    for archive in archives(library, target) {
        let bytes = std::fs::read(archive).unwrap();
        let parsed = object::read::archive::ArchiveFile::parse(&*bytes).unwrap();
        let members = parsed.members().map(|m| m.unwrap().data(&*bytes).unwrap());
        let code: Vec<_> = members.flat_map(crate::support::device_code_in).collect();
        assert!(code.iter().all(|c| c.manifest.failure.is_none()));
        assert!(
            code.iter()
                .flat_map(|c| &c.ptx)
                .any(|p| p.contains(".entry"))
        );
        names.extend(code.iter().flat_map(|c| c.kernels()).map(str::to_owned));
    }
    names
}

/// Objects of another format cannot carry it: one warning says so, and the kernels run on the emulator.
#[test]
fn a_build_for_windows_says_that_it_has_no_device_code() {
    const WINDOWS: &str = "x86_64-pc-windows-gnu";
    if !is_installed(WINDOWS) {
        return;
    }
    // Crates for Windows alone may have to be downloaded: no other test needs them.
    let program = Outside::program("cross-windows", include_str!("saxpy/src/main.rs"))
        .env("CARGO_NET_OFFLINE", "false");
    let said = program.works(&["check", "--target", WINDOWS]);
    // Cargo shows those of `warploom` only because it is no crate of a registry here.
    let of_program = |line: &&str| line.contains("GPU code") && line.contains("cross-windows@");
    let warnings = said.text.lines().filter(of_program);
    let warnings: Vec<&str> = warnings.collect();
    assert_eq!(warnings.len(), 1, "{}", said.text);
    assert!(
        warnings[0].ends_with("this build is for x86_64-pc-windows-gnu"),
        "{}",
        warnings[0]
    );
}
