//! The first program of a user, libraries that export kernels, and packages in a registry.

use crate::support::{Outside, copy, device_code, repository, target_folder, workshop};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

#[test]
fn the_readme_program_builds_and_runs() {
    let saxpy = Outside::copy("saxpy", "saxpy");
    let lines = fs::read_to_string(saxpy.folder.join("src/main.rs"))
        .unwrap()
        .lines()
        .count();
    assert!(lines <= 30, "main.rs has {lines} lines");
    saxpy.builds();
    assert_eq!(
        saxpy.prints("debug/saxpy").trim(),
        "emulator: y[0] = 5, all equal: true"
    );
    let code = saxpy.device_code();
    assert_eq!(code.len(), 1);
    assert_eq!(code[0].kernels(), ["saxpy::saxpy"]);
    assert!(
        code[0].ptx[0].contains(".target sm_75"),
        "{}",
        code[0].ptx[0]
    );
    assert!(
        code[0].ptx[0].contains(".visible .entry saxpy("),
        "{}",
        code[0].ptx[0]
    );
}

/// README.md shows the crate `tests/outside/saxpy` between these lines, file by file:
/// `<!-- saxpy/build.rs -->`, a fenced block, then any text.
#[test]
fn the_readme_shows_the_program_that_is_tested() {
    let Ok(readme) = fs::read_to_string(repository().join("README.md")) else {
        return;
    };
    for (file, language) in [
        ("Cargo.toml", "toml"),
        ("build.rs", "rust"),
        ("src/main.rs", "rust"),
    ] {
        let text = fs::read_to_string(repository().join("tests/outside/saxpy").join(file)).unwrap();
        let block = format!("<!-- saxpy/{file} -->\n```{language}\n{text}```\n");
        assert!(
            readme.contains(&block),
            "README.md must contain exactly:\n{block}"
        );
    }
}

#[test]
fn a_library_exports_generic_and_ordinary_kernels() {
    Outside::copy("kernels-lib", "kernels-lib");
    let user = Outside::copy("kernels-user", "kernels-user");
    user.builds();
    assert_eq!(user.prints("debug/kernels-user").trim(), "right: true");
    assert_library_and_user(&target_folder().join("debug/kernels-user"));
}

fn assert_library_and_user(executable: &Path) {
    let code = device_code(executable);
    let of = |target: &str| {
        let found = code.iter().find(|c| c.manifest.target == target);
        found.unwrap_or_else(|| panic!("no device code of {target}: {code:?}"))
    };
    assert_eq!(of("kernels_lib").kernels(), ["kernels_lib::scale"]);
    assert!(
        of("kernels_lib").ptx[0].contains("70001"),
        "no feature `offset`"
    );
    assert_eq!(
        of("kernels_user").kernels(),
        [
            "kernels_lib::map<u32, kernels_user::main::{{closure}}>",
            "kernels_lib::fold_pairs<u32, kernels_user::Largest>",
        ]
    );
    assert_eq!(code.len(), 2);
}

/// The feature `offset` is on by default; the kernel must not have it here.
#[test]
fn features_of_a_library_reach_its_device_code() {
    let place = "plain-features/kernels-lib";
    Outside::copy("kernels-lib", place).replace("Cargo.toml", "kernels-lib", "kernels-lib-plain");
    let user = Outside::copy("kernels-user", "plain-features/kernels-user");
    user.replace("Cargo.toml", "\"kernels-user\"", "\"kernels-user-plain\"");
    user.replace(
        "Cargo.toml",
        "kernels-lib = { path = \"../kernels-lib\" }",
        "kernels-lib = { package = \"kernels-lib-plain\", path = \"../kernels-lib\", default-features = false }",
    );
    user.replace("src/main.rs", "* 10 + 70_001", "* 10");
    user.builds();
    assert_eq!(
        user.prints("debug/kernels-user-plain").trim(),
        "right: true"
    );
    let code = device_code(&target_folder().join("debug/kernels-user-plain"));
    let library = code
        .iter()
        .find(|c| c.manifest.target == "kernels_lib_plain")
        .unwrap();
    assert!(!library.ptx[0].contains("70001"), "{}", library.ptx[0]);
}

