//! The distance of two numbers of 8 or 16 bits, in 32 bits.
//!
//! ```text
//! select (a < b), b - a, a - b: i16      →  trunc |zext a - zext b|
//! ```
//! Code generation makes a minimum and a maximum of it, which ptxas packs and unpacks: seven machine instructions for each distance, instead of two.

use crate::llvm::{Builder, Module, Op, Predicate, TypeKind, Value};

/// Takes those of a function in 32 bits.
pub(super) fn widen<'ctx>(module: &mut Module<'ctx>, function: Value<'ctx>) {
    for select in function.instructions() {
        let Some((a, b, is_signed)) = distance(select) else {
            continue;
        };
        let ty = module.i32_type();
        let Some(abs) = module.intrinsic_of("llvm.abs", ty) else {
            return;
        };
        let at = Builder::before(select);
        let (a, b) = (
            super::extension(&at, a, is_signed),
            super::extension(&at, b, is_signed),
        );
        // The difference of such numbers is not the least number of 32 bits.
        let args = [at.sub(a, b), at.boolean(true)];
        let wide = module.call_before(select, abs, &args);
        select.replace_all_uses_with(at.truncated(wide, select.ty()));
        // SAFETY: all its uses were replaced.
        unsafe { select.erase_instruction() };
    }
}

/// The numbers whose distance this is, and whether they have signs.
fn distance<'ctx>(select: Value<'ctx>) -> Option<(Value<'ctx>, Value<'ctx>, bool)> {
    if select.op() != Op::Select || !matches!(select.ty().kind(), TypeKind::Integer(8 | 16)) {
        return None;
    }
    let [condition, when_true, when_false] = select.operands().try_into().ok()?;
    let how = condition.block().and(condition.predicate())?;
    let [a, b] = condition.operands().try_into().ok()?;
    let is_difference = |value: Value<'ctx>, of: [Value<'ctx>; 2]| {
        value.block().is_some() && value.op() == Op::Sub && value.operands() == of
    };
    let (less, is_signed) = match how {
        Predicate::Ult | Predicate::Ule => (true, false),
        Predicate::Ugt | Predicate::Uge => (false, false),
        Predicate::Slt | Predicate::Sle => (true, true),
        Predicate::Sgt | Predicate::Sge => (false, true),
        Predicate::Eq | Predicate::Ne => return None,
    };
    let (smaller, larger) = if less { (a, b) } else { (b, a) };
    let is_distance =
        is_difference(when_true, [larger, smaller]) && is_difference(when_false, [smaller, larger]);
    is_distance.then_some((a, b, is_signed))
}
