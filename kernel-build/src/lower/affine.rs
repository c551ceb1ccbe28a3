//! Numbers that grow by the same step in each round of a loop.

use super::loops::Loop;
use crate::llvm::{Builder, Op, TypeKind, Value};

/// A number that is the same in each round, as it would be computed before the loop.
#[derive(Clone, PartialEq)]
pub(super) enum Fixed<'ctx> {
    Number(u64),
    Value(Value<'ctx>),
    Sum(Box<Fixed<'ctx>>, Box<Fixed<'ctx>>),
    Difference(Box<Fixed<'ctx>>, Box<Fixed<'ctx>>),
    Product(Box<Fixed<'ctx>>, Box<Fixed<'ctx>>),
    /// A narrower number in 64 bits.
    Widened(Box<Fixed<'ctx>>, u32),
}

/// `start + round * step`, modulo 2^`bits`, where rounds count from 0.
#[derive(Clone, PartialEq)]
pub(super) struct Affine<'ctx> {
    pub(super) start: Fixed<'ctx>,
    pub(super) step: Fixed<'ctx>,
    pub(super) bits: u32,
    /// The narrower numbers inside: what is said of this one holds while none of them wraps around.
    pub(super) narrow: Vec<Affine<'ctx>>,
}

/// How deep expressions are looked into.
const DEPTH: u32 = 10;

impl<'ctx> Affine<'ctx> {
    /// What a number does in a loop; `None` if its step changes, or if it is not of 32 or 64 bits.
    pub(super) fn of(value: Value<'ctx>, within: &Loop<'ctx>) -> Option<Affine<'ctx>> {
        affine(value, within, DEPTH)
    }

    /// In 64 bits.
    pub(super) fn widened(self) -> Affine<'ctx> {
        if self.bits == 64 {
            return self;
        }
        let mut narrow = self.narrow.clone();
        let bits = self.bits;
        let wide = |f: &Fixed<'ctx>| f.clone().widened(bits);
        let (start, step) = (wide(&self.start), wide(&self.step));
        narrow.push(Affine {
            narrow: vec![],
            ..self
        });
        Affine {
            start,
            step,
            bits: 64,
            narrow,
        }
    }

    /// No number at all, of 64 bits: what others are added to.
    pub(super) fn nothing() -> Affine<'ctx> {
        let (start, step) = (Fixed::Number(0), Fixed::Number(0));
        let (bits, narrow) = (64, vec![]);
        Affine {
            start,
            step,
            bits,
            narrow,
        }
    }

    pub(super) fn plus(self, other: Affine<'ctx>) -> Affine<'ctx> {
        self.combine(other, Fixed::plus)
    }

    /// So many times as large.
    pub(super) fn scaled(self, by: u64) -> Affine<'ctx> {
        self.times(Affine {
            start: Fixed::Number(by),
            ..Affine::nothing()
        })
    }

    /// The same of other values.
    pub(super) fn mapped(&self, map: &mut dyn FnMut(Value<'ctx>) -> Value<'ctx>) -> Affine<'ctx> {
        Affine {
            start: self.start.mapped(map),
            step: self.step.mapped(map),
            bits: self.bits,
            narrow: self.narrow.iter().map(|n| n.mapped(map)).collect(),
        }
    }

    fn combine(
        self,
        other: Affine<'ctx>,
        how: impl Fn(Fixed<'ctx>, Fixed<'ctx>) -> Fixed<'ctx>,
    ) -> Affine<'ctx> {
        let mut narrow = self.narrow;
        narrow.extend(other.narrow);
        Affine {
            start: how(self.start, other.start),
            step: how(self.step, other.step),
            bits: self.bits,
            narrow,
        }
    }
}

