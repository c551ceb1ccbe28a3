//! Device code follows what cargo itself follows: lock file, patches, configuration, and whatever was mended after a failure.

use crate::support::{BUILD, Outside, workshop};
use std::fs;
use std::path::Path;

const MAIN: &str = "use warploom::prelude::*;

#[kernel]
fn store(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = inputs_dep::VALUE;
    }
}

fn main() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(10)?;
    store::launch(&stream, Launch::covering(10), &mut y)?;
    println!(\"{}\", y.to_vec(&stream)?[9]);
    Ok(())
}
";

/// Writes a package with one constant.
fn dependency(folder: &Path, version: &str, value: u32) {
    fs::create_dir_all(folder.join("src")).unwrap();
    let manifest =
        format!("[package]\nname = \"inputs-dep\"\nversion = \"{version}\"\nedition = \"2024\"\n");
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    let library = format!("pub const VALUE: u32 = {value};\n");
    fs::write(folder.join("src/lib.rs"), library).unwrap();
    let checksum = "{\"files\":{},\"package\":null}";
    fs::write(folder.join(".cargo-checksum.json"), checksum).unwrap();
}

/// All tests share one target folder, so each has a registry of its own.
fn index(name: &str) -> String {
    format!("https://{name}.invalid/index")
}

/// A workspace with a program that takes `inputs-dep` from a registry, which is a folder of packages.
fn workspace(name: &str) -> Outside {
    let place = workshop().join("inputs").join(name);
    let _ = fs::remove_dir_all(&place);
    for (patch, value) in [(0, 10_000_010), (1, 10_000_011)] {
        let version = format!("1.0.{patch}");
        let folder = place.join(format!("vendor/inputs-dep-{version}"));
        dependency(&folder, &version, value);
    }
    dependency(&place.join("patched"), "1.0.7", 10_000_017);
    dependency(&place.join("patched-again"), "1.0.8", 10_000_018);
    let outside = Outside::empty(name, &format!("inputs/{name}/workspace"));
    fs::create_dir_all(place.join(".cargo")).unwrap();
    let index = index(name);
    let registry = format!(
        "[registries.inputs]\nindex = \"{index}\"\n\n[source.inputs]\nregistry = \"{index}\"\nreplace-with = \"folder\"\n\n[source.folder]\ndirectory = \"vendor\"\n"
    );
    fs::write(place.join(".cargo/config.toml"), registry).unwrap();
    outside
        .file("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"member\"]\n")
        .file("member/Cargo.toml", &format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nwarploom = \"0.1\"\ninputs-dep = {{ version = \"1\", registry = \"inputs\" }}\n\n[build-dependencies]\nwarploom-build = \"0.1\"\n"))
        .file("member/build.rs", BUILD)
        .file("member/src/main.rs", MAIN)
}

/// Builds, expects this constant on both sides, and that a second build does nothing.
#[track_caller]
fn stores(outer: &Outside, value: u32) {
    outer.builds();
    let program = format!("debug/{}", outer.name);
    let ptx = outer.ptx();
    assert!(ptx.contains(&value.to_string()), "no {value} in {ptx}");
    assert_eq!(outer.prints(&program).trim(), value.to_string());
    let ran = outer.script_ran();
    let said = outer.builds();
    assert!(!said.text.contains("Compiling"), "{}", said.text);
    assert_eq!(outer.script_ran(), ran, "the build script ran again");
}

