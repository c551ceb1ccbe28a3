//! Device IR for the host's processor: what the emulator runs when it checks every access to memory.
//!
//! ```text
//! device IR, before lowering ─ entries in C's convention ─ inline ─ a hook before each access ─ symbols through a table ─ object file
//! ```
//! Why not LLVM's ThreadSanitizer pass: its hooks get an address and no place in the source, so that reports would need debug information
//! in the program and a reader for it; it leaves out accesses that it thinks redundant; and the emulator would have to be found by
//! names at link time. Here each hook gets the number of a place, known when the code is made, and all calls go through one table that
//! the program fills when it first needs it. Must not know: PTX, cargo.

mod access; // a hook before each access
mod early; // stores that may come before a load
mod entries; // kernels in C's convention
mod group; // reads that one hook is asked for
mod local; // accesses to parts of local variables
mod places; // where in the source
mod record; // what the program learns of the code
mod table; // calls through the table

use crate::llvm::{Attribute, Linkage, LlvmError, Machine, Module, Op, Passes, Value};
use crate::lower::{formatted_panics, kernels, target_queries};
use crate::roots::Root;
use std::ffi::CString;
use warploom_manifest::instrumented::CODE_SECTION;

/// Functions of the device library that the emulator replaces as a whole, and the symbols that stand for its own.
const REPLACED: &[(&str, &str)] = &[
    ("__warploom_panic_fmt", "__warploom.host.panic_fmt"),
    ("__warploom_panic_str", "__warploom.host.panic_str"),
    ("__warploom_panic_expect", "__warploom.host.panic_str"),
    (
        "__warploom_panic_bounds_check",
        "__warploom.host.panic_bounds_check",
    ),
    (
        "__warploom_slice_index_fail",
        "__warploom.host.slice_index_fail",
    ),
    (
        "__warploom_panic_nounwind",
        "__warploom.host.panic_nounwind",
    ),
    (
        "__warploom_panic_nounwind_fmt",
        "__warploom.host.panic_nounwind_fmt",
    ),
    ("__warploom_alloc_error", "__warploom.host.alloc_error"),
    ("__warploom_grid_sync", "__warploom.host.grid_sync"),
    (
        "__warploom_end_after_panic",
        "__warploom.host.end_after_panic",
    ),
];

/// A copy of host IR to instrument, if that is wanted. Other hosts than these have no intrinsics that instrumented code can call: kernels run
/// natively on the emulator there.
pub(crate) fn copy<'ctx>(module: &Module<'ctx>, wanted: bool) -> Option<Module<'ctx>> {
    let can_call = crate::elf::Machine::of_triple(&module.triple()).is_some();
    (wanted && can_call).then(|| module.duplicate())
}

/// The module's kernels as an object file for the host, empty without a module; `names` are those of the manifest, in the order of `roots`. `show` gets the module
/// before the hooks, and as it becomes an object file.
pub(crate) fn build<'ctx>(
    module: Option<Module<'ctx>>,
    roots: &[Root<'ctx>],
    names: &[String],
    target: &str,
    show: Show<'_>,
) -> Result<Vec<u8>, LlvmError> {
    let Some(module) = module else {
        return Ok(vec![]);
    };
    let machine = Machine::of_host(module.context(), &module.triple())?;
    let mut module = instrumented(module, roots, names, target, (&machine, show))?;
    if module.largest_function() >= LARGE_FUNCTION {
        let machine = Machine::of_host_unoptimised(module.context(), &module.triple())?;
        return module.emit_object(&machine);
    }
    module.emit_object(&machine)
}

/// Instructions, hooks included, from which on machine code of a function is not optimised. Coalescing and allocating registers in 47 000 of them
/// takes 4 s; without, the kernel takes a quarter longer on the emulator.
const LARGE_FUNCTION: usize = 30_000;

/// What writes a text to a file, for debugging.
pub(crate) type Show<'a> = &'a dyn Fn(&str, &dyn Fn() -> String);

