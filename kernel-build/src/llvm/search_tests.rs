//! Which library is found, and what is said where none can be used.

use super::{Search, SearchError, configured, major, multiarch, remedy, system_folders};
use crate::llvm::Library;
use crate::llvm::library::tests::{NVPTX, pretended};
use crate::llvm::tests::library;
use std::path::{Path, PathBuf};

/// An empty folder of one test.
fn folder(name: &str) -> PathBuf {
    let folder = format!("warploom-search-{name}-{}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A link to the LLVM of these tests, under another name.
fn link(folder: &Path, name: &str) -> PathBuf {
    std::fs::create_dir_all(folder).unwrap();
    std::os::unix::fs::symlink(library().path, folder.join(name)).unwrap();
    folder.join(name)
}

fn search(of_rustc: &[&Path], of_system: &[&Path]) -> Search {
    Search {
        of_rustc: of_rustc.iter().map(|f| f.to_path_buf()).collect(),
        of_system: of_system.iter().map(|f| f.to_path_buf()).collect(),
        least: 22,
        os_release: "ID=debian\n".into(),
        ..Search::default()
    }
}

#[track_caller]
fn found(search: &Search) -> PathBuf {
    let Library { path, major } = search.find().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(major, library().major);
    path
}

#[test]
fn names_tell_the_version() {
    for (name, expected) in [
        ("libLLVM.so.22.1", Some(22)),
        ("libLLVM.so.22.1-rust-1.95.0-stable", Some(22)),
        ("libLLVM-22.so.1", Some(22)),
        ("libLLVM-23.so", Some(23)),
        ("libLLVM.so", None),
        ("libLLVMCore.so.22", None),
    ] {
        assert_eq!(major(name), expected, "{name}");
    }
}

/// `libLLVM-22-rust-….so` is a text of 42 bytes for linkers, in which the library is named.
#[test]
fn the_linker_script_is_not_taken_for_the_library() {
    let lib = folder("script");
    let script = "libLLVM-22-rust-1.95.0-stable.so";
    std::fs::write(
        lib.join(script),
        "INPUT(libLLVM.so.22.1-rust-1.95.0-stable)\n",
    )
    .unwrap();
    std::fs::write(lib.join("libLLVM.so.21.1-rust-1.90.0-stable"), "").unwrap();
    std::fs::write(lib.join("librustc_driver-0.so"), "").unwrap();
    let expected = link(&lib, "libLLVM.so.22.1-rust-1.95.0-stable");
    assert_eq!(found(&search(&[&lib], &[])), expected);
}

/// Of distributions: `rustc --print sysroot` says `/usr`, the library is in `/usr/lib/x86_64-linux-gnu`.
#[test]
fn folders_of_the_toolchain_are_those_of_rustup_and_of_distributions() {
    let sysroot = folder("sysroot");
    let host = "x86_64-unknown-linux-gnu";
    for (below, name) in [
        ("lib", "libLLVM.so.22.1-rust-1.95.0-stable"),
        ("lib64", "libLLVM.so.22.1"),
        ("lib/x86_64-linux-gnu", "libLLVM.so.22.1"),
    ] {
        let expected = link(&sysroot.join(below), name);
        let found = Search::new(None, &sysroot, host, 22).find().unwrap();
        assert_eq!(found.path, expected);
        std::fs::remove_file(expected).unwrap();
    }
    assert_eq!(multiarch("aarch64-unknown-linux-gnu"), "aarch64-linux-gnu");
}

/// A newer version would read the bitcode as well, but is less like rustc's own.
#[test]
fn the_systems_library_is_taken_where_rustc_has_none_the_lowest_version_first() {
    let (lib, first, second) = (folder("own"), folder("first"), folder("second"));
    link(&first, "libLLVM.so.23.1");
    let lowest = link(&second, "libLLVM-22.so.1");
    assert_eq!(found(&search(&[&lib], &[&first, &second])), lowest);
    let own = link(&lib, "libLLVM.so.23.1-rust");
    assert_eq!(found(&search(&[&lib], &[&first, &second])), own);
}

#[test]
fn what_is_named_comes_before_rustcs_own() {
    let (lib, named) = (folder("beside"), folder("named"));
    link(&lib, "libLLVM.so.22.1");
    let expected = link(&named, "libLLVM.so");
    for name in [&named, &expected] {
        let search = Search {
            named: Some(name.clone()),
            ..search(&[&lib], &[])
        };
        assert_eq!(found(&search), expected);
    }
}

/// Nothing else is taken instead: a build with another LLVM than the one that was asked for would go unnoticed.
#[test]
fn what_is_named_and_cannot_be_used_is_an_error() {
    let (lib, named) = (folder("unused"), folder("unusable"));
    link(&lib, "libLLVM.so.22.1");
    let older = named.join("libLLVM.so.21.1");
    pretended(&older, 21, &[NVPTX]);
    let error = |named: &Path| {
        let search = Search {
            named: Some(named.to_owned()),
            ..search(&[&lib], &[])
        };
        let error = search.find().unwrap_err();
        assert!(matches!(error, SearchError::Named(_)), "{error}");
        error.to_string()
    };
    let too_old = format!(
        "WARPLOOM_LLVM names no LLVM that can be used\n  {} is LLVM 21, but LLVM 22 or newer is needed",
        older.display()
    );
    assert_eq!(error(&named), too_old);
    assert_eq!(error(&older), too_old);
    let nowhere = named.join("libLLVM.so.22.1");
    let text = error(&nowhere);
    assert!(
        text.contains(&format!("cannot load {}", nowhere.display())),
        "{text}"
    );
    let empty = folder("empty");
    let text = error(&empty);
    assert!(
        text.contains(&format!("no libLLVM in {}", empty.display())),
        "{text}"
    );
}

#[test]
fn everything_that_was_tried_is_listed_with_its_reason_and_the_remedy() {
    let (lib, system, empty) = (folder("tried"), folder("tried-too"), folder("nothing"));
    std::fs::write(lib.join("libLLVM.so.21.1-rust-1.90.0-stable"), "").unwrap();
    std::fs::write(lib.join("libLLVM.so.22.1-rust"), "INPUT(elsewhere)\n").unwrap();
    pretended(&system.join("libLLVM.so.23.1"), 23, &[]);
    let text = search(&[&lib], &[&system, &empty])
        .find()
        .unwrap_err()
        .to_string();
    let (lib, system, empty) = (lib.display(), system.display(), empty.display());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..2],
        [
            "no LLVM can be used; LLVM 22 or newer with the target NVPTX is needed",
            &format!(
                "  {lib}/libLLVM.so.21.1-rust-1.90.0-stable is LLVM 21, but LLVM 22 or newer is needed"
            ),
        ]
    );
    let unreadable = format!("  cannot load {lib}/libLLVM.so.22.1-rust: ");
    assert!(lines[2].starts_with(&unreadable), "{}", lines[2]);
    assert_eq!(
        lines[3..],
        [
            &*format!("  {system}/libLLVM.so.23.1 is LLVM 23 without the target NVPTX"),
            &format!("  no libLLVM in {empty}"),
            "  `apt install libllvm22` installs one; toolchains from rustup for Linux with glibc have one; WARPLOOM_LLVM names a library that is elsewhere, or its folder",
        ]
    );
}

