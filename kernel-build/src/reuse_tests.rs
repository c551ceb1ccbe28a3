use super::*;
use std::ffi::OsString;
use std::time::Duration;

const RECORD: &str = r#"{"rustc":7,"features":"[\"full\"]","deps":[[1,"below",false,258],[2,"build_script_build",false,5]],"compile_kind":0}"#;

/// An outer build that has compiled the crate `tool`, and a nested one that has taken what is below it.
struct Builds {
    folder: PathBuf,
    outer: Outer,
    arguments: String,
}

impl Builds {
    fn new(name: &str) -> Builds {
        let folder =
            std::env::temp_dir().join(format!("warploom-reuse-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let outer = Outer {
            folder: folder.join("debug"),
            script: "program-1".into(),
            rustc: "rustc".into(),
            rustc_hash: 7,
        };
        let at = folder.display().to_string();
        let arguments = format!(
            "--crate-name tool {at}/lib.rs --crate-type lib --cfg feature=\"full\" -C extra-filename=-new --out-dir {at}/nested --extern below={at}/nested/libbelow-new.rmeta"
        );
        let builds = Builds {
            folder,
            outer,
            arguments,
        };
        // Sources come first: what changed later is compiled.
        let run = format!("debug/build/{}-run", env!("CARGO_PKG_NAME"));
        builds.write("lib.rs", "");
        builds.write(&format!("{run}/out/made.rs"), "1");
        builds.write("nested/run/out/made.rs", "1");
        let record = format!("debug/.fingerprint/{}-old", env!("CARGO_PKG_NAME"));
        builds.write(&format!("{record}/lib-tool"), "0123456789abcdef");
        builds.write(&format!("{record}/lib-tool.json"), RECORD);
        builds.write(&format!("{record}/invoked.timestamp"), "");
        builds.write("debug/deps/libtool-old.rmeta", "metadata");
        builds.write("debug/deps/libtool-old.rlib", "library");
        let list = format!(
            "{at}/libtool-old.rlib: {at}/lib.rs\n\n{at}/lib.rs:\n\n{at}/{run}/out/made.rs:\n\n# env-dep:OUT_DIR=elsewhere\n"
        );
        builds.write("debug/deps/tool-old.d", &list);
        // 5, the lowest byte first.
        let script = format!(
            "debug/.fingerprint/{}-run/run-build-script-build-script-build",
            env!("CARGO_PKG_NAME")
        );
        builds.write(&script, "0500000000000000");
        for run in [&*run, "nested/run"] {
            builds.write(
                &format!("{run}/output"),
                &format!("cargo:rustc-cfg=x\n{at}/{run}/out\n"),
            );
        }
        // 258, the lowest byte first.
        builds.write("nested/libbelow-new.outer", "0201000000000000");
        builds
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn take(&self) -> bool {
        let arguments = self.arguments.split(' ');
        let arguments: Vec<OsString> = arguments.map(OsString::from).collect();
        self.outer.take(
            "rustc".as_ref(),
            &Call(&arguments),
            Some(&self.folder.join("nested/run/out")),
        )
    }
}

impl Drop for Builds {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn the_result_of_the_same_compilation_is_taken() {
    let builds = Builds::new("same");
    assert!(builds.take());
    let read = |name: &str| fs::read_to_string(builds.folder.join("nested").join(name)).unwrap();
    assert_eq!(read("libtool-new.rlib"), "library");
    assert_eq!(read("libtool-new.rmeta"), "metadata");
    assert_eq!(read("libtool-new.outer"), "0123456789abcdef");
    assert!(read("tool-new.d").contains("lib.rs:"));
}

/// Two copies of all libraries for the host would be a sixth of a program's target folder. The metadata's date makes the result newer than what it
/// depends on.
#[cfg(unix)]
#[test]
fn a_library_is_the_same_file_beside_new_metadata() {
    use std::os::unix::fs::MetadataExt as _;
    let mut builds = Builds::new("links");
    assert!(builds.take());
    let inode = |path: &str| fs::metadata(builds.folder.join(path)).unwrap().ino();
    assert_eq!(
        inode("nested/libtool-new.rlib"),
        inode("debug/deps/libtool-old.rlib")
    );
    assert_ne!(
        inode("nested/libtool-new.rmeta"),
        inode("debug/deps/libtool-old.rmeta")
    );
    // What is compiled here instead is another file, even if it is written in place.
    builds.outer.rustc_hash = 8;
    assert!(!builds.take());
    builds.write("nested/libtool-new.rlib", "compiled here");
    let outer = fs::read_to_string(builds.folder.join("debug/deps/libtool-old.rlib"));
    assert_eq!(outer.unwrap(), "library");
}

#[test]
fn other_features_are_another_compilation() {
    let mut builds = Builds::new("features");
    builds.arguments = builds.arguments.replace("full", "small");
    assert!(!builds.take());
}

#[test]
fn another_compiler_gives_another_result() {
    let mut builds = Builds::new("compiler");
    builds.outer.rustc_hash = 8;
    assert!(!builds.take());
    builds.outer.rustc_hash = 7;
    builds.outer.rustc = "other/rustc".into();
    assert!(!builds.take());
}

#[test]
fn what_was_compiled_for_a_target_is_not_taken() {
    let builds = Builds::new("target");
    let record = RECORD.replace("\"compile_kind\":0", "\"compile_kind\":11");
    let path = format!(
        "debug/.fingerprint/{}-old/lib-tool.json",
        env!("CARGO_PKG_NAME")
    );
    builds.write(&path, &record);
    assert!(!builds.take());
}

#[test]
fn a_source_that_changed_since_is_compiled() {
    let builds = Builds::new("source");
    let source = fs::File::options()
        .append(true)
        .open(builds.folder.join("lib.rs"))
        .unwrap();
    source
        .set_modified(SystemTime::now() + Duration::from_secs(5))
        .unwrap();
    assert!(!builds.take());
}

/// The two would not fit: rustc compares what a library was compiled against.
#[test]
fn nothing_is_taken_above_what_was_compiled_here() {
    let builds = Builds::new("below");
    fs::remove_file(builds.folder.join("nested/libbelow-new.outer")).unwrap();
    assert!(!builds.take());
}

#[test]
fn an_unfinished_compilation_is_not_taken() {
    let builds = Builds::new("unfinished");
    let path = format!("debug/.fingerprint/{}-old/lib-tool", env!("CARGO_PKG_NAME"));
    builds.write(&path, "");
    assert!(!builds.take());
}

/// It may have asked for a variable that the nested build does not have.
#[test]
fn what_a_build_script_printed_otherwise_is_not_taken() {
    let builds = Builds::new("printed");
    builds.write("nested/run/output", "cargo:rustc-cfg=y\n");
    assert!(!builds.take());
}

/// The outer build may be about to compile with a newer one.
#[test]
fn a_source_that_was_generated_otherwise_is_compiled() {
    let builds = Builds::new("generated");
    builds.write("nested/run/out/made.rs", "2");
    assert!(!builds.take());
}

/// Otherwise what is above it would be taken.
#[test]
fn what_is_compiled_again_counts_as_compiled_here() {
    let mut builds = Builds::new("again");
    assert!(builds.take());
    builds.outer.rustc_hash = 8;
    assert!(!builds.take());
    assert!(!builds.folder.join("nested/libtool-new.outer").exists());
}

#[test]
fn variables_have_the_values_that_they_had() {
    assert!(same_variable("# checksum:none"));
    assert!(same_variable("# env-dep:OUT_DIR=/elsewhere"));
    assert!(same_variable("# env-dep:WARPLOOM_NO_SUCH_VARIABLE"));
    assert!(!same_variable("# env-dep:WARPLOOM_NO_SUCH_VARIABLE=1"));
    assert!(!same_variable("# env-dep:CARGO_PKG_NAME=other"));
}
