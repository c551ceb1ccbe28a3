//! Add recurrences: integers that grow by the same loop-invariant step in each iteration (LLVM's `{start,+,step}`).

use super::loops::Loop;
use crate::llvm::{Builder, Op, TypeKind, Value};

/// A loop-invariant expression, as it would be computed in the preheader.
#[derive(Clone, PartialEq)]
pub(super) enum LoopInvariant<'ctx> {
    Number(u64),
    Value(Value<'ctx>),
    Sum(Box<LoopInvariant<'ctx>>, Box<LoopInvariant<'ctx>>),
    Difference(Box<LoopInvariant<'ctx>>, Box<LoopInvariant<'ctx>>),
    Product(Box<LoopInvariant<'ctx>>, Box<LoopInvariant<'ctx>>),
    /// The zero extension of a narrower one, of so many bits, to 64.
    Widened(Box<LoopInvariant<'ctx>>, u32),
}

/// `start + iteration * step`, modulo 2^`bits`; the first iteration is 0.
#[derive(Clone, PartialEq)]
pub(super) struct AddRecurrence<'ctx> {
    pub(super) start: LoopInvariant<'ctx>,
    pub(super) step: LoopInvariant<'ctx>,
    pub(super) bits: u32,
    /// The narrower recurrences that are extended inside: the formula holds as long as none of them wraps around.
    pub(super) narrow: Vec<AddRecurrence<'ctx>>,
    /// Whether this one is sign-extended: then it must not become negative either, and the zero extension is the same.
    pub(super) signed: bool,
}

/// Deeper expressions are not analysed.
const DEPTH: u32 = 10;

impl<'ctx> AddRecurrence<'ctx> {
    /// The recurrence of a value in a loop; `None` if its step changes, or if it is not of 32 or 64 bits.
    pub(super) fn of(value: Value<'ctx>, within: &Loop<'ctx>) -> Option<AddRecurrence<'ctx>> {
        affine(value, within, DEPTH)
    }

    /// In 64 bits.
    pub(super) fn widened(self) -> AddRecurrence<'ctx> {
        self.extended(false)
    }

    fn extended(self, signed: bool) -> AddRecurrence<'ctx> {
        if self.bits == 64 {
            return self;
        }
        let mut narrow = self.narrow.clone();
        let bits = self.bits;
        let wide = |f: &LoopInvariant<'ctx>| f.clone().widened(bits);
        let (start, step) = (wide(&self.start), wide(&self.step));
        narrow.push(AddRecurrence {
            narrow: vec![],
            signed,
            ..self
        });
        AddRecurrence {
            start,
            step,
            bits: 64,
            narrow,
            signed: false,
        }
    }

    /// What all values of a narrower one must be below.
    pub(super) fn top(&self) -> u64 {
        1 << (self.bits - u32::from(self.signed))
    }

    /// The constant zero, of 64 bits: what others are added to.
    pub(super) fn zero() -> AddRecurrence<'ctx> {
        let (start, step) = (LoopInvariant::Number(0), LoopInvariant::Number(0));
        let (bits, narrow) = (64, vec![]);
        AddRecurrence {
            start,
            step,
            bits,
            narrow,
            signed: false,
        }
    }

    /// From zero on, of 64 bits, in steps of a constant.
    pub(super) fn stepping_by(step: u64) -> AddRecurrence<'ctx> {
        AddRecurrence {
            step: LoopInvariant::Number(step),
            ..AddRecurrence::zero()
        }
    }

    pub(super) fn plus(self, other: AddRecurrence<'ctx>) -> AddRecurrence<'ctx> {
        self.combine(other, LoopInvariant::plus)
    }

    /// Multiplied by a constant.
    pub(super) fn scaled(self, by: u64) -> AddRecurrence<'ctx> {
        self.times(AddRecurrence {
            start: LoopInvariant::Number(by),
            ..AddRecurrence::zero()
        })
    }

    /// The same with other values in the place of its own.
    pub(super) fn mapped(
        &self,
        map: &mut dyn FnMut(Value<'ctx>) -> Value<'ctx>,
    ) -> AddRecurrence<'ctx> {
        AddRecurrence {
            start: self.start.mapped(map),
            step: self.step.mapped(map),
            bits: self.bits,
            narrow: self.narrow.iter().map(|n| n.mapped(map)).collect(),
            signed: self.signed,
        }
    }

    fn combine(
        self,
        other: AddRecurrence<'ctx>,
        how: impl Fn(LoopInvariant<'ctx>, LoopInvariant<'ctx>) -> LoopInvariant<'ctx>,
    ) -> AddRecurrence<'ctx> {
        let mut narrow = self.narrow;
        narrow.extend(other.narrow);
        AddRecurrence {
            start: how(self.start, other.start),
            step: how(self.step, other.step),
            bits: self.bits,
            narrow,
            signed: false,
        }
    }
}