#[test]
fn cargo_package_verifies_and_a_read_only_copy_without_lock_file_is_a_dependency() {
    let library = Outside::copy("kernels-lib", "packaged/kernels-lib");
    library.replace("Cargo.toml", "kernels-lib", "kernels-lib-packaged");
    let said = library.works(&["package", "--allow-dirty"]);
    assert!(
        said.text.contains("Verifying kernels-lib-packaged"),
        "{}",
        said.text
    );
    assert!(!said.text.contains("no GPU code"), "{}", said.text);

    let unpacked = workshop().join("packaged/vendor");
    let _ = writable(&unpacked);
    let _ = fs::remove_dir_all(&unpacked);
    fs::create_dir_all(&unpacked).unwrap();
    let archive = target_folder().join("package/kernels-lib-packaged-0.1.0.crate");
    let tar = library.run(
        Path::new("tar"),
        &[
            "-xzf",
            &archive.display().to_string(),
            "-C",
            &unpacked.display().to_string(),
        ],
    );
    assert!(tar.ok, "{}", tar.text);
    let unpacked = unpacked.join("kernels-lib-packaged-0.1.0");
    let _ = fs::remove_file(unpacked.join("Cargo.lock"));
    let user = Outside::copy("kernels-user", "packaged/kernels-user");
    user.replace(
        "Cargo.toml",
        "\"kernels-user\"",
        "\"kernels-user-packaged\"",
    );
    user.replace(
        "Cargo.toml",
        "kernels-lib = { path = \"../kernels-lib\" }",
        "kernels-lib = { package = \"kernels-lib-packaged\", path = \"../vendor/kernels-lib-packaged-0.1.0\" }",
    );
    read_only(&unpacked);
    let built = user.cargo(&["build"]);
    let left = names(&unpacked);
    let _ = writable(&unpacked);
    assert!(built.ok, "{}", built.text);
    assert_eq!(
        user.prints("debug/kernels-user-packaged").trim(),
        "right: true"
    );
    let code = device_code(&target_folder().join("debug/kernels-user-packaged"));
    assert!(
        code.iter()
            .any(|c| c.kernels() == ["kernels_lib_packaged::scale"]),
        "{code:?}"
    );
    assert!(!left.contains(&"Cargo.lock".to_owned()), "{left:?}");
}

/// As `cargo vendor` leaves it: a directory source, checksums, no lock file, no network.
#[test]
fn a_vendored_library_has_its_device_code() {
    let vendor = workshop().join("vendored/vendor");
    let _ = fs::remove_dir_all(&vendor);
    let library = vendor.join("kernels-lib-vendored");
    copy(&repository().join("tests/outside/kernels-lib"), &library);
    let manifest = fs::read_to_string(library.join("Cargo.toml")).unwrap();
    fs::write(
        library.join("Cargo.toml"),
        manifest.replace("kernels-lib", "kernels-lib-vendored"),
    )
    .unwrap();
    fs::write(
        library.join(".cargo-checksum.json"),
        "{\"files\":{},\"package\":null}",
    )
    .unwrap();
    let user = Outside::copy("kernels-user", "vendored/kernels-user");
    user.replace(
        "Cargo.toml",
        "\"kernels-user\"",
        "\"kernels-user-vendored\"",
    );
    user.replace(
        "Cargo.toml",
        "kernels-lib = { path = \"../kernels-lib\" }",
        "kernels-lib = { package = \"kernels-lib-vendored\", version = \"0.1\", registry = \"vendored\" }",
    );
    // A registry that is replaced by the folder; crates-io stays what this machine has.
    user.write(
        ".cargo/config.toml",
        "[registries.vendored]\nindex = \"https://vendored.invalid/index\"\n\n[source.vendored]\nregistry = \"https://vendored.invalid/index\"\nreplace-with = \"folder\"\n\n[source.folder]\ndirectory = \"../vendor\"\n",
    );
    user.builds();
    let code = device_code(&target_folder().join("debug/kernels-user-vendored"));
    assert!(
        code.iter()
            .any(|c| c.kernels() == ["kernels_lib_vendored::scale"]),
        "{code:?}"
    );
    assert_eq!(
        user.prints("debug/kernels-user-vendored").trim(),
        "right: true"
    );
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect()
}

fn read_only(path: &Path) {
    set_modes(path, 0o555, 0o444).unwrap();
}

fn writable(path: &Path) -> std::io::Result<()> {
    set_modes(path, 0o755, 0o644)
}

fn set_modes(path: &Path, folder: u32, file: u32) -> std::io::Result<()> {
    if path.is_dir() {
        // Writable first, so that what is inside can be changed.
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
        for entry in fs::read_dir(path)? {
            set_modes(&entry?.path(), folder, file)?;
        }
        fs::set_permissions(path, fs::Permissions::from_mode(folder))
    } else {
        fs::set_permissions(path, fs::Permissions::from_mode(file))
    }
}
