//! The contract of the IR between the stages of the [`pipeline`](crate::pipeline), and its validator.
//!
//! | after | the module |
//! |---|---|
//! | [`Linking`](Stage::Linking) | is host IR; everything but entries of kernels has internal linkage; nothing unwinds |
//! | [`Lowering`](Stage::Lowering) | is device IR: NVPTX's triple; kernels return nothing, have NVPTX's calling convention and are visible; no function has a section or personality; globals are in address spaces that PTX has |
//! | [`Optimisation`](Stage::Optimisation) | has no `optnone` left, no thread-local variable, and no undefined symbol but LLVM's, the driver's and dynamic shared memory |
//! | [`Emission`](Stage::Emission) | has all of that; no atomic whose order or scope NVPTX would drop; no call to a function of the device library's intrinsics; only names that PTX allows |
//!
//! Debug builds validate the module after each stage, beside LLVM's own verifier. A violation is an error in a pass, not in a kernel.

use super::link::undefined_symbols;
use crate::llvm::{LlvmError, Module, TypeKind, Value};
use crate::lower::{atomics, retarget, symbols};
use crate::passes::Stage;

/// Address spaces of PTX: generic, global, shared, constant.
const SPACES: [u32; 4] = [0, 1, 3, 4];

/// Fails if a module is not valid IR, or breaks the contract of a stage that it has passed. Builds without debug assertions only run LLVM's verifier.
pub(crate) fn check(
    module: &Module<'_>,
    passed: Stage,
    kernels: &[String],
) -> Result<(), LlvmError> {
    module.verify()?;
    if !cfg!(debug_assertions) {
        return Ok(());
    }
    let broken = violations(module, passed, kernels);
    if broken.is_empty() {
        return Ok(());
    }
    Err(LlvmError {
        what: "the IR breaks the contract of a stage of the pipeline",
        message: format!("after {passed:?}: {}", broken.join("; ")),
    })
}

/// What breaks the contract, one sentence each. `kernels` are the names of kernels, or of their entries while it is host IR.
fn violations(module: &Module<'_>, passed: Stage, kernels: &[String]) -> Vec<String> {
    let mut broken = Vec::new();
    let functions = module.functions();
    let defined = || functions.iter().copied().filter(|f| !f.is_declaration());
    let mut say = |value: Value<'_>, what: &str| broken.push(format!("`{}` {what}", value.name()));
    let is_device = module.triple() == retarget::TRIPLE;
    match passed {
        Stage::Linking => {
            for value in defined().chain(module.globals()) {
                let is_ours = value.is_declaration() || kernels.contains(&value.name());
                if !is_ours && !value.has_local_linkage() {
                    say(value, "is visible to other modules");
                }
            }
            for function in defined().filter(|f| f.unwinds()) {
                say(function, "can unwind");
            }
        }
        Stage::Lowering | Stage::Optimisation | Stage::Emission => {
            for kernel in defined().filter(|f| kernels.contains(&f.name())) {
                if !kernel.is_kernel() || kernel.has_local_linkage() {
                    say(kernel, "is no visible kernel");
                }
                if kernel.return_type().kind() != TypeKind::Void {
                    say(kernel, "is a kernel that returns a value");
                }
            }
            for function in defined().filter(|f| !f.section().is_empty() || f.has_personality()) {
                say(function, "has a section or a personality");
            }
            for global in module.globals() {
                if !matches!(global.ty().kind(), TypeKind::Pointer(s) if SPACES.contains(&s)) {
                    say(global, "is in an address space that PTX does not have");
                }
            }
        }
    }
    if passed >= Stage::Optimisation {
        for function in defined().filter(|f| f.has_attribute("optnone")) {
            say(function, "is `optnone`");
        }
        for global in module.globals().into_iter().filter(|g| g.is_thread_local()) {
            say(global, "is thread-local");
        }
    }
    if passed == Stage::Emission {
        for function in functions
            .iter()
            .filter(|f| f.is_declaration() && f.is_used())
        {
            if function.name().starts_with(symbols::INTRINSIC) {
                say(*function, "is an intrinsic without a body");
            }
        }
        for function in defined() {
            for instruction in function.instructions() {
                if atomics::needs_expansion(instruction, module.context()) {
                    say(
                        function,
                        "has an atomic whose order or scope NVPTX would drop",
                    );
                }
            }
        }
        for value in functions.iter().copied().chain(module.globals()) {
            if !retarget::is_ptx_name(&value.name()) {
                say(value, "has a name that PTX does not allow");
            }
        }
    }
    if passed >= Stage::Optimisation {
        let undefined = undefined_symbols(module).into_iter();
        broken.extend(undefined.map(|name| format!("`{name}` is undefined")));
    }
    if passed != Stage::Linking && !is_device {
        broken.push(format!("the triple is `{}`", module.triple()));
    }
    broken
}

#[cfg(test)]
#[path = "contract_tests.rs"]
mod tests;
