//! The nested cargo and the outer build do not disturb each other (section 3 of the design, number 10).

use crate::support::{DeviceCode, Outside, device_code, target_folder};
use std::fs;

fn storing(value: &str) -> String {
    format!(
        "use warploom::prelude::*;\n\n#[kernel]\nfn store(i: Index1D, mut y: DisjointSlice<u32>) {{\n    if let Some(y) = y.get_mut(i) {{\n        *y = {value};\n    }}\n}}\n"
    )
}

fn program(value: &str) -> String {
    storing(value) + "\nfn main() {}\n"
}

#[track_caller]
fn assert_stores(code: &[DeviceCode], kernel: &str, value: u32) {
    let found = code.iter().find(|c| c.kernels().contains(&kernel));
    let found = found.unwrap_or_else(|| panic!("no {kernel} in {code:#?}"));
    assert!(
        found.ptx[0].contains(&value.to_string()),
        "{}",
        found.ptx[0]
    );
}

/// A dependency as some are: its build script tries an unstable feature, and uses it if that works.
#[test]
fn build_scripts_of_dependencies_see_a_stable_compiler() {
    let script = r##"use std::process::Command;

fn main() {
    if std::env::var_os("RUSTC_BOOTSTRAP").is_some() {
        println!("cargo::error=RUSTC_BOOTSTRAP is visible");
    }
    let out = std::env::var("OUT_DIR").unwrap();
    let probe = format!("{out}/probe.rs");
    std::fs::write(&probe, "#![feature(core_intrinsics)]\npub fn f() {}\n").unwrap();
    let mut rustc = match std::env::var_os("RUSTC_WRAPPER").filter(|w| !w.is_empty()) {
        Some(wrapper) => {
            let mut command = Command::new(wrapper);
            command.arg(std::env::var_os("RUSTC").unwrap());
            command
        }
        None => Command::new(std::env::var_os("RUSTC").unwrap()),
    };
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap();
    let flags = flags.split('\x1f').filter(|f| !f.is_empty());
    rustc.args(["--crate-type=lib", "--emit=metadata", "--crate-name=probe", "--out-dir", &out, &probe]);
    let output = rustc.args(flags).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        println!("cargo::error=a nightly probe succeeds");
    }
    if !said.contains("E0554") {
        println!("cargo::error=the probe fails for another reason: {}", said.replace('\n', " "));
    }
}
"##;
    let outer = Outside::program("trap-bootstrap", &program("trap_probing::VALUE"))
        .append(
            "Cargo.toml",
            "\n[dependencies.trap-probing]\npath = \"probing\"\n",
        )
        .file(
            "probing/Cargo.toml",
            "[package]\nname = \"trap-probing\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
        )
        .file("probing/build.rs", script)
        .file("probing/src/lib.rs", "pub const VALUE: u32 = 12345678;\n");
    outer.builds();
    assert_stores(&outer.device_code(), "trap_bootstrap::store", 12_345_678);
}

/// One build has all that makes cargo compile every dependency anew. It also shows that a build for a named triple does not deadlock: the
/// outer cargo holds the lock of its target folder all the while.
#[test]
fn a_profile_and_cfgs_are_handed_on_for_a_named_triple_and_other_flags_are_not() {
    let adds = "{ let j = i.get() as u32; if cfg!(twelve) { j * j * 3 + 12345678 } else { 0 } }";
    let main = multiplying(adds)
        + "\n#[cfg(all(warploom_device, target_feature = \"avx2\"))]\ncompile_error!(\"-Ctarget-feature came through\");\n";
    let outer = Outside::program("trap-flags", &main)
        .append(
            "Cargo.toml",
            "\n[lints.rust]\nunexpected_cfgs = { level = \"allow\", priority = 0 }\n\n[profile.tuned]\ninherits = \"dev\"\noverflow-checks = false\n",
        )
        .env("RUSTFLAGS", "--cfg twelve -Ctarget-feature=+avx2");
    let host = host(&outer);
    outer.works(&["build", "--target", &host, "--profile", "tuned"]);
    let program = target_folder().join(host).join("tuned/trap-flags");
    let code = device_code(&program);
    assert_eq!(code[0].kernels(), ["trap_flags::store"]);
    let ptx = &code[0].ptx[0];
    assert!(ptx.contains("12345678"), "the cfg came through:\n{ptx}");
    assert!(
        !ptx.contains("exit;"),
        "this profile does not check for overflow:\n{ptx}"
    );
}

#[test]
fn features_are_handed_on() {
    let outer = Outside::program(
        "trap-features",
        &program("if cfg!(feature = \"small\") { 11223344 } else { 55667788 }"),
    )
    .append(
        "Cargo.toml",
        "\n[features]\ndefault = [\"large-number\"]\nlarge-number = []\nsmall = []\n",
    );
    outer.works(&["build", "--no-default-features", "--features", "small"]);
    assert_stores(&outer.device_code(), "trap_features::store", 11_223_344);
    outer.builds();
    assert_stores(&outer.device_code(), "trap_features::store", 55_667_788);
}

