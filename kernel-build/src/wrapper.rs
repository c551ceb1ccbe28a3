//! The compiler wrapper of the nested build: passes every call on to rustc, and gives device compilations what they need.
//!
//! Only compilations that cargo marks with `--cfg warploom_device` get other arguments, and of those for the host that of this crate. Others for the host, of macros and
//! build scripts, are taken from the outer build where they are the same (`reuse.rs`). The unstable switches are allowed (`RUSTC_BOOTSTRAP`) in exactly these processes, because build scripts of dependencies look for that
//! variable and would turn nightly features on.

use crate::call::Call;
use crate::environment::{
    DEVICE_CFG, DEVICE_PASS, DUMP, LINKER_STAMP, OPTIONS, PATHS_FROM, TARGET,
};
use crate::reuse::{self, Outer};
use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate type under which cargo builds a library for its own device code.
pub(crate) const LIBRARY: &str = "staticlib";

/// What device compilations get, each for a reason:
pub(crate) const DEVICE_FLAGS: &[&str] = &[
    // JumpThreading duplicates calls into branches, barriers too: threads would then wait at different barriers.
    "-Zmir-enable-passes=-JumpThreading",
    // The launch handle's name is part of a constant.
    "-Zcrate-attr=feature(const_type_name)",
    // `--test` harnesses must build although panics abort.
    "-Zpanic-abort-tests",
    // No landing pads: a device cannot unwind.
    "-Cpanic=abort",
    // Bitcode instead of machine code, one module per crate, untouched by host optimisation.
    "-Clinker-plugin-lto",
    "-Cno-prepopulate-passes",
    "-Ccodegen-units=1",
    "-Copt-level=3",
    "-Csymbol-mangling-version=v0",
    // Lines for error messages and `.loc`, no variables.
    "-Cdebuginfo=line-directives-only",
    "-Cstrip=none",
    // Std's checks of unsafe preconditions format their messages: they would make device code of debug builds several times larger.
    "-Zub-checks=no",
    // The host pass shows the same warnings.
    "--cap-lints=allow",
];

/// Crates that programs name and no kernel reaches: of these, declarations are enough.
const HOST_CRATES: &[&str] = &["warploom_emulator", "warploom_manifest", "warploom_runtime"];

/// What these get as well.
pub(crate) const HOST_CRATE_FLAGS: &[&str] = &[
    // Metadata without code. The linker misses nothing: what only host code calls is dropped before it looks for definitions.
    "-Zno-codegen",
    // Instances of other crates' generics that are not inlined, such as `RawVec::grow_one`, would be in the metadata as this crate's, and rustc would not make
    // them again where a kernel needs them. Hidden ones are not exported.
    "-Zdefault-visibility=hidden",
    // Optimising their MIR would take longer than all the rest of compiling them.
    "-Zmir-opt-level=0",
];

/// Crates of this name and of longer ones are not edited where they are dependencies: data for the next compilation would be a third of the device pass's
/// folder. Cargo asks for them where dependencies have a path.
const NEVER_EDITED: &str = "warploom";

/// A `--cfg` value that changes with [`DEVICE_FLAGS`], of which cargo knows nothing.
pub(crate) fn flags_cfg() -> String {
    let mut hasher = DefaultHasher::new();
    (DEVICE_FLAGS, HOST_CRATE_FLAGS).hash(&mut hasher);
    format!("warploom_flags=\"{:x}\"", hasher.finish())
}

/// Runs rustc as cargo asked, with additions; returns its exit code.
pub(crate) fn run(args: &[OsString]) -> i32 {
    let Some((rustc, rest)) = args.split_first() else {
        return 1;
    };
    let call = Call(rest);
    // Without a crate name of cargo's it is some build script that probes the compiler: it must see a stable one.
    let device = call.has("--cfg", DEVICE_CFG) && std::env::var_os("CARGO_CRATE_NAME").is_some();
    let linked = device && std::env::var_os("CARGO_PRIMARY_PACKAGE").is_some() && is_linked(&call);
    let outer = std::env::var(reuse::OUTER).unwrap_or_default();
    let outer: Option<Outer> = serde_json::from_str(&outer).ok();
    let out_dir = std::env::var_os("OUT_DIR").map(PathBuf::from);
    if !device && outer.is_some_and(|outer| outer.take(rustc, &call, out_dir.as_deref())) {
        return 0;
    }
    let is_edited = std::env::var_os("CARGO_PRIMARY_PACKAGE").is_some()
        || !call
            .value("--crate-name")
            .is_some_and(|name| name.starts_with(NEVER_EDITED));
    let kept = if device && !is_edited {
        without_incremental(rest)
    } else {
        rest.to_vec()
    };
    let rest = &*kept;
    let mut command = Command::new(rustc);
    if let Some((root, source)) = inert_root(&call).filter(|_| !device) {
        command.args(rest.iter().map(|a| if a == root { &source } else { a }));
        command.arg("--cap-lints=allow");
    } else if linked {
        command.args(rest.iter().map(|a| {
            if a == LIBRARY {
                // What its public functions reach is compiled, as in the library itself; of a cdylib nothing would be.
                "dylib".as_ref()
            } else {
                a.as_os_str()
            }
        }));
        add_linker(&mut command);
        if call.value("--target").is_some_and(|t| t.ends_with("-musl")) {
            // rustc makes no dylib where the C library is linked statically.
            command.arg("-Ctarget-feature=-crt-static");
        }
        command.env(TARGET, target(&call));
    } else {
        command.args(rest);
    }
    if device {
        if is_checked_by_default(&call) {
            command.arg("-Cdebug-assertions=on");
        }
        command.args(DEVICE_FLAGS);
        let name = call.value("--crate-name").unwrap_or_default();
        if HOST_CRATES.contains(&name) {
            command.args(HOST_CRATE_FLAGS);
        }
        if let Some(root) = std::env::var_os(PATHS_FROM) {
            let mut remapped = OsString::from("--remap-path-prefix=");
            remapped.push(root);
            remapped.push("=");
            command.arg(remapped);
        }
        if name == "warploom_device_std" {
            // A checked addition in the panic writer would bring `core::fmt` into every kernel of a debug build.
            command.args(["-Coverflow-checks=off", "-Cdebug-assertions=off"]);
        }
        command.env("RUSTC_BOOTSTRAP", "1").env(DEVICE_PASS, "1");
    }
    let done = command.status().and_then(|status| {
        if linked && status.success() {
            finish(&call)?;
        }
        Ok(status.code().unwrap_or(1))
    });
    done.unwrap_or_else(|error| {
        eprintln!("cannot run {}: {error}", rustc.display());
        1
    })
}

