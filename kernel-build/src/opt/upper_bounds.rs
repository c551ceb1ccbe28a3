//! Upper bounds of the integers of a function, as unsigned numbers.
//!
//! They come from the ranges of thread and block indices that a launch guarantees, and from operations whose result is limited: masks, shifts, extensions,
//! quotients and remainders. LLVM writes a remainder whose quotient is known as `x - x / y * y`, so that this form is recognised too.

use crate::hash::HashMap;
use crate::llvm::{Op, TypeKind, Value};

/// Deeper expressions are not analysed.
pub(super) const DEPTH: u32 = 8;

/// The largest number of 32 bits.
pub(super) const NARROW: u64 = u32::MAX as u64;

/// Upper bounds of a function's values.
pub(super) struct UpperBounds<'ctx> {
    /// The largest values of thread and block indices.
    of_launch: HashMap<Value<'ctx>, u64>,
    /// Differences that are remainders.
    remainders: HashMap<Value<'ctx>, Remainder<'ctx>>,
}

/// What `x - x / y * y` is computed from.
#[derive(Clone, Copy)]
pub(super) struct Remainder<'ctx> {
    pub(super) dividend: Value<'ctx>,
    pub(super) divisor: Value<'ctx>,
}

impl<'ctx> UpperBounds<'ctx> {
    /// Of a function as it is now: what is replaced later keeps its bound.
    pub(super) fn of(function: Value<'ctx>) -> UpperBounds<'ctx> {
        let (mut of_launch, mut remainders) = (HashMap::default(), HashMap::default());
        for instruction in function.instructions() {
            if let Some(most) = instruction.as_call().and_then(launch_bound) {
                of_launch.insert(instruction, most);
            } else if let Some(remainder) = Remainder::of(instruction) {
                remainders.insert(instruction, remainder);
            }
        }
        UpperBounds {
            of_launch,
            remainders,
        }
    }

    /// Whether the upper 32 bits are zero.
    pub(super) fn is_narrow(&self, value: Value<'ctx>) -> bool {
        self.upper_bound(value, DEPTH) <= NARROW
    }

    /// What a value is the remainder of, if it is written as a difference.
    pub(super) fn remainder(&self, value: Value<'ctx>) -> Option<Remainder<'ctx>> {
        self.remainders.get(&value).copied()
    }

    /// An upper bound of a value, if it is not poison. Code that relies on it must make frozen values narrow where it says so.
    pub(super) fn upper_bound(&self, value: Value<'ctx>, depth: u32) -> u64 {
        let TypeKind::Integer(1..=64) = value.ty().kind() else {
            return u64::MAX;
        };
        let top = top(value);
        if let Some(number) = value.as_integer() {
            return number;
        }
        if depth == 0 || value.block().is_none() {
            return top;
        }
        let of_value = |v: Value<'ctx>| self.upper_bound(v, depth - 1);
        let operands = value.operands();
        let of = |i: usize| operands.get(i).map_or(top, |v| of_value(*v));
        let constant = || operands.get(1).and_then(|v| v.as_integer());
        let remainder = |x: Value<'ctx>, y: Value<'ctx>| {
            // A remainder by zero is undefined.
            of_value(x).min(of_value(y).saturating_sub(1))
        };
        let found = match value.op() {
            _ if self.remainders.contains_key(&value) => self
                .remainder(value)
                .map(|r| remainder(r.dividend, r.divisor)),
            Op::ZExt | Op::Trunc => Some(of(0)),
            // Of poison it makes any number: `narrow` lets it be one of 32 bits.
            Op::Freeze => Some(of(0).max(NARROW)).filter(|most| *most == NARROW),
            Op::And => Some(of(0).min(of(1))),
            Op::Or | Op::Xor => Some(u64::MAX >> (of(0) | of(1)).leading_zeros().min(63)),
            Op::Add => of(0).checked_add(of(1)),
            Op::Mul => of(0).checked_mul(of(1)),
            Op::Shl => constant()
                .filter(|k| *k < 64)
                .and_then(|k| of(0).checked_mul(1 << k)),
            Op::LShr => match constant() {
                Some(k) => Some(k).filter(|k| *k < 64).map(|k| of(0) >> k),
                None => Some(of(0)),
            },
            Op::UDiv => match constant() {
                Some(by) => of(0).checked_div(by),
                None => Some(of(0)),
            },
            Op::URem => Some(remainder(operands[0], operands[1])),
            Op::Select => Some(of(1).max(of(2))),
            Op::Call => self.of_call(value, depth),
            _ => None,
        };
        found.filter(|found| *found <= top).unwrap_or(top)
    }

    /// Of a minimum or maximum, or of a thread or block index.
    fn of_call(&self, call: Value<'ctx>, depth: u32) -> Option<u64> {
        if let Some(most) = self.of_launch.get(&call) {
            return Some(*most);
        }
        let name = call.callee().as_function()?.name();
        let args = call
            .args()
            .into_iter()
            .map(|a| self.upper_bound(a, depth - 1));
        if name.starts_with("llvm.umax.") {
            args.max()
        } else if name.starts_with("llvm.umin.") {
            args.min()
        } else {
            None
        }
    }
}

impl<'ctx> Remainder<'ctx> {
    /// Of `x - x / y * y`, or with a constant `x + x / y * -y`.
    fn of(value: Value<'ctx>) -> Option<Remainder<'ctx>> {
        let [a, b] = operands_of(value, &[Op::Sub, Op::Add])?;
        let is_sum = value.op() == Op::Add;
        let of = |dividend: Value<'ctx>, product: Value<'ctx>| {
            let [p, q] = operands_of(product, &[Op::Mul])?;
            let factors = [(p, q), (q, p)].into_iter();
            factors.into_iter().find_map(|(quotient, factor)| {
                let [x, divisor] = operands_of(quotient, &[Op::UDiv])?;
                let fits = if is_sum {
                    let bits = top(value);
                    let (by, factor) = (divisor.as_integer()?, factor.as_integer()?);
                    by.wrapping_add(factor) & bits == 0
                } else {
                    factor == divisor
                };
                (x == dividend && fits).then_some(Remainder { dividend, divisor })
            })
        };
        let swapped = || is_sum.then(|| of(b, a)).flatten();
        of(a, b).or_else(swapped)
    }
}

/// The two operands of one of these operations.
fn operands_of<'ctx>(value: Value<'ctx>, ops: &[Op]) -> Option<[Value<'ctx>; 2]> {
    value.block()?;
    let integer = matches!(value.ty().kind(), TypeKind::Integer(32 | 64));
    (integer && ops.contains(&value.op()))
        .then(|| value.operands().try_into().ok())
        .flatten()
}

/// The value before it was zero-extended.
pub(super) fn without_zeros(value: Value<'_>) -> Value<'_> {
    if value.block().is_some() && value.op() == Op::ZExt {
        without_zeros(value.operands()[0])
    } else {
        value
    }
}

/// The largest number of a type; 0 for what is no integer of at most 64 bits.
pub(super) fn top(value: Value<'_>) -> u64 {
    match value.ty().kind() {
        TypeKind::Integer(bits @ 1..=64) => u64::MAX >> (64 - bits),
        _ => 0,
    }
}

/// The largest value of a thread or block index, as `lower/kernels.rs` has stated it.
fn launch_bound(call: Value<'_>) -> Option<u64> {
    let name = call.callee().as_function()?.name();
    if !name.starts_with("llvm.nvvm.read.ptx.sreg.") {
        return None;
    }
    let (_, end) = call.result_range()?;
    Some(end - 1)
}
