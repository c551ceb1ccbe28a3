//! A change that matters is built, and nothing else.

use crate::support::{Outside, target_folder};
use std::fs;
use std::path::PathBuf;

const MAIN: &str = "use warploom::prelude::*;

#[kernel]
fn store(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 11223344;
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

#[test]
fn a_changed_kernel_is_built_again_and_an_untouched_one_is_not() {
    let program = Outside::program("rebuild-kernel", MAIN);
    program.builds();
    assert!(program.ptx().contains("11223344"), "{}", program.ptx());
    let ran = program.script_ran();

    let said = program.builds();
    assert!(!said.text.contains("Compiling"), "{}", said.text);
    assert_eq!(
        program.script_ran(),
        ran,
        "the build script ran although nothing changed"
    );

    program.replace("src/main.rs", "11223344", "55667788");
    program.builds();
    let ptx = program.ptx();
    assert!(
        ptx.contains("55667788") && !ptx.contains("11223344"),
        "{ptx}"
    );
    assert!(program.script_ran() > ran);
}

/// Files that the device linker left of this program for debugging.
fn dumped(name: &str) -> Vec<PathBuf> {
    left(name, ".sm_75.ptx")
}

/// Files of the device linker beside its output.
fn left(name: &str, extension: &str) -> Vec<PathBuf> {
    let folder = target_folder().join("debug/warploom");
    let hosts = fs::read_dir(&folder).unwrap();
    let deps = hosts.map(|host| host.unwrap().path().join("debug/deps"));
    let files = deps.filter_map(|deps| fs::read_dir(deps).ok()).flatten();
    let paths = files.map(|file| file.unwrap().path());
    paths
        .filter(|path| {
            let file = path.file_name().unwrap().to_str().unwrap();
            file.starts_with(name) && file.ends_with(extension)
        })
        .collect()
}

#[test]
fn intermediate_results_are_kept_without_another_change() {
    let program = Outside::program("dumping", MAIN);
    program.builds();
    // An earlier run of this test may have left some.
    for file in dumped("dumping-") {
        fs::remove_file(file).unwrap();
    }
    program.replace("src/main.rs", "11223344", "55667788");
    program.builds();
    assert_eq!(dumped("dumping-").len(), 0);
    let program = program.env("WARPLOOM_DUMP", "1");
    program.builds();
    assert_eq!(dumped("dumping-").len(), 1);
}

#[test]
fn a_changed_path_dependency_is_built_again() {
    let program = Outside::program(
        "rebuild-dependency",
        &MAIN.replace("11223344", "rebuild_helper::constant()"),
    )
    .append(
        "Cargo.toml",
        "\n[dependencies.rebuild-helper]\npath = \"helper\"\n",
    )
    .file(
        "helper/Cargo.toml",
        "[package]\nname = \"rebuild-helper\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    )
    .file(
        "helper/src/lib.rs",
        "#[inline(never)]\npub fn constant() -> u32 {\n    11223344\n}\n",
    );
    program.builds();
    assert!(program.ptx().contains("11223344"), "{}", program.ptx());
    program.replace("helper/src/lib.rs", "11223344", "55667788");
    program.builds();
    let ptx = program.ptx();
    assert!(
        ptx.contains("55667788") && !ptx.contains("11223344"),
        "{ptx}"
    );
    assert_eq!(
        program.prints("debug/rebuild-dependency").trim(),
        "55667788"
    );
}

/// Members of one workspace are named by relative paths in rustc's lists.
#[test]
fn a_changed_member_of_the_same_workspace_is_built_again() {
    let program = Outside::program("rebuild-member", &MAIN.replace("11223344", "rebuild_sister::constant()"))
        .append("Cargo.toml", "\n[dependencies.rebuild-sister]\npath = \"sister\"\n\n[workspace]\nmembers = [\"sister\"]\n")
        .file("sister/Cargo.toml", "[package]\nname = \"rebuild-sister\"\nversion = \"0.1.0\"\nedition = \"2024\"\n")
        .file("sister/src/lib.rs", "mod inner;\npub use inner::constant;\n")
        .file("sister/src/inner.rs", "pub fn constant() -> u32 {\n    11223344\n}\n");
    program.builds();
    assert!(program.ptx().contains("11223344"), "{}", program.ptx());
    program.replace("sister/src/inner.rs", "11223344", "55667788");
    program.builds();
    let ptx = program.ptx();
    assert!(
        ptx.contains("55667788") && !ptx.contains("11223344"),
        "{ptx}"
    );
}

#[test]
fn a_changed_option_is_built_again() {
    let program = Outside::program("rebuild-option", MAIN);
    program.builds();
    program.write(
        "build.rs",
        "use warploom_build::{Arch, Builder};\n\nfn main() {\n    Builder::new().archs(&[Arch::sm(80), Arch::exactly(90)]).line_info(true).compile();\n}\n",
    );
    program.builds();
    let code = program.device_code();
    assert_eq!(code.len(), 1);
    assert!(
        code[0].ptx[0].contains(".target sm_80"),
        "{}",
        code[0].ptx[0]
    );
    assert!(
        code[0].ptx[1].contains(".target sm_90a"),
        "{}",
        code[0].ptx[1]
    );
}

/// Cargo sees neither the device linker nor LLVM: what stands for them in the environment tells it.
#[test]
fn another_llvm_links_again() {
    let toolchain = std::process::Command::new("sh")
        .args(["-c", "ls \"$(rustc --print sysroot)\"/lib/libLLVM.so.*"])
        .output()
        .unwrap();
    let library = String::from_utf8(toolchain.stdout).unwrap();
    let program = Outside::program("rebuild-llvm", MAIN);
    let link = program.folder.join("libLLVM.so.22.1");
    std::os::unix::fs::symlink(library.trim(), &link).unwrap();
    let linked = || {
        let files = left("rebuild_llvm-", ".last").into_iter();
        files
            .map(|f| fs::metadata(f).unwrap().modified().unwrap())
            .max()
    };
    program.builds();
    let before = linked();
    let program = program.env("WARPLOOM_LLVM", link.to_str().unwrap());
    program.builds();
    assert!(linked() > before, "the device linker has not run again");
}

const ASKS: &str = r#"use warploom::device_std::{FeatureSet, feature_set};
use warploom::prelude::*;

#[kernel]
fn asks(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = match feature_set() {
            FeatureSet::Base => 1111,
            FeatureSet::Specific(arch) => 2200 + arch,
            _ => 3333,
        };
    }
}

fn main() -> warploom::Result<()> {
    let device = Device::emulator();
    let (stream, mut y) = (device.stream()?, device.zeroed::<u32>(1)?);
    asks::launch(&stream, (1, 1), &mut y)?;
    println!("{:?}", y.to_vec(&stream)?);
    Ok(())
}
"#;

/// The emulator runs code for no architecture, whatever images there are.
#[test]
fn an_image_for_one_architecture_has_its_features() {
    let script = "use warploom_build::{Arch, Builder};\n\nfn main() {\n    Builder::new().archs(&[Arch::sm(80), Arch::exactly(90)]).compile();\n}\n";
    let program = Outside::program("rebuild-specific", ASKS).file("build.rs", script);
    program.builds();
    let code = program.device_code();
    let [portable, specific] = &code[0].ptx[..] else {
        panic!("{} images", code[0].ptx.len());
    };
    assert!(
        portable.contains("1111") && !portable.contains("2290"),
        "{portable}"
    );
    assert!(
        specific.contains(".target sm_90a") && specific.contains("2290"),
        "{specific}"
    );
    assert!(!specific.contains("1111"), "{specific}");
    assert_eq!(program.prints("debug/rebuild-specific").trim(), "[1111]");
}

#[test]
fn lines_of_the_source_are_in_the_ptx_when_asked_for() {
    let script = "fn main() {\n    warploom_build::Builder::new().line_info(true).compile();\n}\n";
    let program = Outside::program("rebuild-lines", MAIN).file("build.rs", script);
    program.builds();
    let ptx = program.ptx();
    assert!(ptx.contains("src/main.rs"), "{ptx}");
    let mut lines = ptx.lines().map(str::trim_start);
    let of_store = |l: &str| l.starts_with(".loc") && l.split_whitespace().nth(2) == Some("6");
    assert!(lines.any(of_store), "no .loc of line 6:\n{ptx}");
}

#[test]
fn a_failed_build_is_repaired() {
    let broken = MAIN.replace(
        "*y = 11223344",
        "*y = std::thread::available_parallelism().unwrap().get() as u32",
    );
    let program = Outside::program("rebuild-repaired", &broken);
    program.fails();
    program.fails();
    program.write("src/main.rs", MAIN);
    program.builds();
    assert!(program.ptx().contains("11223344"), "{}", program.ptx());
    assert_eq!(program.prints("debug/rebuild-repaired").trim(), "11223344");
}

#[test]
fn a_first_kernel_in_a_program_that_lies_elsewhere_is_built() {
    let program = Outside::program("rebuild-elsewhere", MAIN)
        .append(
            "Cargo.toml",
            "\n[[bin]]\nname = \"second\"\npath = \"programs/second.rs\"\n",
        )
        .file("programs/second.rs", "fn main() {}\n");
    program.builds();
    program.write("programs/second.rs", &MAIN.replace("11223344", "99887766"));
    program.builds();
    let ptx = program.ptx();
    assert!(ptx.contains("99887766"), "{ptx}");
}

/// The nested build takes macros from the outer one, which may have an older one at that time.
#[test]
fn a_changed_macro_is_compiled_again_for_both_passes() {
    let program = Outside::program("rebuild-macro", &MAIN.replace("11223344", "number::number!()"))
        .file(
            "number/Cargo.toml",
            "[package]\nname = \"number\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[lib]\nproc-macro = true\n\n[workspace]\n",
        )
        .file(
            "number/src/lib.rs",
            "use proc_macro::TokenStream;\n\n#[proc_macro]\npub fn number(_: TokenStream) -> TokenStream {\n    \"11223344\".parse().unwrap()\n}\n",
        );
    program.replace(
        "Cargo.toml",
        "[dependencies]\n",
        "[dependencies]\nnumber = { path = \"number\" }\n",
    );
    for number in ["11223344", "55667788"] {
        program.replace("number/src/lib.rs", "11223344", number);
        program.builds();
        assert_eq!(program.prints("debug/rebuild-macro").trim(), number);
        assert!(program.ptx().contains(number), "{}", program.ptx());
    }
}

#[test]
fn macros_and_build_scripts_of_the_first_pass_are_taken_by_the_second() {
    // Where no other test has compiled them for its second pass, with a compiler of its own perhaps.
    let target = target_folder().join("taken");
    let program = Outside::program("rebuild-taken", MAIN)
        .env("CARGO_TARGET_DIR", target.display().to_string());
    program.builds();
    let folder = target.join("debug/warploom/debug/deps");
    let files = fs::read_dir(&folder).unwrap();
    let names = files.map(|f| f.unwrap().file_name().into_string().unwrap());
    let names: Vec<String> = names.collect();
    // What this build script itself is built from is there before it runs.
    for crate_name in ["serde_derive", "thiserror_impl", "syn", "warploom_build"] {
        let prefix = format!("lib{crate_name}-");
        let taken = |name: &&String| name.starts_with(&prefix) && name.ends_with(".outer");
        assert!(
            names.iter().any(|name| taken(&name)),
            "{crate_name} is not taken: {names:?}"
        );
    }
}