fn affine<'ctx>(value: Value<'ctx>, within: &Loop<'ctx>, depth: u32) -> Option<Affine<'ctx>> {
    let bits = match value.ty().kind() {
        TypeKind::Integer(bits @ (32 | 64)) => bits,
        _ => return None,
    };
    let still = |start| Affine {
        start,
        step: Fixed::Number(0),
        bits,
        narrow: vec![],
    };
    if within.is_fixed(value) {
        return Some(still(Fixed::of(value)));
    }
    if depth == 0 {
        return None;
    }
    let operands = value.operands();
    let operand = |i: usize| affine(*operands.get(i)?, within, depth - 1);
    match value.op() {
        Op::Phi => induction(value, within, bits),
        Op::Add => Some(operand(0)?.combine(operand(1)?, Fixed::plus)),
        Op::Or if value.is_disjoint() => Some(operand(0)?.combine(operand(1)?, Fixed::plus)),
        Op::Sub => Some(operand(0)?.combine(operand(1)?, Fixed::minus)),
        Op::Mul => {
            let (mut a, mut b) = (operand(0)?, operand(1)?);
            if a.step == Fixed::Number(0) {
                std::mem::swap(&mut a, &mut b);
            }
            (b.step == Fixed::Number(0)).then(|| a.times(b))
        }
        Op::Shl => {
            let by = operands.get(1)?.as_integer().filter(|by| *by < 32)?;
            Some(operand(0)?.times(still(Fixed::Number(1 << by))))
        }
        Op::ZExt if bits == 64 => Some(operand(0)?.widened()),
        _ => None,
    }
}

impl<'ctx> Affine<'ctx> {
    /// `other` is the same in each round.
    fn times(self, other: Affine<'ctx>) -> Affine<'ctx> {
        let step = self.step.clone().times(other.start.clone());
        let product = self.combine(other, Fixed::times);
        Affine { step, ..product }
    }
}

/// A number that the head of the loop takes over from round to round.
fn induction<'ctx>(phi: Value<'ctx>, within: &Loop<'ctx>, bits: u32) -> Option<Affine<'ctx>> {
    if phi.block() != Some(within.head) {
        return None;
    }
    let from = |block| {
        let incoming = phi.incoming();
        incoming.iter().find(|(_, b)| *b == block).map(|(v, _)| *v)
    };
    let (first, next) = (from(within.before)?, from(within.latch)?);
    let of = |step| Affine {
        start: Fixed::of(first),
        step,
        bits,
        narrow: vec![],
    };
    if within.is_fixed(next) {
        return None;
    }
    match next.op() {
        Op::Add => {
            let (a, b) = (next.operands()[0], next.operands()[1]);
            let step = match (a == phi, b == phi) {
                (true, false) => b,
                (false, true) => a,
                _ => return lagging(first, next, within, bits),
            };
            within.is_fixed(step).then(|| of(Fixed::of(step)))
        }
        Op::Phi => lagging(first, next, within, bits),
        _ => None,
    }
}

/// What another number of the loop was a round ago, as long as that fits the first round: `Range` keeps its next number beside the present one.
fn lagging<'ctx>(
    first: Value<'ctx>,
    next: Value<'ctx>,
    within: &Loop<'ctx>,
    bits: u32,
) -> Option<Affine<'ctx>> {
    let ahead = match next.op() {
        Op::Phi => {
            // No further than one: two such numbers may refer to each other.
            let from_latch = next
                .incoming()
                .into_iter()
                .find(|(_, b)| *b == within.latch)?;
            (from_latch.0.block().is_some() && from_latch.0.op() == Op::Add)
                .then(|| induction(next, within, bits))??
        }
        // The sum of another number of the head and of what is fixed.
        _ => {
            let (a, b) = (next.operands()[0], next.operands()[1]);
            let (number, step) = if within.is_fixed(b) { (a, b) } else { (b, a) };
            let is_own = number.block() == Some(within.head) && number.op() == Op::Phi;
            if !is_own || !within.is_fixed(step) {
                return None;
            }
            let from_latch = number
                .incoming()
                .into_iter()
                .find(|(_, b)| *b == within.latch)?
                .0;
            // That number must be one that this very sum leads on.
            if from_latch != next {
                return None;
            }
            let ahead = induction(number, within, bits)?;
            ahead.combine(
                Affine {
                    start: Fixed::of(step),
                    step: Fixed::Number(0),
                    bits,
                    narrow: vec![],
                },
                Fixed::plus,
            )
        }
    };
    let start = Fixed::of(first);
    let fits = ahead.start.is_sum_of(&start, &ahead.step);
    fits.then_some(Affine { start, ..ahead })
}

