//! What is uploaded is complete: a new project builds from the packages alone, offline, and its kernel becomes PTX and runs.

use crate::support::{BUILD, Outside, copy, device_code, repository, target_folder, workshop};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages that are published: folder and name, as `CONTRIBUTING.md` lists them in their order.
fn published() -> Vec<(PathBuf, String)> {
    let manifests = fs::read_to_string(repository().join("Cargo.toml")).unwrap();
    let members = manifests.lines().find(|l| l.starts_with("members = "));
    let folders = members.unwrap().split('"').skip(1).step_by(2);
    let folders = folders
        .map(|f| repository().join(f))
        .chain([repository().to_owned()]);
    let mut packages = Vec::new();
    for folder in folders {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        if manifest.contains("\npublish = false\n") {
            continue;
        }
        let name = manifest.split("\nname = \"").nth(1).unwrap();
        packages.push((folder, name.split('"').next().unwrap().to_owned()));
    }
    packages
}

/// Packs them, and unpacks what would be uploaded into `folder`, as `cargo vendor` leaves packages.
fn pack_into(folder: &Path) {
    let target = target_folder().join("publishing");
    let mut pack = Command::new(std::env::var_os("CARGO").unwrap());
    // The tests of this program run side by side; cargo's messages of each are of interest only if it fails.
    pack.args([
        "package",
        "--no-verify",
        "--allow-dirty",
        "--offline",
        "--target-dir",
    ]);
    pack.arg(&target).current_dir(repository());
    for (_, name) in published() {
        pack.args(["--package", &name]);
    }
    let said = pack.output().unwrap();
    let text = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.status.success(), "{text}");
    assert!(
        !text.contains("has no "),
        "a manifest lacks something:\n{text}"
    );
    for (_, name) in published() {
        let packed = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
        let archive = target.join("package").join(format!("{packed}.crate"));
        let unpacked = Command::new("tar")
            .arg("-xzf")
            .arg(&archive)
            .arg("-C")
            .arg(folder)
            .status();
        assert!(unpacked.unwrap().success(), "{}", archive.display());
        // An empty list: files that are added or changed in here are no matter of this test.
        let checksums = "{\"files\":{},\"package\":null}";
        fs::write(folder.join(packed).join(".cargo-checksum.json"), checksums).unwrap();
    }
}

/// The crates of others that a program has, by cargo: from its cache, or from the network.
fn vendor_others_into(folder: &Path) {
    let asks = Outside::program("publishing-vendor", "fn main() {}\n");
    let asks = asks.env("CARGO_NET_OFFLINE", "false");
    asks.works(&["vendor", "--versioned-dirs", "vendor"]);
    copy(&asks.folder.join("vendor"), folder);
}

#[test]
fn a_new_project_builds_from_the_packed_crates_alone() {
    // Not among the other crates, whose configuration replaces packages by folders of this repository.
    let place = workshop().with_extension("publishing");
    let _ = fs::remove_dir_all(&place);
    let vendor = place.join("vendor");
    fs::create_dir_all(&vendor).unwrap();
    vendor_others_into(&vendor);
    pack_into(&vendor);

    let mut project = Outside::empty("publishing-project", "publishing-project");
    fs::remove_file(project.folder.join("Cargo.lock")).unwrap();
    project.folder = place.join("project");
    let main = fs::read_to_string(repository().join("tests/outside/saxpy/src/main.rs")).unwrap();
    let manifest = "[package]\nname = \"publishing-project\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nwarploom = \"0.1\"\n\n[build-dependencies]\nwarploom-build = \"0.1\"\n";
    let project = project
        .file("Cargo.toml", manifest)
        .file("build.rs", BUILD)
        .file("src/main.rs", &main)
        .file(
            ".cargo/config.toml",
            "[source.crates-io]\nreplace-with = \"packed\"\n\n[source.packed]\ndirectory = \"../vendor\"\n",
        );
    let said = project.builds();
    assert!(!said.text.contains("warning"), "{}", said.text);
    assert_eq!(
        project.prints("debug/publishing-project").trim(),
        "emulator: y[0] = 5, all equal: true"
    );
    let code = device_code(&target_folder().join("debug/publishing-project"));
    assert_eq!(code[0].kernels(), ["publishing_project::saxpy"]);
    assert!(code[0].ptx[0].contains(".visible .entry saxpy("));
    let lock = fs::read_to_string(project.folder.join("Cargo.lock")).unwrap();
    assert!(
        !lock.contains(&repository().display().to_string()),
        "nothing comes from this repository: {lock}"
    );

    // docs.rs has another compiler and no network: the device pass must neither start nor warn.
    // A named LLVM that is not there is an error of every build that makes device code.
    let documented = project
        .env("DOCS_RS", "1")
        .env("WARPLOOM_LLVM", "missing/libLLVM.so");
    let said = documented.works(&["doc", "--no-deps"]);
    assert!(!said.text.contains("warning"), "{}", said.text);
}

#[test]
fn a_package_has_what_the_registry_shows() {
    for (folder, name) in published() {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        for key in [
            "description = ",
            "license.workspace = true",
            "repository.workspace = true",
            "rust-version.workspace = true",
            "keywords",
            "categories",
            "include",
            "[package.metadata.docs.rs]",
        ] {
            assert!(manifest.contains(&format!("\n{key}")), "{name}: no {key}");
        }
        for file in ["README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
            assert!(folder.join(file).exists(), "{name}: no {file}");
        }
    }
}