/// rustc's own folders are not known to have one: a newer major is needed then.
#[test]
fn the_bitcode_of_rustc_decides_what_is_too_old() {
    let system = folder("least");
    std::fs::write(system.join("libLLVM.so.22.1"), "").unwrap();
    let newer = Search {
        least: 23,
        ..search(&[], &[&system])
    };
    let text = newer.find().unwrap_err().to_string();
    assert!(
        text.contains("is LLVM 22, but LLVM 23 or newer is needed"),
        "{text}"
    );
}

#[test]
fn the_system_has_the_folders_of_its_dynamic_linker_and_of_llvms_packages() {
    let root = folder("root");
    let file = |path: &str, text: &str| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    file(
        "etc/ld.so.conf",
        "# comment\ninclude /etc/ld.so.conf.d/*.conf\n/opt/lib\n",
    );
    file("etc/ld.so.conf.d/local.conf", "/opt/llvm/lib # here\n");
    file("etc/ld.so.conf.d/self.conf", "include /etc/ld.so.conf\n");
    let folders = [
        "opt/lib",
        "opt/llvm/lib",
        "usr/lib/x86_64-linux-gnu",
        "usr/lib/llvm-22/lib",
        "usr/lib/llvm-spirv/lib",
    ];
    for path in folders {
        std::fs::create_dir_all(root.join(path)).unwrap();
    }
    let expected = [
        "opt/llvm/lib",
        "opt/lib",
        "usr/lib/x86_64-linux-gnu",
        "usr/lib",
        "usr/lib/llvm-22/lib",
    ];
    assert_eq!(
        system_folders(&root, "x86_64-linux-gnu"),
        expected.map(|path| root.join(path))
    );
    assert!(configured(&root, Path::new("/nowhere"), 0).is_empty());
}

#[test]
fn what_may_appear_later_is_known_by_name() {
    let (lib, missing) = (folder("later"), folder("later-too").join("lib64"));
    let search = search(&[&lib, &missing], &[]);
    let awaited = search.awaited();
    assert!(awaited.contains(&lib.join("libLLVM.so.22.1")));
    assert!(awaited.contains(&lib.join("libLLVM-23.so")));
    assert!(awaited.contains(&missing));
    let there = link(&lib, "libLLVM.so.22.1");
    assert!(!search.awaited().contains(&there));
}

#[test]
fn the_remedy_is_the_command_of_the_system() {
    for (os_release, command) in [
        ("ID=ubuntu\nID_LIKE=debian\n", "`apt install libllvm22`"),
        (
            "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n",
            "`dnf install llvm-libs`",
        ),
        ("ID=arch\n", "`pacman -S llvm-libs`"),
        ("", "install the shared library of LLVM 22"),
    ] {
        let text = remedy(os_release, 22);
        assert!(text.starts_with(command), "{text}");
    }
}