fn affine<'ctx>(
    value: Value<'ctx>,
    within: &Loop<'ctx>,
    depth: u32,
) -> Option<AddRecurrence<'ctx>> {
    let bits = match value.ty().kind() {
        TypeKind::Integer(bits @ (32 | 64)) => bits,
        _ => return None,
    };
    let still = |start| AddRecurrence {
        start,
        step: LoopInvariant::Number(0),
        bits,
        narrow: vec![],
        signed: false,
    };
    if within.is_invariant(value) {
        return Some(still(LoopInvariant::of(value)));
    }
    if depth == 0 {
        return None;
    }
    let operands = value.operands();
    let operand = |i: usize| affine(*operands.get(i)?, within, depth - 1);
    match value.op() {
        Op::Phi => induction(value, within, bits),
        Op::Add => Some(operand(0)?.combine(operand(1)?, LoopInvariant::plus)),
        Op::Or if value.is_disjoint() => {
            Some(operand(0)?.combine(operand(1)?, LoopInvariant::plus))
        }
        Op::Sub => Some(operand(0)?.combine(operand(1)?, LoopInvariant::minus)),
        Op::Mul => {
            let (mut a, mut b) = (operand(0)?, operand(1)?);
            if a.step == LoopInvariant::Number(0) {
                std::mem::swap(&mut a, &mut b);
            }
            (b.step == LoopInvariant::Number(0)).then(|| a.times(b))
        }
        Op::Shl => {
            let by = operands.get(1)?.as_integer().filter(|by| *by < 32)?;
            Some(operand(0)?.times(still(LoopInvariant::Number(1 << by))))
        }
        Op::ZExt if bits == 64 => Some(operand(0)?.widened()),
        Op::SExt if bits == 64 => Some(operand(0)?.extended(true)),
        _ => None,
    }
}

impl<'ctx> AddRecurrence<'ctx> {
    /// `other` is loop-invariant.
    fn times(self, other: AddRecurrence<'ctx>) -> AddRecurrence<'ctx> {
        let step = self.step.clone().times(other.start.clone());
        let product = self.combine(other, LoopInvariant::times);
        AddRecurrence { step, ..product }
    }
}

/// A phi of the loop header.
fn induction<'ctx>(
    phi: Value<'ctx>,
    within: &Loop<'ctx>,
    bits: u32,
) -> Option<AddRecurrence<'ctx>> {
    if phi.block() != Some(within.header) {
        return None;
    }
    let from = |block| {
        let incoming = phi.incoming();
        incoming.iter().find(|(_, b)| *b == block).map(|(v, _)| *v)
    };
    let (first, next) = (from(within.preheader)?, from(within.latch)?);
    let of = |step| AddRecurrence {
        start: LoopInvariant::of(first),
        step,
        bits,
        narrow: vec![],
        signed: false,
    };
    if within.is_invariant(next) {
        return None;
    }
    match next.op() {
        Op::Add => {
            let (a, b) = (next.operands()[0], next.operands()[1]);
            let step = match (a == phi, b == phi) {
                (true, false) => b,
                (false, true) => a,
                _ => return previous_iteration(first, next, within, bits),
            };
            within
                .is_invariant(step)
                .then(|| of(LoopInvariant::of(step)))
        }
        Op::Phi => previous_iteration(first, next, within, bits),
        _ => None,
    }
}