/// The same as a module.
fn instrumented<'ctx>(
    mut module: Module<'ctx>,
    roots: &[Root<'ctx>],
    names: &[String],
    target: &str,
    (machine, show): (&Machine<'ctx>, Show<'_>),
) -> Result<Module<'ctx>, LlvmError> {
    target_queries::answer(&mut module, "__warploom.arch", 0);
    target_queries::answer(&mut module, "__warploom.arch_specific", 0);
    target_queries::answer(&mut module, "__warploom.instrumented", 1);
    target_queries::answer(&mut module, kernels::CONSTANT_BLOCK, 0);
    for mark in [
        "__warploom.instantiate",
        "__warploom.nounroll",
        formatted_panics::KEEP,
    ] {
        remove_calls(&module, mark);
    }
    for (theirs, ours) in REPLACED {
        if let Some(function) = module.function(theirs) {
            let declared = module.declare(ours, function.value_type());
            function.replace_all_uses_with(declared);
        }
    }
    entries::share(&mut module);
    let statics = record::statics(&module);
    module.clear_module_asm();
    for function in module.functions() {
        if !function.is_declaration() {
            function.clear_personality();
            function.clear_host_placement();
            // Functions of different features are not inlined into one another, and entries have none.
            for key in function.string_attributes(Attribute::FUNCTION) {
                function.remove_string_attribute(Attribute::FUNCTION, &key);
            }
        }
    }
    entries::add(&mut module, roots, names, machine)?;
    let mut kernels = record::kernels(&module, roots, names);
    simplify(&mut module, machine)?;
    show("plain.ll", &|| module.to_text());
    let mut places = places::Places::new();
    let hooked = access::instrument(&mut module, &mut places);
    for kernel in &mut kernels {
        let range = hooked.ranges.get(&entries::symbol(&kernel.entry));
        kernel.sites = range.copied().unwrap_or_default();
    }
    module.strip_debug_info();
    let symbols = table::bind(&mut module, machine, &hooked.groups)?;
    record::add(
        &mut module,
        machine,
        target,
        kernels,
        symbols,
        places,
        &statics,
    )?;
    unwindable(&module);
    module.verify()?;
    module.run(Passes::after_instrumenting(), Some(machine))?;
    show("hooked.ll", &|| module.to_text());
    Ok(module)
}

/// Before the hooks stand in the way. Loops in which lanes change places stay as they are: the processor foresees where a lane goes on after a
/// barrier by where the one before it did, and each copy of the barrier has to be learnt anew.
fn simplify<'ctx>(module: &mut Module<'ctx>, machine: &Machine<'ctx>) -> Result<(), LlvmError> {
    const ONCE: &str = "noduplicate";
    module.run(Passes::before_instrumenting(), Some(machine))?;
    let outside = |f: &Value<'_>| f.is_declaration() && !f.name().starts_with("llvm.");
    if let Some(once) = Attribute::named(module.context(), ONCE, 0) {
        let called = module.functions().into_iter().filter(outside);
        called.for_each(|f| f.add_attribute(Attribute::FUNCTION, once));
    }
    module.run(Passes::unroll_before_instrumenting(), Some(machine))?;
    let called = module.functions().into_iter().filter(outside);
    called.for_each(|f| f.remove_attribute(Attribute::FUNCTION, ONCE));
    Ok(())
}

/// A lane may end anywhere: the code must be one that can be unwound from any instruction, although it has nothing to clean up. Probes touch
/// each page of a frame in order, so that none reaches over what lies below a stack; the section says to the emulator that an overflow was here.
fn unwindable(module: &Module<'_>) {
    let Some(tables) = Attribute::named(module.context(), "uwtable", 2) else {
        return;
    };
    let probes = Attribute::text(module.context(), "probe-stack", "inline-asm");
    let section = CString::new(CODE_SECTION).unwrap_or_default();
    for function in module.functions() {
        if !function.is_declaration() {
            function.add_attribute(Attribute::FUNCTION, tables);
            function.add_attribute(Attribute::FUNCTION, probes);
            function.set_section(&section);
            function.remove_attribute(Attribute::FUNCTION, "nounwind");
            function.set_linkage(Linkage::Internal);
        }
    }
}

fn remove_calls(module: &Module<'_>, name: &str) {
    let Some(mark) = module.function(name) else {
        return;
    };
    let calls = module.functions().into_iter().flat_map(Value::instructions);
    let calls: Vec<Value<'_>> = calls
        .filter(|i| i.op() == Op::Call && i.callee() == mark)
        .collect();
    for call in calls {
        // SAFETY: it has no result, and the handle ends here.
        unsafe { call.erase_instruction() };
    }
}

#[cfg(test)]
mod tests;
