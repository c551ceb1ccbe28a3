//! Calls that are floating-point arithmetic lose the mark `convergent`.
//!
//! Every call that is not LLVM's own is marked before definitions are known, and calls of the device library's intrinsics keep the mark when they become
//! intrinsics of NVPTX or PTX:
//!
//! ```text
//! call float asm "ex2.approx.ftz.f32 $0, $1;"(float %x) convergent      a loop with `exp` counts as one in which threads wait for each other:
//! call float @llvm.nvvm.fma.rn.f(…) convergent                          it is neither threaded nor unrolled, and its checks stay
//! ```
//! Only what computes a float from its operands loses it. Registers of the launch (`%tid.x`) and integer arithmetic keep the mark: without it LLVM has
//! more to move in kernels whose registers are few (`stencil_3d` took 40 instead of 32).

use super::defined;
use crate::llvm::{Attribute, Module, TypeKind, Value};

/// PTX instructions by the beginnings of their names that compute from their operands alone: what other threads do makes no difference.
const ARITHMETIC: &[&str] = &[
    "abs.",
    "add.",
    "copysign.",
    "cos.",
    "cvt.",
    "div.",
    "ex2.",
    "fma.",
    "lg2.",
    "mad.",
    "max.",
    "min.",
    "mul.",
    "neg.",
    "rcp.",
    "rsqrt.",
    "sin.",
    "sqrt.",
    "sub.",
    "tanh.",
];

/// Takes the mark from the calls of a module.
pub(crate) fn unmark(module: &Module<'_>) {
    let calls = defined(module).into_iter().flat_map(Value::instructions);
    for call in calls.filter_map(Value::as_call) {
        if call.is_convergent() && is_arithmetic(call) {
            call.remove_call_attribute(Attribute::FUNCTION, "convergent");
        }
    }
}

/// Whether a call computes a float, and does nothing else: by a function of LLVM that is not convergent itself (shuffles are), or by one instruction.
fn is_arithmetic(call: Value<'_>) -> bool {
    if !matches!(
        call.ty().kind(),
        TypeKind::Half | TypeKind::Float | TypeKind::Double
    ) {
        return false;
    }
    let callee = call.callee();
    let of_llvm = callee
        .as_function()
        .is_some_and(|f| f.name().starts_with("llvm.") && !f.has_attribute("convergent"));
    of_llvm
        || callee
            .asm_text()
            .is_some_and(|text| is_one_instruction(&text))
}

/// Whether PTX is one instruction of [`ARITHMETIC`].
fn is_one_instruction(text: &str) -> bool {
    let text = text.trim();
    let one = text
        .strip_suffix(';')
        .is_some_and(|t| !t.contains([';', '{', '@']));
    one && ARITHMETIC.iter().any(|name| text.starts_with(name))
}
