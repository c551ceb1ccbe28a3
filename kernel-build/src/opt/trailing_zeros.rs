//! Trailing zeros are counted without a branch.
//!
//! PTX has no instruction for them, and LLVM counts the bits below the lowest one: `popc(!x & (x - 1))`. For zero that is the width, as `trailing_zeros` says;
//! LLVM branches around it nevertheless, because the target does not say that it may be computed for zero. LLVM's instruction combiner would make the call
//! again, so that this must run after it.

use crate::llvm::{Builder, Module, Op, TypeKind, Value};

/// Counts trailing zeros by counting bits, where the number may be zero.
pub(crate) fn count_all(module: &mut Module<'_>) {
    for function in super::defined(module) {
        for call in function.instructions() {
            if is_count(call) {
                count(module, call);
            }
        }
    }
}

/// Whether this is `llvm.cttz` of 32 or 64 bits that is defined for zero.
fn is_count(call: Value<'_>) -> bool {
    let callee = (call.op() == Op::Call)
        .then(|| call.callee().as_function())
        .flatten();
    matches!(call.ty().kind(), TypeKind::Integer(32 | 64))
        && callee.is_some_and(|f| f.name().starts_with("llvm.cttz."))
        && call.args()[1].as_integer() == Some(0)
}

fn count<'ctx>(module: &mut Module<'ctx>, call: Value<'ctx>) {
    let (number, ty) = (call.args()[0], call.ty());
    let Some(bits) = module.intrinsic_of("llvm.ctpop", ty) else {
        return;
    };
    let before = Builder::before(call);
    let bits_of_type = if ty.kind() == TypeKind::Integer(64) {
        64
    } else {
        32
    };
    let all = ty.integer(u64::MAX >> (64 - bits_of_type));
    // Of poison both would be; of an undefined number each use may be another one.
    let number = before.freeze(number);
    let (inverse, less) = (before.xor(number, all), before.add(number, all));
    let below = before.and(inverse, less);
    call.replace_all_uses_with(module.call_before(call, bits, &[below]));
    // SAFETY: its result was just replaced, and the handle ends here.
    unsafe { call.erase_instruction() };
}
