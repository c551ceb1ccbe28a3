//! The functions of core, alloc and std whose places the device library takes.

use super::probe::Probe;
use crate::archive::embedded_bitcode;
use crate::llvm::{LlvmError, Module, Value};
use crate::lower::formatted_panics;
use crate::lower::symbols::{self, ENDS, HEAP, PANICS, Replaced, panic_replacement};
use crate::reach::Graph;
use crate::wrapper::DEVICE_FLAGS;
use object::read::archive::ArchiveFile;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A function that is defined or only called.
struct Function {
    mangled: String,
    ty: String,
    is_defined: bool,
}

/// core's panic entry points are there, with the parameters of those that replace them.
pub(super) fn panics(probe: &Probe) -> Result<(), String> {
    let functions = functions(probe, &["libcore-"])?;
    PANICS.iter().try_for_each(|f| compare(f, &functions, true))
}

/// A panic of a crate that this rustc compiles has its arguments stored, and the functions that say what it has are found.
pub(super) fn arguments(probe: &Probe) -> Result<(), String> {
    const SOURCE: &str = "\
#[unsafe(no_mangle)]
pub fn first(a: u32, b: &i64) { panic!(\"a {a:#x} of {b:?}\") }
#[unsafe(no_mangle)]
pub fn second(a: u16, b: u16) { assert_eq!(a, b) }
#[unsafe(no_mangle)]
pub fn third(a: Result<u32, u8>) -> u32 { a.unwrap() }
";
    const OURS: &str = "
define void @__warploom_panic_values_1(ptr %m, i64 %n, ptr %l, i64 %a) { unreachable }
define void @__warploom_panic_values_2(ptr %m, i64 %n, ptr %l, i64 %a, i64 %b) { unreachable }
";
    let object = probe.compile(SOURCE, DEVICE_FLAGS)?;
    let bitcode = embedded_bitcode(&object).ok_or("rustc writes no bitcode")?;
    let unreadable = |error: LlvmError| error.to_string();
    let mut module = Module::from_bitcode(probe.context()?, bitcode).map_err(unreadable)?;
    let ours = Module::from_text(probe.context()?, OURS).map_err(unreadable)?;
    module.link(ours).map_err(unreadable)?;
    symbols::redirect(&mut module);
    formatted_panics::lower(&mut module).map_err(unreadable)?;
    let forms = [
        ("first", "panic!(\"a {a:#x} of {b:?}\")"),
        ("second", "assert_eq!(a, b)"),
        ("third", "a.unwrap()"),
    ];
    let is_known = |name: &str| {
        let instructions = module.function(name).map(Value::instructions);
        let calls = instructions
            .into_iter()
            .flatten()
            .filter_map(Value::as_call);
        let mut functions = calls.filter_map(|call| call.callee().as_function());
        functions.any(|f| f.name().starts_with("__warploom_panic_values_"))
    };
    match forms.into_iter().find(|(name, _)| !is_known(name)) {
        Some((_, form)) => Err(format!("the arguments of `{form}` are not recognised")),
        None => Ok(()),
    }
}

/// What `Box` and `Vec` call. std's shims of the allocator are made anew for each program, so that they are only called here.
pub(super) fn heap(probe: &Probe) -> Result<(), String> {
    let functions = functions(probe, &["liballoc-", "libstd-"])?;
    HEAP.iter().try_for_each(|f| compare(f, &functions, false))
}

/// Those that are not generic: the others are made in each crate.
pub(super) fn ends(probe: &Probe) -> Result<(), String> {
    let functions = functions(probe, &["libstd-"])?;
    let mut plain = ENDS.iter().filter(|f| f.ty.is_some());
    plain.try_for_each(|f| compare(f, &functions, true))
}

fn compare(
    replaced: &Replaced,
    functions: &BTreeMap<String, Function>,
    defined: bool,
) -> Result<(), String> {
    let path = replaced.path;
    let found = functions.get(path).filter(|f| f.is_defined || !defined);
    let Some(found) = found else {
        return Err(format!("there is no function `{path}`"));
    };
    if panic_replacement(&found.mangled).is_none() {
        return Err(format!(
            "`{path}` is not found by its symbol `{}`",
            found.mangled
        ));
    }
    match replaced.ty {
        Some(ty) if ty != found.ty => {
            Err(format!("`{path}` has the type `{}`, not `{ty}`", found.ty))
        }
        _ => Ok(()),
    }
}

/// Whatever reaches the panic handler goes through a function that is replaced.
pub(super) fn panic_handler(probe: &Probe) -> Result<(), String> {
    let mut callers = Vec::new();
    for_each_module(probe, "libcore-", &mut |module| {
        let functions = module.functions();
        let mut all = functions.iter();
        let Some(handler) = all.find(|f| f.name().contains("rust_begin_unwind")) else {
            return;
        };
        let graph = Graph::of(&functions);
        let calls = |f: &&Value<'_>| {
            let steps = graph.path(&f.name(), &handler.name());
            !f.is_declaration() && steps.is_some_and(|steps| steps.len() == 1)
        };
        callers.extend(functions.iter().filter(calls).map(|f| path(&f.name())));
    })?;
    if callers.is_empty() {
        return Err("nothing calls `rust_begin_unwind`".into());
    }
    let mut callers = callers.into_iter();
    match callers.find(|caller| PANICS.iter().all(|f| f.path != caller)) {
        Some(caller) => Err(format!("`{caller}` calls it, and nothing takes its place")),
        None => Ok(()),
    }
}

/// Rust's name of a symbol.
fn path(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

/// All functions of these libraries, by their path.
fn functions(probe: &Probe, libraries: &[&str]) -> Result<BTreeMap<String, Function>, String> {
    let mut all: BTreeMap<String, Function> = BTreeMap::new();
    for library in libraries {
        for_each_module(probe, library, &mut |module| {
            for function in module.functions() {
                let mangled = function.name();
                let is_defined = !function.is_declaration();
                let known = all.get(&path(&mangled)).is_some_and(|f| f.is_defined);
                if !known {
                    let ty = function.value_type().to_text();
                    let function = Function {
                        ty,
                        is_defined,
                        mangled: mangled.clone(),
                    };
                    all.insert(path(&mangled), function);
                }
            }
        })?;
    }
    Ok(all)
}

/// The modules in a library of the toolchain, by the start of its file's name.
fn for_each_module(
    probe: &Probe,
    start: &str,
    work: &mut dyn FnMut(&Module<'_>),
) -> Result<(), String> {
    let task = &probe.task;
    let folder = task
        .sysroot
        .join("lib/rustlib")
        .join(&task.host)
        .join("lib");
    let is_it = |path: &PathBuf| {
        let name = path.file_name().and_then(|n| n.to_str());
        name.is_some_and(|n| n.starts_with(start) && n.ends_with(".rlib"))
    };
    let entries = std::fs::read_dir(&folder).into_iter().flatten();
    let mut files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let file = files.find(is_it);
    let file = file.ok_or_else(|| format!("no {start}*.rlib in {}", folder.display()))?;
    let unreadable = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let data = std::fs::read(&file).map_err(|e| unreadable(&e))?;
    let archive = ArchiveFile::parse(&*data).map_err(|e| unreadable(&e))?;
    let mut modules = 0;
    for member in archive.members() {
        let content = member
            .and_then(|m| m.data(&*data))
            .map_err(|e| unreadable(&e))?;
        let Some(bitcode) = embedded_bitcode(content) else {
            continue;
        };
        let module = Module::from_bitcode(probe.context()?, bitcode);
        work(&module.map_err(|e| unreadable(&e))?);
        modules += 1;
    }
    match modules {
        0 => Err(unreadable(&"no bitcode is in it")),
        _ => Ok(()),
    }
}