/// A phi that has the value of another recurrence in the previous iteration, if its start fits: `Range` keeps both the present and the next value.
fn previous_iteration<'ctx>(
    first: Value<'ctx>,
    next: Value<'ctx>,
    within: &Loop<'ctx>,
    bits: u32,
) -> Option<AddRecurrence<'ctx>> {
    let ahead = match next.op() {
        Op::Phi => {
            // One step only: two such phis may refer to each other.
            let from_latch = next
                .incoming()
                .into_iter()
                .find(|(_, b)| *b == within.latch)?;
            (from_latch.0.block().is_some() && from_latch.0.op() == Op::Add)
                .then(|| induction(next, within, bits))??
        }
        // The sum of another phi of the header and of a loop-invariant value.
        _ => {
            let (a, b) = (next.operands()[0], next.operands()[1]);
            let (number, step) = if within.is_invariant(b) {
                (a, b)
            } else {
                (b, a)
            };
            let is_own = number.block() == Some(within.header) && number.op() == Op::Phi;
            if !is_own || !within.is_invariant(step) {
                return None;
            }
            let from_latch = number
                .incoming()
                .into_iter()
                .find(|(_, b)| *b == within.latch)?
                .0;
            // This very sum must be the next value of that phi.
            if from_latch != next {
                return None;
            }
            let ahead = induction(number, within, bits)?;
            ahead.combine(
                AddRecurrence {
                    start: LoopInvariant::of(step),
                    step: LoopInvariant::Number(0),
                    bits,
                    narrow: vec![],
                    signed: false,
                },
                LoopInvariant::plus,
            )
        }
    };
    let start = LoopInvariant::of(first);
    let fits = ahead.start.is_sum_of(&start, &ahead.step);
    fits.then_some(AddRecurrence { start, ..ahead })
}

/// The constant by which one value is above another, modulo 2^bits, if both are sums of the same value and constants: `k + 2` is one above `k + 1`.
pub(super) fn constant_between<'ctx>(lower: Value<'ctx>, upper: Value<'ctx>) -> Option<u64> {
    let TypeKind::Integer(bits @ (32 | 64)) = lower.ty().kind() else {
        return None;
    };
    let ((a, x), (b, y)) = (without_constants(lower), without_constants(upper));
    (a == b && lower.ty() == upper.ty()).then_some(y.wrapping_sub(x) & (u64::MAX >> (64 - bits)))
}

/// A value without the constants that are added to it, and their sum.
fn without_constants(value: Value<'_>) -> (Value<'_>, u64) {
    let (mut value, mut sum) = (value, 0u64);
    while value.block().is_some()
        && (value.op() == Op::Add || value.op() == Op::Or && value.is_disjoint())
    {
        let operands = value.operands();
        let Some(constant) = operands[1].as_integer() else {
            break;
        };
        value = operands[0];
        sum = sum.wrapping_add(constant);
    }
    (value, sum)
}

impl<'ctx> LoopInvariant<'ctx> {
    pub(super) fn of(value: Value<'ctx>) -> LoopInvariant<'ctx> {
        value
            .as_integer()
            .map_or(LoopInvariant::Value(value), LoopInvariant::Number)
    }

    /// Whether it is seen to be the sum of these two.
    pub(super) fn is_sum_of(
        &self,
        first: &LoopInvariant<'ctx>,
        second: &LoopInvariant<'ctx>,
    ) -> bool {
        if *self == first.clone().plus(second.clone()) {
            return true;
        }
        match (self, first, second) {
            (
                LoopInvariant::Value(sum),
                LoopInvariant::Value(first),
                LoopInvariant::Number(second),
            ) if constant_between(*first, *sum) == Some(*second) => true,
            (LoopInvariant::Value(sum), _, _) => {
                let adds = |sum: Value<'ctx>| {
                    sum.op() == Op::Add || sum.op() == Op::Or && sum.is_disjoint()
                };
                if sum.block().is_none() || !adds(*sum) {
                    return false;
                }
                let (a, b) = (
                    LoopInvariant::of(sum.operands()[0]),
                    LoopInvariant::of(sum.operands()[1]),
                );
                (a == *first && b == *second) || (b == *first && a == *second)
            }
            (
                LoopInvariant::Widened(sum, _),
                LoopInvariant::Widened(first, _),
                LoopInvariant::Widened(second, _),
            ) => sum.is_sum_of(first, second),
            (
                LoopInvariant::Widened(sum, bits),
                LoopInvariant::Widened(first, _),
                LoopInvariant::Number(n),
            ) => n >> bits == 0 && sum.is_sum_of(first, second),
            _ => false,
        }
    }

