//! Kernels are compiled from the versions, features and checks of dependencies that the final program has.

use crate::support::{BUILD, Outside, device_code, target_folder, workshop};
use std::fs;

/// A library whose kernel stores a constant of `dependency`, which its host code names too.
fn library(dependency: &str) -> String {
    format!(
        "//! A library.\nuse warploom::prelude::*;\n\n/// Of the host.\npub const LIMIT: u32 = {dependency}::LIMIT;\n\n/// Stores it.\n#[kernel]\npub fn store(i: Index1D, mut y: DisjointSlice<u32>) {{\n    if let Some(y) = y.get_mut(i) {{\n        *y = {dependency}::LIMIT;\n    }}\n}}\n"
    )
}

/// A program that prints the host's constant and the kernel's.
fn program(library: &str) -> String {
    format!(
        "use warploom::prelude::*;\n\nfn main() -> warploom::Result<()> {{\n    let device = Device::open()?;\n    let stream = device.stream()?;\n    let mut y = device.zeroed::<u32>(10)?;\n    {library}::store::launch(&stream, Launch::covering(10), &mut y)?;\n    println!(\"{{}} {{}}\", {library}::LIMIT, y.to_vec(&stream)?[9]);\n    Ok(())\n}}\n"
    )
}

/// A constant that depends on a feature.
fn limit(low: u32, high: u32) -> String {
    format!("pub const LIMIT: u32 = if cfg!(feature = \"low\") {{ {low} }} else {{ {high} }};\n")
}

fn plain(name: &str, version: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2024\"\n\n[features]\nlow = []\n"
    )
}

fn with_kernels(name: &str, dependencies: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nwarploom = \"0.1\"\n{dependencies}\n[build-dependencies]\nwarploom-build = \"0.1\"\n"
    )
}

/// Expects this constant, and no other, in the device code of a built program.
#[track_caller]
fn carries(program: &str, value: u32, other: u32) {
    let code = device_code(&target_folder().join(program));
    let ptx: String = code.iter().flat_map(|c| c.ptx.clone()).collect();
    assert!(ptx.contains(&value.to_string()), "no {value} in {ptx}");
    assert!(!ptx.contains(&other.to_string()), "{other} in {ptx}");
}

/// The library is no member of the program's workspace: neither from a path nor from a registry.
#[test]
fn a_feature_that_only_the_program_enables_reaches_the_kernels_of_a_library() {
    let place = "features-program";
    let user = Outside::empty(place, &format!("{place}/user"))
        .file("Cargo.toml", &with_kernels(place, "features-program-lib = { path = \"../lib\" }\nfeatures-program-dep = { path = \"../dep\", features = [\"low\"] }\n"))
        .file("build.rs", BUILD)
        .file("src/main.rs", &program("features_program_lib"))
        .file("../lib/Cargo.toml", &with_kernels("features-program-lib", "features-program-dep = { path = \"../dep\" }\n"))
        .file("../lib/build.rs", BUILD)
        .file("../lib/src/lib.rs", &library("features_program_dep"))
        .file("../dep/Cargo.toml", &plain("features-program-dep", "0.1.0"))
        .file("../dep/src/lib.rs", &limit(10_000_104, 10_000_140));
    user.builds();
    carries("debug/features-program", 10_000_104, 10_000_140);
    user.works(&["build", "--release"]);
    carries("release/features-program", 10_000_104, 10_000_140);

    // The library's build script has no reason of its own to run again.
    user.replace("Cargo.toml", ", features = [\"low\"]", "");
    user.builds();
    carries("debug/features-program", 10_000_140, 10_000_104);
    let said = user.builds();
    assert!(!said.text.contains("Compiling"), "{}", said.text);
}

/// Members are built apart and together, which gives the shared dependency other features; none of it changes a file.
#[test]
fn members_that_are_built_apart_and_together_have_the_features_of_each_build() {
    let name = "features-apart";
    let main = program("features_apart");
    let both = Outside::empty(name, name)
        .file("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"lib\", \"user\", \"dep\"]\n")
        .file("lib/Cargo.toml", &with_kernels(name, "features-apart-dep = { path = \"../dep\" }\n"))
        .file("lib/build.rs", BUILD)
        .file("lib/src/lib.rs", &library("features_apart_dep"))
        .file("lib/src/main.rs", &(main.clone() + "\n#[kernel]\nfn own(i: Index1D, mut y: DisjointSlice<u32>) {\n    if let Some(y) = y.get_mut(i) {\n        *y = features_apart::LIMIT;\n    }\n}\n"))
        .file("user/Cargo.toml", &with_kernels("features-apart-user", "features-apart = { path = \"../lib\" }\nfeatures-apart-dep = { path = \"../dep\", features = [\"low\"] }\n"))
        .file("user/build.rs", BUILD)
        .file("user/src/main.rs", &main)
        .file("dep/Cargo.toml", &plain("features-apart-dep", "0.1.0"))
        .file("dep/src/lib.rs", &limit(10_000_204, 10_000_240));
    for _ in 0..2 {
        both.works(&["build", "-p", name]);
        carries("debug/features-apart", 10_000_240, 10_000_204);
        both.works(&["build", "-p", "features-apart-user"]);
        carries("debug/features-apart-user", 10_000_204, 10_000_240);
        assert_eq!(
            both.prints("debug/features-apart-user").trim(),
            "10000204 10000204"
        );
    }
    both.works(&["build", "--workspace"]);
    carries("debug/features-apart", 10_000_204, 10_000_240);
    let ran = both.script_ran();
    let said = both.works(&["build", "--workspace"]);
    assert!(!said.text.contains("Compiling"), "{}", said.text);
    assert_eq!(both.script_ran(), ran, "the build script ran again");
}

