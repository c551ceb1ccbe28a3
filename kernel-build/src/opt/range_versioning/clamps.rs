//! Clamped indices in 32 bits: where the checks of a nest are decided before it, the ranges of what they compare are known.
//!
//! ```text
//! x.saturating_sub(16).min(width - 1): i64      →  zext (min(trunc x - 16 or 0, trunc (width - 1)): i32)
//! row * width: i64, row clamped                 →  zext (trunc row) * zext (trunc width), which is one instruction (`mul.wide`)
//! ```
//! In 64 bits a minimum is four machine instructions, a difference or 0 six, a division by a constant ten or more. Sums and counters stay as they are: strength
//! reduction moves them from iteration to iteration, which it cannot do with what is clamped or divided. With this, and distances in 32 bits
//! ([`wide_min_max`](crate::opt::wide_min_max)), the loop of `sad_4x4` has 142 machine instructions instead of 305.

use crate::hash::HashSet;
use crate::llvm::{Builder, Compare, Op, TypeKind, Value};
use crate::opt::index_ranges::{Bound, Condition, Ranges};
use crate::opt::region::Region;

/// What a clamp or a division computes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The difference, or 0.
    Difference,
    Least,
    Most,
    Divided(Op),
}

/// Operations of a region that can be done in 32 bits.
pub(super) struct Clamps<'ctx> {
    clamps: Vec<(Value<'ctx>, Kind)>,
    /// Products with a clamped number.
    products: Vec<Value<'ctx>>,
}

impl<'ctx> Clamps<'ctx> {
    /// Those whose operands have ranges that hold on these conditions.
    pub(super) fn of(
        region: &Region<'ctx>,
        ranges: &mut Ranges<'_, 'ctx>,
        conditions: &[Condition<'ctx>],
    ) -> Clamps<'ctx> {
        let wide = |v: &Value<'ctx>| v.ty().kind() == TypeKind::Integer(64);
        let mut fits = |v: Value<'ctx>, most: i128| is_within(v, most, ranges, conditions);
        let clamps = region.instructions().filter(wide).filter_map(|value| {
            let (kind, most, [a, b]) = clamp(value)?;
            (fits(a, most) && fits(b, most)).then_some((value, kind))
        });
        let clamps: Vec<(Value<'ctx>, Kind)> = clamps.collect();
        let clamped: HashSet<Value<'ctx>> = clamps.iter().map(|(value, _)| *value).collect();
        let is_product = |v: &Value<'ctx>| v.op() == Op::Mul && wide(v);
        let products = region.instructions().filter(is_product).filter(|product| {
            let factors = product.operands();
            let all = factors.iter().all(|v| fits(*v, UNSIGNED));
            all && factors.iter().any(|v| clamped.contains(v))
        });
        let products = products.collect();
        Clamps { clamps, products }
    }

    /// Does those in 32 bits that are in the version now: some may be computed before the question. What they replace is left without uses.
    pub(super) fn narrow(&self, version: &Region<'ctx>) {
        let is_inside = |v: Value<'ctx>| v.block().is_some_and(|b| version.blocks().contains(&b));
        for (value, kind) in self.clamps.iter().filter(|(v, _)| is_inside(*v)) {
            let Some((_, _, [a, b])) = clamp(*value) else {
                continue;
            };
            let at = Builder::before(*value);
            let (a, b) = (half(&at, a), half(&at, b));
            let narrow = match kind {
                Kind::Difference => {
                    let is_more = at.compare(Compare::Ugt, a, b);
                    at.select(is_more, at.sub(a, b), at.number(0, 32))
                }
                Kind::Least => at.select(at.compare(Compare::Ult, a, b), a, b),
                Kind::Most => at.select(at.compare(Compare::Ugt, a, b), a, b),
                Kind::Divided(op) => at.operation(*op, a, b),
            };
            value.replace_all_uses_with(at.widened(narrow));
        }
        for product in self.products.iter().filter(|v| is_inside(**v)) {
            let [a, b] = product.operands()[..] else {
                continue;
            };
            let at = Builder::before(*product);
            let wide = |v| at.widened(half(&at, v));
            let (a, b) = (wide(a), wide(b));
            product.replace_all_uses_with(at.without_wrapping(Op::Mul, a, b));
        }
    }
}

/// The largest unsigned and signed numbers of 32 bits.
const UNSIGNED: i128 = u32::MAX as i128;
const SIGNED: i128 = i32::MAX as i128;

/// What an operation computes, up to which number its operands may go, and these.
fn clamp<'ctx>(value: Value<'ctx>) -> Option<(Kind, i128, [Value<'ctx>; 2])> {
    if let op @ (Op::UDiv | Op::URem) = value.op() {
        let operands = value.operands().try_into().ok()?;
        return Some((Kind::Divided(op), UNSIGNED, operands));
    }
    let call = value.as_call()?;
    let (kind, most) = match call.callee().as_function()?.name().as_str() {
        "llvm.usub.sat.i64" => (Kind::Difference, UNSIGNED),
        "llvm.umin.i64" => (Kind::Least, UNSIGNED),
        "llvm.umax.i64" => (Kind::Most, UNSIGNED),
        "llvm.smin.i64" => (Kind::Least, SIGNED),
        "llvm.smax.i64" => (Kind::Most, SIGNED),
        _ => return None,
    };
    Some((kind, most, call.args().try_into().ok()?))
}

/// Whether a number is at least 0 and at most `most` where the conditions hold.
fn is_within<'ctx>(
    value: Value<'ctx>,
    most: i128,
    ranges: &mut Ranges<'_, 'ctx>,
    conditions: &[Condition<'ctx>],
) -> bool {
    let Some(range) = ranges.of(value) else {
        return false;
    };
    let not_negative = Condition::AtMost(Bound::Number(0), range.least.clone());
    let holds = |condition| conditions.contains(condition);
    range.conditions.iter().all(holds)
        && (range.least.limits().0 >= 0 || holds(&not_negative))
        && range.most.limits().1 <= most
}

/// A number of 64 bits, whose upper half is zero, in 32.
fn half<'ctx>(at: &Builder<'ctx>, value: Value<'ctx>) -> Value<'ctx> {
    if let Some(number) = value.as_integer() {
        return at.number(number, 32);
    }
    let is_wide = value.block().is_some() && value.op() == Op::ZExt;
    match value.operands().first() {
        Some(narrow) if is_wide && narrow.ty().kind() == TypeKind::Integer(32) => *narrow,
        _ => at.trunc32(value),
    }
}
