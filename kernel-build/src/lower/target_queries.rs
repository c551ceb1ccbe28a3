//! Questions that code asks the device linker, and whose answers are numbers: which architecture it is compiled for.

use crate::llvm::{Module, Value};
use crate::options::Arch;

/// What `arch()` calls.
pub(crate) const ARCH: &str = "__warploom.arch";
/// What `feature_set()` calls.
pub(crate) const ARCH_SPECIFIC: &str = "__warploom.arch_specific";

/// Answers `arch()` and `feature_set()`, so that branches on them are folded before requirements are computed.
pub(crate) fn answer_for(module: &mut Module<'_>, arch: Arch) {
    let specific = if arch.exact { arch.sm } else { 0 };
    answer(module, ARCH, arch.sm);
    answer(module, ARCH_SPECIFIC, specific);
    answer(module, "__warploom.instrumented", 0);
}

/// Puts a number in the place of every call of a function.
pub(crate) fn answer(module: &mut Module<'_>, name: &str, answer: u32) {
    let Some(function) = module.function(name) else {
        return;
    };
    let calls: Vec<Value<'_>> = module
        .functions()
        .into_iter()
        .flat_map(Value::instructions)
        .filter_map(Value::as_call)
        .filter(|call| call.callee().as_function() == Some(function))
        .collect();
    let answer = module.i32_type().integer(u64::from(answer));
    for call in calls {
        call.replace_all_uses_with(answer);
        // SAFETY: its result was just replaced, and the handle ends here.
        unsafe { call.erase_instruction() };
    }
}