impl<'ctx> Fixed<'ctx> {
    pub(super) fn of(value: Value<'ctx>) -> Fixed<'ctx> {
        value
            .as_integer()
            .map_or(Fixed::Value(value), Fixed::Number)
    }

    /// Whether it is seen to be the sum of these two.
    pub(super) fn is_sum_of(&self, first: &Fixed<'ctx>, second: &Fixed<'ctx>) -> bool {
        if *self == first.clone().plus(second.clone()) {
            return true;
        }
        match (self, first, second) {
            (Fixed::Value(sum), _, _) => {
                if sum.block().is_none() || sum.op() != Op::Add {
                    return false;
                }
                let (a, b) = (Fixed::of(sum.operands()[0]), Fixed::of(sum.operands()[1]));
                (a == *first && b == *second) || (b == *first && a == *second)
            }
            (Fixed::Widened(sum, _), Fixed::Widened(first, _), Fixed::Widened(second, _)) => {
                sum.is_sum_of(first, second)
            }
            (Fixed::Widened(sum, bits), Fixed::Widened(first, _), Fixed::Number(n)) => {
                n >> bits == 0 && sum.is_sum_of(first, second)
            }
            _ => false,
        }
    }

    /// Numbers that are known are added in 64 bits: those of 32 must be cut before they are compared.
    pub(super) fn plus(self, other: Fixed<'ctx>) -> Fixed<'ctx> {
        match (self, other) {
            (Fixed::Number(a), Fixed::Number(b)) => Fixed::Number(a.wrapping_add(b)),
            (Fixed::Number(0), same) | (same, Fixed::Number(0)) => same,
            (a, b) => Fixed::Sum(Box::new(a), Box::new(b)),
        }
    }

    pub(super) fn minus(self, other: Fixed<'ctx>) -> Fixed<'ctx> {
        match (self, other) {
            (Fixed::Number(a), Fixed::Number(b)) => Fixed::Number(a.wrapping_sub(b)),
            (same, Fixed::Number(0)) => same,
            (a, b) => Fixed::Difference(Box::new(a), Box::new(b)),
        }
    }

    pub(super) fn times(self, other: Fixed<'ctx>) -> Fixed<'ctx> {
        match (self, other) {
            (Fixed::Number(a), Fixed::Number(b)) => Fixed::Number(a.wrapping_mul(b)),
            (Fixed::Number(0), _) | (_, Fixed::Number(0)) => Fixed::Number(0),
            (Fixed::Number(1), same) | (same, Fixed::Number(1)) => same,
            (a, b) => Fixed::Product(Box::new(a), Box::new(b)),
        }
    }

    /// The same of other values.
    pub(super) fn mapped(&self, map: &mut dyn FnMut(Value<'ctx>) -> Value<'ctx>) -> Fixed<'ctx> {
        let mut of = |f: &Fixed<'ctx>| Box::new(f.mapped(map));
        match self {
            Fixed::Number(n) => Fixed::Number(*n),
            Fixed::Sum(a, b) => Fixed::Sum(of(a), of(b)),
            Fixed::Difference(a, b) => Fixed::Difference(of(a), of(b)),
            Fixed::Product(a, b) => Fixed::Product(of(a), of(b)),
            Fixed::Widened(a, from) => Fixed::Widened(of(a), *from),
            Fixed::Value(value) => Fixed::Value(map(*value)),
        }
    }

    /// From `bits` to 64.
    pub(super) fn widened(self, bits: u32) -> Fixed<'ctx> {
        match self {
            Fixed::Number(n) if bits < 64 => Fixed::Number(n & ((1 << bits) - 1)),
            number if bits == 64 => number,
            number => Fixed::Widened(Box::new(number), bits),
        }
    }

    /// The instructions for it; `bits` is its width. What is poison in the program is some number here: one check whose index or length is poison
    /// must not say anything of the others.
    pub(super) fn build(&self, builder: &Builder<'ctx>, bits: u32) -> Value<'ctx> {
        let both =
            |a: &Fixed<'ctx>, b: &Fixed<'ctx>| (a.build(builder, bits), b.build(builder, bits));
        match self {
            Fixed::Number(n) => builder.number(*n, bits),
            Fixed::Value(value) => builder.settled(*value),
            Fixed::Sum(a, b) => {
                let (a, b) = both(a, b);
                builder.add(a, b)
            }
            Fixed::Difference(a, b) => {
                let (a, b) = both(a, b);
                builder.sub(a, b)
            }
            Fixed::Product(a, b) => {
                let (a, b) = both(a, b);
                builder.mul(a, b)
            }
            Fixed::Widened(number, from) => builder.widened(number.build(builder, *from)),
        }
    }
}