    /// Numbers that are known are added in 64 bits: those of 32 must be cut before they are compared.
    pub(super) fn plus(self, other: LoopInvariant<'ctx>) -> LoopInvariant<'ctx> {
        match (self, other) {
            (LoopInvariant::Number(a), LoopInvariant::Number(b)) => {
                LoopInvariant::Number(a.wrapping_add(b))
            }
            (LoopInvariant::Number(0), same) | (same, LoopInvariant::Number(0)) => same,
            (a, b) => LoopInvariant::Sum(Box::new(a), Box::new(b)),
        }
    }

    pub(super) fn minus(self, other: LoopInvariant<'ctx>) -> LoopInvariant<'ctx> {
        match (self, other) {
            (LoopInvariant::Number(a), LoopInvariant::Number(b)) => {
                LoopInvariant::Number(a.wrapping_sub(b))
            }
            (same, LoopInvariant::Number(0)) => same,
            (a, b) => LoopInvariant::Difference(Box::new(a), Box::new(b)),
        }
    }

    pub(super) fn times(self, other: LoopInvariant<'ctx>) -> LoopInvariant<'ctx> {
        match (self, other) {
            (LoopInvariant::Number(a), LoopInvariant::Number(b)) => {
                LoopInvariant::Number(a.wrapping_mul(b))
            }
            (LoopInvariant::Number(0), _) | (_, LoopInvariant::Number(0)) => {
                LoopInvariant::Number(0)
            }
            (LoopInvariant::Number(1), same) | (same, LoopInvariant::Number(1)) => same,
            (a, b) => LoopInvariant::Product(Box::new(a), Box::new(b)),
        }
    }

    /// The same with other values in the place of its own.
    pub(super) fn mapped(
        &self,
        map: &mut dyn FnMut(Value<'ctx>) -> Value<'ctx>,
    ) -> LoopInvariant<'ctx> {
        let mut of = |f: &LoopInvariant<'ctx>| Box::new(f.mapped(map));
        match self {
            LoopInvariant::Number(n) => LoopInvariant::Number(*n),
            LoopInvariant::Sum(a, b) => LoopInvariant::Sum(of(a), of(b)),
            LoopInvariant::Difference(a, b) => LoopInvariant::Difference(of(a), of(b)),
            LoopInvariant::Product(a, b) => LoopInvariant::Product(of(a), of(b)),
            LoopInvariant::Widened(a, from) => LoopInvariant::Widened(of(a), *from),
            LoopInvariant::Value(value) => LoopInvariant::Value(map(*value)),
        }
    }

    /// From `bits` to 64.
    pub(super) fn widened(self, bits: u32) -> LoopInvariant<'ctx> {
        match self {
            LoopInvariant::Number(n) if bits < 64 => LoopInvariant::Number(n & ((1 << bits) - 1)),
            number if bits == 64 => number,
            number => LoopInvariant::Widened(Box::new(number), bits),
        }
    }

    /// The instructions for it; `bits` is its width. What is poison in the program is some number here: one check whose index or length is poison
    /// must not say anything of the others.
    pub(super) fn build(&self, builder: &Builder<'ctx>, bits: u32) -> Value<'ctx> {
        let both = |a: &LoopInvariant<'ctx>, b: &LoopInvariant<'ctx>| {
            (a.build(builder, bits), b.build(builder, bits))
        };
        match self {
            LoopInvariant::Number(n) => builder.number(*n, bits),
            LoopInvariant::Value(value) => builder.freeze(*value),
            LoopInvariant::Sum(a, b) => {
                let (a, b) = both(a, b);
                builder.add(a, b)
            }
            LoopInvariant::Difference(a, b) => {
                let (a, b) = both(a, b);
                builder.sub(a, b)
            }
            LoopInvariant::Product(a, b) => {
                let (a, b) = both(a, b);
                builder.mul(a, b)
            }
            LoopInvariant::Widened(number, from) => builder.widened(number.build(builder, *from)),
        }
    }
}
