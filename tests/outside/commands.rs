//! The other commands of cargo, and errors that are the user's own.

use crate::support::Outside;

const MAIN: &str = include_str!("saxpy/src/main.rs");

#[test]
fn check_doc_clippy_and_test_work() {
    let program = Outside::program("commands-all", MAIN);
    program.works(&["check"]);
    program.works(&["doc", "--no-deps"]);
    program.works(&["test", "--no-run"]);
    if program.cargo(&["clippy", "--version"]).ok {
        let said = program.works(&["clippy", "--all-targets", "--", "-Dwarnings"]);
        assert!(!said.text.contains("commands-all` (bin"), "{}", said.text);
    }
}

#[test]
fn documentation_of_a_library_with_kernels_is_built() {
    let library = Outside::copy("kernels-lib", "documented");
    library.replace("Cargo.toml", "kernels-lib", "kernels-lib-documented");
    library.works(&["doc", "--no-deps"]);
}

#[test]
fn a_type_error_is_shown_by_rustc_alone() {
    let program = Outside::program(
        "commands-type-error",
        &MAIN.replace("covering(x.len())", "covering(\"many\")"),
    );
    let said = program.fails();
    println!("{said}");
    for expected in ["error[E0308]: mismatched types", "--> src/main.rs:16:"] {
        assert!(said.contains(expected), "no {expected:?} in:\n{said}");
    }
    for other in ["device pass", "E0080", "warploom_device"] {
        assert!(!said.contains(other), "{other:?} in:\n{said}");
    }
    program.write("src/main.rs", MAIN);
    program.builds();
}

#[test]
fn an_error_in_a_kernel_is_shown_once() {
    let program = Outside::program(
        "commands-kernel-error",
        &MAIN.replace("a * x[i.get()]", "a * x[i.gett()]"),
    );
    let said = program.fails();
    println!("{said}");
    assert_eq!(said.matches("no method named `gett`").count(), 1, "{said}");
    assert!(!said.contains("device pass"), "{said}");
}

#[test]
fn an_error_of_one_program_is_not_told_of_another() {
    let package = Outside::package("commands-two-programs")
        .file("src/bin/right.rs", MAIN)
        .file("src/bin/wrong.rs", &MAIN.replace("3.0", "3.0f64"));
    let said = package.fails();
    println!("{said}");
    assert!(said.contains("--> src/bin/wrong.rs:"), "{said}");
    assert!(!said.contains("device pass"), "{said}");
    assert!(!said.contains("src/bin/right.rs"), "{said}");
}

#[test]
fn an_error_of_the_device_pass_alone_stands_at_the_kernel() {
    let main = format!(
        "{MAIN}\n#[cfg(warploom_device)]\nfn only_there() -> u32 {{\n    \"no number\"\n}}\n"
    );
    let said = Outside::program("commands-device-error", &main).fails();
    println!("{said}");
    for expected in [
        "the device pass cannot compile this crate, although it compiles for the host",
        "mismatched types",
        "src/main.rs:24:5",
        "--> src/main.rs:5:",
    ] {
        assert!(said.contains(expected), "no {expected:?} in:\n{said}");
    }
    assert!(said.lines().count() < 25, "a wall of text:\n{said}");
}

/// The executable of the build script is the nested build's compiler wrapper and linker as well, whose output cargo reads.
#[test]
fn a_build_script_may_do_something_before_compile() {
    let main = "use warploom::prelude::*;\n\n#[kernel]\nfn store(i: Index1D, mut y: DisjointSlice<u32>) {\n    if let Some(y) = y.get_mut(i) {\n        *y = 12345679;\n    }\n}\n\nfn main() {}\n";
    let script = "fn main() {
    println!(\"cargo::rerun-if-changed=data\");
    println!(\"hello\");
    let out = std::env::var(\"OUT_DIR\").unwrap();
    let log = std::fs::OpenOptions::new().append(true).create(true).open(out + \"/times\");
    std::io::Write::write_all(&mut log.unwrap(), b\"once \").unwrap();
    warploom_build::compile();
    println!(\"cargo::rerun-if-changed=more\");
}
";
    let program = Outside::program("prints-before", main).file("build.rs", script);
    let times = || {
        program
            .script_folders()
            .into_iter()
            .map(|f| f.join("out/times"))
    };
    times().for_each(|file| drop(std::fs::remove_file(file))); // of an earlier run
    program.builds();
    assert!(program.ptx().contains("12345679"));
    let times: Vec<String> = times()
        .filter_map(|file| std::fs::read_to_string(file).ok())
        .collect();
    assert_eq!(times, ["once "]);
}