#[test]
fn device_code_follows_the_lock_file_patches_and_configuration() {
    let outer = workspace("inputs-followed");
    stores(&outer, 10_000_011);

    // What `cargo update --precise` does; it ignores folders of packages.
    let locked = |version: &str| format!("name = \"inputs-dep\"\nversion = \"{version}\"");
    outer.replace("Cargo.lock", &locked("1.0.1"), &locked("1.0.0"));
    stores(&outer, 10_000_010);
    outer.works(&["update", "-p", "inputs-dep"]);
    stores(&outer, 10_000_011);

    // The workspace's manifest is not that of the package.
    let manifest = fs::read_to_string(outer.folder.join("Cargo.toml")).unwrap();
    let index = index(&outer.name);
    let patch =
        |folder: &str| format!("[patch.\"{index}\"]\ninputs-dep = {{ path = \"{folder}\" }}\n");
    outer.write(
        "Cargo.toml",
        &format!("{manifest}\n{}", patch("../patched")),
    );
    outer.works(&["update", "-p", "inputs-dep"]);
    stores(&outer, 10_000_017);
    // Without the patch cargo resolves the package anew.
    outer.write("Cargo.toml", &manifest);
    stores(&outer, 10_000_011);

    // A configuration that was not there, and is not there again.
    for name in [".cargo/config.toml", ".cargo/config"] {
        outer.write(name, &patch("../patched-again"));
        outer.works(&["update", "-p", "inputs-dep"]);
        stores(&outer, 10_000_018);
        fs::remove_file(outer.folder.join(name)).unwrap();
        stores(&outer, 10_000_011);
    }
}

/// Only the lock file's content decides in the test above; here it stays as it is.
#[test]
fn a_configuration_that_appears_runs_the_build_script_again() {
    let outer = workspace("inputs-appearing");
    stores(&outer, 10_000_011);
    let other = "[term]\nverbose = false\n";
    for folder in ["..", "."] {
        let name = format!("{folder}/.cargo/config");
        let ran = outer.script_ran();
        outer.write(&name, other);
        // Cargo prefers the name without extension if both are there, and needs the registry.
        if folder == ".." {
            let registry = fs::read_to_string(outer.folder.join("../.cargo/config.toml")).unwrap();
            outer.write(&name, &format!("{registry}\n{other}"));
        }
        stores(&outer, 10_000_011);
        assert!(outer.script_ran() > ran, "{name} appeared");
        let ran = outer.script_ran();
        fs::remove_file(outer.folder.join(&name)).unwrap();
        stores(&outer, 10_000_011);
        assert!(outer.script_ran() > ran, "{name} disappeared");
    }
}

/// The helper is no dependency of the program, only of its test; its sources are not known while it does not compile.
#[test]
fn a_test_dependency_that_was_mended_is_built() {
    let broken =
        "#[cfg(warploom_device)]\ncompile_error!(\"not yet\");\npub const VALUE: u32 = 10000021;\n";
    let outer = Outside::package("inputs-mended")
        .append(
            "Cargo.toml",
            "\n[dev-dependencies.inputs-helper]\npath = \"../inputs-helper\"\n",
        )
        .file("src/lib.rs", "//! Nothing.\n")
        .file(
            "tests/helped.rs",
            &MAIN
                .replace("inputs_dep", "inputs_helper")
                .replace("fn main", "#[test]\nfn main"),
        )
        .file(
            "../inputs-helper/Cargo.toml",
            "[package]\nname = \"inputs-helper\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
        )
        .file("../inputs-helper/src/lib.rs", broken);
    let said = outer.works(&["test", "--no-run"]);
    assert!(
        said.text.contains("cannot compile test `helped`"),
        "{}",
        said.text
    );
    outer.write(
        "../inputs-helper/src/lib.rs",
        "pub const VALUE: u32 = 10000021;\n",
    );
    let said = outer.works(&["test", "--no-run", "--message-format=json"]);
    let mut paths = said.text.split("\"executable\":\"").skip(1);
    let path = paths.find_map(|rest| rest.split('"').next().filter(|p| p.contains("helped-")));
    let code = crate::support::device_code(path.unwrap().as_ref());
    assert!(
        code.iter()
            .any(|c| c.ptx.iter().any(|p| p.contains("10000021"))),
        "{code:#?}"
    );
    let ran = outer.script_ran();
    outer.works(&["test", "--no-run"]);
    assert_eq!(outer.script_ran(), ran, "the build script ran again");
}