/// The arguments without the folder of data for the next compilation.
fn without_incremental(args: &[OsString]) -> Vec<OsString> {
    let mut kept = Vec::with_capacity(args.len());
    let mut args = args.iter().peekable();
    while let Some(arg) = args.next() {
        let is_folder = |next: &&OsString| next.to_string_lossy().starts_with("incremental=");
        if arg == "-C" && args.next_if(is_folder).is_some() {
            continue;
        }
        kept.push(arg.clone());
    }
    kept
}

/// Of a compilation of this library: its root, and the root with the same interface that does nothing.
fn inert_root<'a>(call: &Call<'a>) -> Option<(&'a OsStr, OsString)> {
    let package = std::env::var("CARGO_PKG_NAME").ok()?;
    if package != env!("CARGO_PKG_NAME") || call.crate_type() != Some("lib") {
        return None;
    }
    let root = call.root()?;
    let nested = root.with_file_name("nested.rs");
    // Another version may have none.
    nested
        .is_file()
        .then(|| (root.as_os_str(), nested.into_os_string()))
}

/// Whether device code is wanted of this target: of programs and test harnesses always, of a library when it is built for that.
fn is_linked(call: &Call<'_>) -> bool {
    let kind = call.crate_type();
    kind.is_none_or(|kind| kind == "bin" || kind == LIBRARY)
}

/// Whether the profile leaves overflow checks and assertions to rustc's default for unoptimised code: cargo then says nothing, and
/// our own level of optimisation would turn them off.
fn is_checked_by_default(call: &Call<'_>) -> bool {
    let says = |text: &str| {
        let mut args = call.0.iter().filter_map(|a| a.to_str());
        args.any(|a| a.trim_start_matches("-C").starts_with(text))
    };
    !says("opt-level=") && !says("debug-assertions=")
}

/// A name that no other target of the package has, test harnesses included.
fn target(call: &Call<'_>) -> String {
    let name = call.value("--crate-name").unwrap_or_default();
    let kind = match call.crate_type() {
        Some(LIBRARY) => "lib",
        Some(kind) => kind,
        None => "test",
    };
    format!("{name} ({kind})")
}

/// Puts a library where cargo looks for it, and tells cargo, through rustc's list of what it read, that the result depends on
/// the options and on the device linker.
fn finish(call: &Call<'_>) -> std::io::Result<()> {
    let suffix = call.file_suffix();
    let (Some(folder), Some(name)) = (call.value("--out-dir"), call.value("--crate-name")) else {
        return Ok(());
    };
    let folder = Path::new(folder);
    if call.crate_type() == Some(LIBRARY) {
        let made = folder.join(format!("lib{name}{suffix}.so"));
        std::fs::rename(made, folder.join(format!("lib{name}{suffix}.a")))?;
    }
    let lines: String = [OPTIONS, LINKER_STAMP, DUMP]
        .iter()
        .map(|key| match std::env::var(key) {
            Ok(value) => {
                let value = value.replace('\\', "\\\\");
                format!("\n# env-dep:{key}={value}\n")
            }
            Err(_) => format!("\n# env-dep:{key}\n"),
        })
        .collect();
    std::fs::OpenOptions::new()
        .append(true)
        .open(folder.join(format!("{name}{suffix}.d")))?
        .write_all(lines.as_bytes())
}

/// Names this executable as linker.
fn add_linker(command: &mut Command) {
    let Ok(this) = std::env::current_exe() else {
        return;
    };
    let mut linker = OsString::from("-Clinker=");
    linker.push(this);
    command.arg(linker).arg("-Clinker-flavor=gcc");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_folder_of_incremental_data_is_left_out() {
        let args = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let given = args("--crate-name x -C incremental=/t/incremental -C metadata=1 -C");
        let kept = args("--crate-name x -C metadata=1 -C");
        assert_eq!(without_incremental(&given), kept);
        assert_eq!(without_incremental(&kept), kept);
    }

    #[test]
    fn the_nested_build_has_the_same_interface() {
        let public = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|line| line.starts_with("pub "));
            // No build script needs it.
            let lines = lines.filter(|line| !line.starts_with("pub mod installation;"));
            lines.map(str::to_owned).collect()
        };
        let library = public(include_str!("lib.rs"));
        assert_eq!(library.len(), 3, "{library:?}");
        assert_eq!(library, public(include_str!("nested.rs")));
    }
}
