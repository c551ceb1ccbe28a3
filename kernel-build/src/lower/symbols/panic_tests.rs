//! The ways into a panic that this toolchain's `core` has. A new rustc that changes them fails here, loudly, and not on a GPU.

use super::{HEAP, PANICS, panic_replacement};
use crate::archive::embedded_bitcode;
use crate::llvm::tests::{context, sysroot};
use crate::llvm::{Module, Value};
use crate::reach::Graph;
use object::read::archive::ArchiveFile;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The parameters of `warploom-device-std`'s functions, as LLVM sees them, which `core`'s must have too.
const PARAMETERS: &[(&str, &str)] = &[
    ("core::panicking::panic_fmt", "void (ptr, ptr, ptr)"),
    (
        "core::panicking::panic_bounds_check",
        "void (i64, i64, ptr)",
    ),
    ("core::panicking::panic_nounwind", "void (ptr, i64)"),
    (
        "core::panicking::panic_nounwind_fmt",
        "void (ptr, ptr, i1, ptr)",
    ),
    (
        "core::slice::index::slice_index_fail",
        "void (i64, i64, i64, ptr)",
    ),
];

/// The same for what `Box` and `Vec` call.
const HEAP_SHAPES: &[(&str, &str)] = &[
    ("__rustc::__rust_alloc", "ptr (i64, i64)"),
    ("__rustc::__rust_dealloc", "void (ptr, i64, i64)"),
    ("__rustc::__rust_realloc", "ptr (ptr, i64, i64, i64)"),
    ("__rustc::__rust_alloc_zeroed", "ptr (i64, i64)"),
    ("__rustc::__rust_no_alloc_shim_is_unstable_v2", "void ()"),
    ("alloc::alloc::handle_alloc_error", "void (i64, i64)"),
];

struct Core {
    /// Mangled name and type of every function that `core` defines, by path.
    functions: BTreeMap<String, (String, String)>,
    /// Paths of the functions that call the panic handler.
    callers: Vec<String>,
}

/// A library of the toolchain, by the start of its file's name.
fn library(start: &str) -> Vec<u8> {
    let folder = sysroot().join("lib/rustlib/x86_64-unknown-linux-gnu/lib");
    let starts = |p: &PathBuf| {
        p.file_name()
            .and_then(|n| n.to_str())
            .is_some_and(|n| n.starts_with(start) && n.ends_with(".rlib"))
    };
    let rlib = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(starts)
        .unwrap();
    std::fs::read(rlib).unwrap()
}

fn core() -> Core {
    let data = library("libcore-");
    let context = context();
    let mut core = Core {
        functions: BTreeMap::new(),
        callers: vec![],
    };
    for member in ArchiveFile::parse(&*data).unwrap().members() {
        let Some(bitcode) = embedded_bitcode(member.unwrap().data(&*data).unwrap()) else {
            continue;
        };
        let module = Module::from_bitcode(&context, bitcode).unwrap();
        let functions = module.functions();
        let path = |name: &str| format!("{:#}", rustc_demangle::demangle(name));
        let handler = functions
            .iter()
            .find(|f| f.name().contains("rust_begin_unwind"));
        let graph = Graph::of(&functions);
        for function in functions.iter().filter(|f| !f.is_declaration()) {
            let name = function.name();
            let direct = handler.and_then(|h| graph.path(&name, &h.name()));
            if direct.is_some_and(|steps| steps.len() == 1) {
                core.callers.push(path(&name));
            }
            core.functions
                .insert(path(&name), (name.clone(), shape(*function)));
        }
    }
    core
}

fn shape(function: Value<'_>) -> String {
    function.value_type().to_text()
}

#[test]
fn every_panic_entry_point_is_in_core_with_our_parameters() {
    let core = core();
    assert!(
        core.functions.len() > 100,
        "core has {} functions",
        core.functions.len()
    );
    for (path, ours) in PANICS {
        let (name, shape) = core
            .functions
            .get(*path)
            .unwrap_or_else(|| panic!("this rustc's core has no `{path}`: see what replaces it"));
        assert_eq!(panic_replacement(name), Some(*ours), "{name}");
        let expected = PARAMETERS.iter().find(|(p, _)| p == path).unwrap().1;
        assert_eq!(
            shape, expected,
            "`{path}` takes other parameters; change `{ours}` of warploom-device-std with it"
        );
    }
}

/// Whatever reaches the panic handler goes through a function that is replaced.
#[test]
fn nothing_else_calls_the_panic_handler() {
    let core = core();
    assert!(
        !core.callers.is_empty(),
        "nothing calls `rust_begin_unwind`: panics take another way in this rustc"
    );
    for caller in &core.callers {
        assert!(
            PANICS.iter().any(|(path, _)| path == caller),
            "`{caller}` calls the panic handler, and nothing replaces it"
        );
    }
}

/// Whether defined there or only called: std's shims of the allocator are made anew for each program.
#[test]
fn the_heap_has_the_names_and_parameters_that_are_replaced() {
    let context = context();
    let mut shapes: BTreeMap<String, (String, String)> = BTreeMap::new();
    for data in [library("liballoc-"), library("libstd-")] {
        for member in ArchiveFile::parse(&*data).unwrap().members() {
            let Some(bitcode) = embedded_bitcode(member.unwrap().data(&*data).unwrap()) else {
                continue;
            };
            let module = Module::from_bitcode(&context, bitcode).unwrap();
            for function in module.functions() {
                let path = format!("{:#}", rustc_demangle::demangle(&function.name()));
                shapes.insert(path, (function.name(), shape(function)));
            }
        }
    }
    for (path, ours) in HEAP {
        let (name, shape) = shapes
            .get(*path)
            .unwrap_or_else(|| panic!("this rustc's std calls no `{path}`: see what replaces it"));
        assert_eq!(panic_replacement(name), Some(*ours), "{name}");
        let expected = HEAP_SHAPES.iter().find(|(p, _)| p == path).unwrap().1;
        assert_eq!(shape, expected, "`{path}` takes other parameters");
    }
}
