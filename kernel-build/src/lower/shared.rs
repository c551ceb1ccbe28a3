//! Shared memory: declarations move into its address space.

use crate::llvm::{Attribute, Linkage, Module, Value};

/// Called once per declaration, by a function of its own per type, size and place in the source: each call is one allocation.
const STATIC: &str = "__warploom.shared_static";
const SHARED: u32 = 3;

/// Gives every static shared declaration its memory; adds what is wrong with some to `problems`.
pub(crate) fn place(module: &mut Module<'_>, problems: &mut Vec<String>) {
    let always_inline = Attribute::named(module.context(), "alwaysinline", 0);
    let calls: Vec<(Value<'_>, Value<'_>)> = module
        .functions()
        .into_iter()
        .flat_map(|f| f.instructions().into_iter().map(move |i| (f, i)))
        .filter_map(|(f, i)| i.as_call().map(|c| (f, c)))
        .filter(|(_, c)| c.callee().as_function().is_some_and(|f| f.name() == STATIC))
        .collect();
    for (index, (function, call)) in calls.into_iter().enumerate() {
        let args = call.args();
        let (Some(bytes), Some(align)) = (
            args.first().and_then(|a| a.as_integer()),
            args.get(1).and_then(|a| a.as_integer()),
        ) else {
            problems.push(format!(
                "the size of a shared array is not known at build time (in `{:#}`)",
                rustc_demangle::demangle(&function.name())
            ));
            continue;
        };
        let ty = module.i8_type().array(bytes.max(1));
        let global = module.add_global(&format!("shared_{index}"), ty, SHARED);
        global.set_initializer(ty.undef());
        global.set_linkage(Linkage::Internal);
        // Other threads write it: LLVM must not conclude anything from the undefined initial value.
        global.set_externally_initialized();
        global.set_alignment(u32::try_from(align).unwrap_or(16));
        call.replace_all_uses_with(global.cast_to_generic());
        // SAFETY: its result was just replaced, and the handle ends here.
        unsafe { call.erase_instruction() };
        function.remove_attribute(Attribute::FUNCTION, "noinline");
        if let Some(always_inline) = always_inline {
            function.add_attribute(Attribute::FUNCTION, always_inline);
        }
    }
}
