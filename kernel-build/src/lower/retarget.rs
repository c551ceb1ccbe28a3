//! Removes what only hosts have, and marks what must stay together.

use crate::llvm::{Attribute, Module, Value};

/// What kernels are compiled for.
pub(crate) const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// Makes every function and every call `convergent`: host IR never says that threads may have to arrive together.
///
/// Must run before any pass sees the module. LLVM drops the mark where it can prove that nothing reached synchronises.
pub(crate) fn mark_convergent(module: &Module<'_>) {
    let context = module.context();
    let Some(convergent) = Attribute::named(context, "convergent", 0) else {
        return;
    };
    for function in module.functions() {
        if function.name().starts_with("llvm.") {
            continue; // LLVM knows its own
        }
        function.add_attribute(Attribute::FUNCTION, convergent);
        for instruction in function.instructions() {
            if let Some(call) = instruction.as_call()
                && !call
                    .callee()
                    .as_function()
                    .is_some_and(|f| f.name().starts_with("llvm."))
            {
                call.add_call_attribute(Attribute::FUNCTION, convergent);
            }
        }
    }
}

/// Attributes of x86-64 and AArch64 functions that mean nothing, or the wrong thing, on a device.
const HOST_ATTRIBUTES: &[&str] = &[
    "nonlazybind",
    "uwtable",
    "sspstrong",
    "ssp",
    "sspreq",
    "safestack",
    "shadowcallstack",
    "nocf_check",
    "minsize",
    "optsize",
];

/// Host functions become plain device functions. `optsize` goes with the rest: what is cold is the device's to judge.
pub(crate) fn strip_host(module: &mut Module<'_>) {
    module.clear_module_asm();
    for function in module.functions() {
        for key in function.string_attributes(Attribute::FUNCTION) {
            function.remove_string_attribute(Attribute::FUNCTION, &key);
        }
        for name in HOST_ATTRIBUTES {
            function.remove_attribute(Attribute::FUNCTION, name);
        }
        if !function.is_declaration() {
            function.clear_personality();
            function.clear_host_placement();
        }
    }
    for global in module.globals() {
        if !global.is_declaration() {
            global.clear_host_placement();
        }
    }
    replace_aliases(module);
}

/// PTX has no aliases of data; rustc makes aliases only for equal functions, which are called directly instead.
fn replace_aliases(module: &Module<'_>) {
    for alias in module.aliases() {
        if let Some(function) = alias.aliasee() {
            alias.replace_all_uses_with(function);
        }
    }
}

/// Whether ptxas accepts a name: letters, digits, `_` and `$`. LLVM replaces its own, and those that are empty.
pub(crate) fn is_ptx_name(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$';
    name.starts_with("llvm.") || name.bytes().all(allowed)
}

/// Gives everything a name that ptxas accepts.
pub(crate) fn rename_for_ptx(module: &Module<'_>) {
    let clean = |value: Value<'_>| {
        let name = value.name();
        if !is_ptx_name(&name) {
            let new: String = name
                .chars()
                .map(|c| {
                    if c.is_ascii_alphanumeric() || c == '$' {
                        c
                    } else {
                        '_'
                    }
                })
                .collect();
            value.set_name(&new);
        }
    };
    module.functions().into_iter().for_each(clean);
    module.globals().into_iter().for_each(clean);
}
