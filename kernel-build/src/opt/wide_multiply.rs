//! Products of two 32-bit numbers in 64 bits.
//!
//! PTX has `mul.wide.u32` for them, and NVPTX selects it if both factors are zero extensions. LLVM drops the truncation and the extension around `^` and
//! `&`, so that a factor is a 64-bit value whose upper half is known to be zero: the product of two such takes two more instructions, each for zeros.
//! Must run last: here the factors are extended again.

use crate::llvm::{Builder, Module, Op, TypeKind, Value};

/// Deeper expressions are not analysed.
const DEPTH: u32 = 4;

/// Widens the factors of products whose upper halves are known to be zero.
pub(crate) fn widen_factors(module: &Module<'_>) {
    for function in module.functions() {
        for product in function.instructions() {
            let is_wide = product.ty().kind() == TypeKind::Integer(64);
            if is_wide && product.op() == Op::Mul {
                widen(product);
            }
        }
    }
}

fn widen(product: Value<'_>) {
    let factors = product.operands();
    let is_plain = |v: &Value<'_>| widened_from(*v).is_some() || v.as_integer().is_some();
    if factors.iter().all(is_plain) || !factors.iter().all(|v| is_narrow(*v, DEPTH)) {
        return;
    }
    let builder = Builder::before(product);
    for (index, factor) in (0..).zip(factors) {
        let narrow = narrowed(factor, &builder, DEPTH);
        product.set_operand(index, builder.widened(narrow));
    }
}

/// The number of 32 bits that a number of 64 was made of.
fn widened_from(value: Value<'_>) -> Option<Value<'_>> {
    let is_widening = value.block().is_some() && value.op() == Op::ZExt;
    let narrow = is_widening.then(|| value.operands()[0])?;
    (narrow.ty().kind() == TypeKind::Integer(32)).then_some(narrow)
}

/// Whether the upper half is zero.
fn is_narrow(value: Value<'_>, depth: u32) -> bool {
    if let Some(number) = value.as_integer() {
        return u32::try_from(number).is_ok();
    }
    if depth == 0 || value.block().is_none() {
        return false;
    }
    let operands = value.operands();
    let narrow = |v: &Value<'_>| is_narrow(*v, depth - 1);
    match value.op() {
        Op::ZExt => matches!(operands[0].ty().kind(), TypeKind::Integer(..=32)),
        Op::LShr => operands[1].as_integer().is_some_and(|by| by >= 32),
        Op::And => operands.iter().any(narrow),
        Op::Or | Op::Xor => operands.iter().all(narrow),
        _ => false,
    }
}

/// The lower half, computed in 32 bits as far as that is the same.
fn narrowed<'ctx>(value: Value<'ctx>, builder: &Builder<'ctx>, depth: u32) -> Value<'ctx> {
    if let Some(number) = value.as_integer() {
        return builder.number(number, 32);
    }
    if let Some(narrow) = widened_from(value) {
        return narrow;
    }
    let half = |index: usize| narrowed(value.operands()[index], builder, depth - 1);
    let op = value.block().filter(|_| depth > 0).map(|_| value.op());
    match op {
        Some(Op::And) => builder.and(half(0), half(1)),
        Some(Op::Or) => builder.or(half(0), half(1)),
        Some(Op::Xor) => builder.xor(half(0), half(1)),
        _ => builder.trunc32(value),
    }
}

#[cfg(test)]
mod tests {
    use super::widen_factors;
    use crate::llvm::tests::context;
    use crate::llvm::{Machine, Module};

    /// PTX of a function that stores what `body` leaves in `%v`.
    fn ptx(body: &str) -> String {
        let context = context();
        let triple = "nvptx64-nvidia-cuda";
        let machine = Machine::new(&context, triple, "sm_75", "+ptx71").unwrap();
        let text = format!(
            "define ptx_kernel void @f(ptr %p, i64 %a, i64 %b, i32 %c, i16 %d) {{\n{body}\n  store i64 %v, ptr %p\n  ret void\n}}\n"
        );
        let mut module = Module::from_text(&context, &text).unwrap();
        module.set_target(triple, &machine.data_layout());
        widen_factors(&module);
        module.verify().unwrap();
        module.emit(&machine).unwrap()
    }

    #[test]
    fn upper_halves_of_zeros_are_not_multiplied() {
        for factor in [
            "  %f = and i64 %a, 4294967295",
            "  %n = lshr i64 %a, 32\n  %f = xor i64 %n, 12345",
            "  %n = and i64 %a, 4294967295\n  %w = zext i32 %c to i64\n  %f = xor i64 %n, %w",
            "  %w = zext i32 %c to i64\n  %n = or i64 %b, 4294967040\n  %m = and i64 %n, %w\n  %f = or i64 %m, 3",
            "  %w = zext i16 %d to i64\n  %n = lshr i64 %b, 40\n  %f = or i64 %n, %w",
        ] {
            for other in ["3449720151", "%w.c"] {
                let ptx = ptx(&format!(
                    "{factor}\n  %w.c = zext i32 %c to i64\n  %v = mul i64 %f, {other}"
                ));
                assert!(ptx.contains("mul.wide.u32"), "{ptx}");
                assert!(!ptx.contains("mul.lo.s64"), "{ptx}");
            }
        }
    }

    #[test]
    fn factors_that_may_be_larger_keep_their_upper_halves() {
        for factor in [
            "  %f = lshr i64 %a, 31",
            "  %n = lshr i64 %a, 32\n  %f = xor i64 %n, 4294967296",
            "  %n = lshr i64 %a, 32\n  %f = or i64 %n, %b",
            "  %w = zext i32 %c to i64\n  %f = shl i64 %w, 1",
            "  %n = lshr i64 %a, 32\n  %f = and i64 %b, %a",
        ] {
            let ptx = ptx(&format!("{factor}\n  %v = mul i64 %f, 3449720151"));
            assert!(ptx.contains("mul.lo.s64"), "{ptx}");
        }
    }
}