/// Two versions from a registry, of which one is patched in the manifest of the program's workspace alone.
#[test]
fn versions_and_patches_of_the_program_reach_the_kernels_of_a_library() {
    let name = "features-versions";
    let place = workshop().join(name);
    let _ = fs::remove_dir_all(&place);
    let index = format!("https://{name}.invalid/index");
    let registry = format!(
        "[registries.versions]\nindex = \"{index}\"\n\n[source.versions]\nregistry = \"{index}\"\nreplace-with = \"folder\"\n\n[source.folder]\ndirectory = \"../vendor\"\n"
    );
    let registry_dependency = |version: &str| {
        format!(
            "package = \"features-versions-dep\", version = \"{version}\", registry = \"versions\""
        )
    };
    let (one, two) = (registry_dependency("1"), registry_dependency("2"));
    let dependencies = format!(
        "features-versions-lib = {{ path = \"../lib\" }}\none = {{ {one}, features = [\"low\"] }}\ntwo = {{ {two} }}\n"
    );
    let mut user = Outside::empty(name, &format!("{name}/user"))
        .file(".cargo/config.toml", &registry)
        .file("Cargo.toml", &with_kernels(name, &dependencies))
        .file("build.rs", BUILD)
        .file("src/main.rs", &program("features_versions_lib"))
        .file(
            "../lib/Cargo.toml",
            &with_kernels("features-versions-lib", &format!("dep = {{ {one} }}\n")),
        )
        .file("../lib/build.rs", BUILD)
        .file("../lib/src/lib.rs", &library("dep"));
    for (folder, version, low) in [
        ("vendor/dep-1", "1.0.0", 10_000_301),
        ("vendor/dep-2", "2.0.0", 10_000_302),
        ("patched", "1.0.9", 10_000_303),
    ] {
        user = user
            .file(
                &format!("../{folder}/Cargo.toml"),
                &plain("features-versions-dep", version),
            )
            .file(
                &format!("../{folder}/.cargo-checksum.json"),
                "{\"files\":{},\"package\":null}",
            )
            .file(&format!("../{folder}/src/lib.rs"), &limit(low, low + 50));
    }
    user.builds();
    carries("debug/features-versions", 10_000_301, 10_000_351);
    let user = user.append(
        "Cargo.toml",
        &format!("\n[patch.\"{index}\"]\nfeatures-versions-dep = {{ path = \"../patched\" }}\n"),
    );
    user.works(&["update", "-p", "features-versions-dep@1"]);
    user.builds();
    carries("debug/features-versions", 10_000_303, 10_000_353);
}

/// A dependency of the host alone enables a feature of one that both sides have: no flag of cargo brings that into the device pass.
#[test]
fn what_cannot_be_compiled_alike_is_an_error_with_its_remedy() {
    let name = "features-refused";
    let own = program("features_refused_dep").replace("features_refused_dep::store", "store")
        + "\n#[kernel]\nfn store(i: Index1D, mut y: DisjointSlice<u32>) {\n    if let Some(y) = y.get_mut(i) {\n        *y = features_refused_dep::LIMIT;\n    }\n}\n";
    let outer = Outside::package(name)
        .append("Cargo.toml", "\n[dependencies.features-refused-dep]\npath = \"dep\"\n\n[target.'cfg(not(warploom_device))'.dependencies]\nfeatures-refused-host = { path = \"host\" }\n\n[lints.rust]\nunexpected_cfgs = \"allow\"\n")
        .file("src/main.rs", &own)
        .file("host/Cargo.toml", "[package]\nname = \"features-refused-host\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nfeatures-refused-dep = { path = \"../dep\", features = [\"low\"] }\n")
        .file("host/src/lib.rs", "")
        .file("dep/Cargo.toml", &plain("features-refused-dep", "0.1.0"))
        .file("dep/src/lib.rs", &limit(10_000_404, 10_000_440));
    let said = outer.fails();
    println!("{said}");
    for expected in [
        "the GPU code of `features-refused` would not be compiled from the same packages and features as the program",
        "`features-refused-dep` 0.1.0",
        "has feature `low` in the host's build only",
        "name these packages with these features among the dependencies of `features-refused`",
    ] {
        assert!(said.contains(expected), "no {expected:?} in:\n{said}");
    }
    outer.replace(
        "Cargo.toml",
        "path = \"dep\"",
        "path = \"dep\"\nfeatures = [\"low\"]",
    );
    outer.builds();
    carries("debug/features-refused", 10_000_404, 10_000_440);
}