#[test]
fn the_dev_profile_checks_for_overflow() {
    let adds = "{ let j = i.get() as u32; j * j * 3 + 5 }";
    let outer = Outside::program("trap-overflow", &multiplying(adds)).append(
        "Cargo.toml",
        "\n[profile.dev.build-override]\nopt-level = 0\n",
    );
    outer.builds();
    assert!(outer.ptx().contains("exit;"), "{}", outer.ptx());
}

/// A program whose index stays in scope of the value that is stored.
fn multiplying(value: &str) -> String {
    program(value).replace(
        "if let Some(y) = y.get_mut(i)",
        "let j = i;\n    let i = j;\n    if let Some(y) = y.get_mut(j)",
    )
}

#[test]
fn every_target_of_a_package_finds_its_device_code() {
    let outer = Outside::package("trap-targets")
        .file(
            "src/lib.rs",
            &format!(
                "//! A library.\n{}\n#[cfg(test)]\nmod tests {{\n{}}}\n",
                storing("10000001").replace("fn store", "/// Stores.\npub fn store"),
                storing("10000002")
            ),
        )
        .file("src/main.rs", &program("10000003"))
        .file("src/bin/trap-second.rs", &program("10000004"))
        .file("examples/trap-example.rs", &program("10000005"))
        .file("tests/trap_test.rs", &storing("10000006"));
    let said = outer.works(&["build", "--all-targets", "--message-format=json"]);
    let library = "trap_targets::store";
    let program = |name: &str| device_code(&target_folder().join("debug").join(name));
    let first = program("trap-targets");
    assert_stores(&first, library, 10_000_003);
    assert_stores(&program("trap-second"), "trap_second::store", 10_000_004);
    assert_stores(
        &program("examples/trap-example"),
        "trap_example::store",
        10_000_005,
    );
    let tests: Vec<DeviceCode> = said
        .text
        .split("\"executable\":\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .filter(|path| fs::metadata(path).is_ok())
        .flat_map(|path| device_code(path.as_ref()))
        .collect();
    assert_stores(&tests, "trap_test::store", 10_000_006);
    assert_stores(&tests, "trap_targets::tests::store", 10_000_002);
    let of_the_library = tests.iter().filter(|c| c.kernels().contains(&library));
    assert!(
        of_the_library
            .clone()
            .any(|c| c.ptx[0].contains("10000001")),
        "{tests:#?}"
    );
}

/// Kernels only in files that a target names with `mod`, and launches only inside a library's function.
#[test]
fn kernels_in_modules_of_a_test_and_launches_by_a_library_are_found() {
    let library = "use warploom::prelude::*;

#[kernel]
fn map<F: Fn(u32) -> u32 + Copy + Send + Sync + 'static>(i: Index1D, mut y: DisjointSlice<u32>, f: F) {
    if let Some(y) = y.get_mut(i) {
        *y = f(*y);
    }
}

/// Applies `f` to some numbers.
#[track_caller]
pub fn apply(f: impl Fn(u32) -> u32 + Copy + Send + Sync + 'static) -> u32 {
    let device = Device::open().unwrap();
    let stream = device.stream().unwrap();
    let mut y = device.zeroed::<u32>(9).unwrap();
    map::launch(&stream, Launch::covering(9), &mut y, f).unwrap();
    y.to_vec(&stream).unwrap()[8]
}
";
    let outer = Outside::package("trap-hidden")
        .file("src/lib.rs", library)
        .file(
            "src/main.rs",
            "fn main() {\n    println!(\"{}\", trap_hidden::apply(|v| v + 10000007));\n}\n",
        )
        .file("tests/trap_hidden_test.rs", "mod deeper;\n")
        .file("tests/deeper/mod.rs", "mod kernels;\n")
        .file("tests/deeper/kernels.rs", &storing("10000008"));
    let said = outer.works(&["build", "--all-targets", "--message-format=json"]);
    let code = outer.device_code();
    let kernel = "trap_hidden::map<trap_hidden::main::{{closure}}>";
    assert!(
        code.iter().any(|c| c
            .manifest
            .kernels
            .iter()
            .any(|k| k.name.contains("main::{{closure}}"))
            && c.ptx[0].contains("10000007")),
        "no {kernel}: {code:#?}"
    );
    let test = said
        .text
        .split("\"executable\":\"")
        .filter_map(|rest| rest.split('"').next())
        .find(|path| path.contains("trap_hidden_test"));
    assert_stores(
        &device_code(test.unwrap().as_ref()),
        "trap_hidden_test::deeper::kernels::store",
        10_000_008,
    );
}

fn host(outer: &Outside) -> String {
    let version = outer.run("rustc".as_ref(), &["-vV"]).text;
    let host = version.lines().find_map(|l| l.strip_prefix("host: "));
    host.unwrap().to_owned()
}

/// cargo is started somewhere else, with the target folder somewhere else again.
#[test]
fn a_manifest_path_from_elsewhere_finds_the_targets() {
    let outer = Outside::program("trap-elsewhere", &program("12345678"));
    let manifest = outer.folder.join("Cargo.toml").display().to_string();
    let away = Outside::package("trap-away");
    away.works(&["build", "--manifest-path", &manifest]);
    assert_stores(&outer.device_code(), "trap_elsewhere::store", 12_345_678);
}
