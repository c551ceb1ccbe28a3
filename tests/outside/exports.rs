//! The first program of a user, libraries that export kernels, and packages in a registry.

use crate::support::{
    BUILD, DeviceCode, Outside, copy, device_code, repository, target_folder, workshop,
};
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
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
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

/// A library that launches generic kernels itself: its own, and those of a library that it depends on.
const LAUNCHES: &str = "//! Launches kernels itself.

use kernels_lib::{Operator, fold_pairs, map};
use warploom::prelude::*;

/// `N` in each element.
#[kernel]
pub fn fill<const N: u32>(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = N;
    }
}

struct Product;

impl Operator<u32> for Product {
    fn apply(a: u32, b: u32) -> u32 {
        a * b + 10_000_033
    }
}

/// An instance for a constant, one for a closure and one for a private type, behind private functions.
pub fn all(stream: &Stream, y: &mut DeviceBuffer<u32>, pairs: &mut DeviceBuffer<u32>) -> warploom::Result<()> {
    fill::<10_000_031>::launch(stream, Launch::covering(y.len()), &mut *y)?;
    hidden(stream, y, pairs)
}

fn hidden(stream: &Stream, y: &mut DeviceBuffer<u32>, pairs: &mut DeviceBuffer<u32>) -> warploom::Result<()> {
    let x = stream.device().upload(&y.to_vec(stream)?)?;
    map::launch(stream, Launch::covering(y.len()), &x, &mut *y, |v| v - 10_000_028)?;
    fold_pairs::<u32, Product>::launch(stream, Launch::covering(pairs.len()), &*y, pairs)?;
    Ok(())
}
";

const ASKS: &str = "use warploom::prelude::*;

fn main() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let (mut y, mut pairs) = (device.zeroed::<u32>(10)?, device.zeroed::<u32>(5)?);
    kernels_launching::all(&stream, &mut y, &mut pairs)?;
    println!(\"{:?} {:?}\", y.to_vec(&stream)?[9], pairs.to_vec(&stream)?[4]);
    Ok(())
}
";

/// The instances that its launches need are in the library's own device code; the program that asks it compiles none.
const TWO_VERSIONS: &str = r#"use warploom::prelude::*;

fn main() -> warploom::Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let (mut x, mut y) = (device.zeroed::<u32>(5)?, device.zeroed::<u32>(5)?);
    one::mark::launch(&stream, Launch::new((2, 2), 2), &mut x)?;
    two::mark::launch(&stream, Launch::new(2, 2), &mut y)?;
    println!("{:?} {:?}", x.to_vec(&stream)?, y.to_vec(&stream)?);
    Ok(())
}
"#;

/// Kernels, entries and targets of both have the same names. The launch of the one would have threads of the other meet in an element.
#[test]
fn two_versions_of_a_library_run_each_its_own_kernel() {
    let mut user = Outside::program("two-versions", TWO_VERSIONS);
    let marks = [
        "block: Block, mut y: DisjointSlice<u32, PerBlock>) {\n    if let Some(y) = block.leader().and_then(|l| y.get_mut(l)) { *y += 1; }",
        "i: Index1D, mut y: DisjointSlice<u32>) {\n\n    if let Some(y) = y.get_mut(i) { *y += 100; }",
    ];
    for ((name, version), mark) in [("one", 1), ("two", 2)].into_iter().zip(marks) {
        let dependency =
            format!("\n[dependencies.{name}]\npackage = \"two-versions-lib\"\npath = \"{name}\"\n");
        let manifest = format!(
            "[package]\nname = \"two-versions-lib\"\nversion = \"{version}.0.0\"\nedition = \"2024\"\n\n[dependencies]\nwarploom = \"0.1\"\n\n[build-dependencies]\nwarploom-build = \"0.1\"\n"
        );
        let library = format!("use warploom::prelude::*;\n\n#[kernel]\npub fn mark({mark}\n}}\n");
        user = user
            .append("Cargo.toml", &dependency)
            .file(&format!("{name}/Cargo.toml"), &manifest)
            .file(&format!("{name}/build.rs"), BUILD)
            .file(&format!("{name}/src/lib.rs"), &library);
    }
    user.builds();
    assert_eq!(
        user.prints("debug/two-versions").trim(),
        "[1, 1, 1, 1, 0] [100, 100, 100, 100, 0]"
    );
}

#[test]
fn launches_of_generic_kernels_by_a_library_have_device_code() {
    Outside::copy("kernels-lib", "launching/kernels-lib").replace(
        "Cargo.toml",
        "kernels-lib",
        "kernels-lib-launching",
    );
    let depends =
        "kernels-lib = { package = \"kernels-lib-launching\", path = \"../kernels-lib\" }\n";
    let manifest = |name: &str, more: &str| {
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nwarploom = \"0.1\"\n{more}\n[build-dependencies]\nwarploom-build = \"0.1\"\n"
        )
    };
    let library = "kernels-launching = { path = \"../kernels-launching\" }\n";
    let _library = Outside::package("launching/kernels-launching")
        .file("Cargo.toml", &manifest("kernels-launching", depends))
        .file("src/lib.rs", LAUNCHES);
    let user = Outside::package("launching/kernels-asking")
        .file("Cargo.toml", &manifest("kernels-asking", library))
        .file("src/main.rs", ASKS);
    user.builds();
    assert_eq!(user.prints("debug/kernels-asking").trim(), "3 10000042");
    assert_launching(&device_code(&target_folder().join("debug/kernels-asking")));

    // As a member of the workspace that is built, with a program of its own.
    let own = Outside::package("launching/kernels-launching-member")
        .file("Cargo.toml", &manifest("kernels-launching", depends))
        .file("src/lib.rs", LAUNCHES)
        .file("src/main.rs", ASKS);
    own.builds();
    assert_eq!(own.prints("debug/kernels-launching").trim(), "3 10000042");
    assert_launching(&device_code(
        &target_folder().join("debug/kernels-launching"),
    ));
}

#[track_caller]
fn assert_launching(code: &[DeviceCode]) {
    let of = code
        .iter()
        .find(|c| c.manifest.target == "kernels_launching");
    let of = of.unwrap_or_else(|| panic!("no device code of the library: {code:#?}"));
    let mut kernels = of.kernels();
    kernels.sort_unstable();
    assert_eq!(
        kernels,
        [
            "kernels_launching::fill<10000031>",
            "kernels_lib_launching::fold_pairs<u32, kernels_launching::Product>",
            "kernels_lib_launching::map<u32, kernels_launching::hidden::{{closure}}>",
        ]
    );
    for number in ["10000031", "10000033", "-10000028"] {
        assert!(of.ptx[0].contains(number), "no {number} in {}", of.ptx[0]);
    }
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