#[test]
fn run_and_aliases_are_followed_and_an_installation_takes_the_lock_file() {
    let outer = Outside::program("features-alias", &(program("self").replace("self::LIMIT, ", "1, ") + "\n#[kernel]\npub fn store(i: Index1D, mut y: DisjointSlice<u32>) {\n    if let Some(y) = y.get_mut(i) {\n        *y = 10000505;\n    }\n}\n"))
        .file(".cargo/config.toml", "[alias]\nmake = \"build\"\n");
    outer.works(&["run", "--", "-p", "8080"]);
    carries("debug/features-alias", 10_000_505, 10_000_506);
    outer.replace("src/main.rs", "10000505", "10000506");
    outer.works(&["run", "--quiet"]);
    carries("debug/features-alias", 10_000_506, 10_000_505);
    outer.replace("src/main.rs", "10000506", "10000505");
    outer.works(&["make"]);
    carries("debug/features-alias", 10_000_505, 10_000_506);
    let root = outer.folder.join("installed").display().to_string();
    let install = ["install", "--path", ".", "--root", &root];
    let said = outer.cargo(&install);
    assert!(
        !said.ok && said.text.contains("run `cargo install --locked --path"),
        "{}",
        said.text
    );
    outer.works(&[&install[..], &["--locked"]].concat());
    let installed = format!("{root}/bin/features-alias");
    carries(&installed, 10_000_505, 10_000_506);
}

/// No `#[kernel]` is expanded in the library, which launches a generic kernel of another one with a closure of its own.
#[test]
fn a_library_that_only_launches_has_the_features_of_each_build() {
    let name = "features-launching";
    let kernels = "//! Kernels.\nuse warploom::prelude::*;\n\n/// Applies `f`.\n#[kernel]\npub fn map<F: Fn(u32) -> u32 + Copy + Send + Sync + 'static>(i: Index1D, mut y: DisjointSlice<u32>, f: F) {\n    if let Some(y) = y.get_mut(i) {\n        *y = f(*y);\n    }\n}\n";
    let library = "//! Launches.\nuse warploom::prelude::*;\n\n/// Adds.\npub fn add(stream: &Stream, y: &mut DeviceBuffer<u32>) -> warploom::Result<()> {\n    features_launching_kernels::map::launch(stream, Launch::covering(y.len()), y, |v| v + features_launching_dep::LIMIT)?;\n    Ok(())\n}\n";
    let main = "use warploom::prelude::*;\n\nfn main() -> warploom::Result<()> {\n    let device = Device::open()?;\n    let stream = device.stream()?;\n    let mut y = device.zeroed::<u32>(10)?;\n    features_launching::add(&stream, &mut y)?;\n    println!(\"{}\", y.to_vec(&stream)?[9]);\n    Ok(())\n}\n";
    let both = Outside::empty(name, name)
        .file("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"kernels\", \"lib\", \"user\", \"dep\"]\n")
        .file("kernels/Cargo.toml", &with_kernels("features-launching-kernels", ""))
        .file("kernels/build.rs", BUILD)
        .file("kernels/src/lib.rs", kernels)
        .file("lib/Cargo.toml", &with_kernels(name, "features-launching-kernels = { path = \"../kernels\" }\nfeatures-launching-dep = { path = \"../dep\" }\n"))
        .file("lib/build.rs", BUILD)
        .file("lib/src/lib.rs", library)
        .file("user/Cargo.toml", &with_kernels("features-launching-user", "features-launching = { path = \"../lib\" }\nfeatures-launching-dep = { path = \"../dep\", features = [\"low\"] }\n"))
        .file("user/build.rs", BUILD)
        .file("user/src/main.rs", main)
        .file("dep/Cargo.toml", &plain("features-launching-dep", "0.1.0"))
        .file("dep/src/lib.rs", &limit(10_000_604, 10_000_640));
    both.works(&["build", "-p", name]);
    both.works(&["build", "-p", "features-launching-user"]);
    carries("debug/features-launching-user", 10_000_604, 10_000_640);
    assert_eq!(
        both.prints("debug/features-launching-user").trim(),
        "10000604"
    );
}
