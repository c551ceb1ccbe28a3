//! Counters of loops over slices: such a loop ends where its pointer is the slice's end; trip count analysis knows integers.
//!
//! ```text
//! loop { x = *p; p += 1; k += 1; if p == start + n { break } }        if k == n { break }
//! ```
//! Without a `k` the loop gets one. A reversed loop, from the end to the start, is alike. Addresses and offsets here must be poison where they wrap around (`inbounds`, `nuw`): the first time that they are equal
//! is after `n` iterations then. An end that is no whole number of elements behind the start is never met: the loop would branch on poison.
//!
//! Over a part of a slice, start and end are both counted from the slice's start, and `for` carries the next pointer beside the present one:
//!
//! ```text
//! p = phi [s + a], [q]; q = phi [s + a + 1], [q == e ? q : q + 1]        p = phi [s + a], [q]; q = p + 1
//! … if q == e { break }, where e = s + b                                 … k += 1; if k == b - a { break }
//! ```

use super::back_edge::BackEdge;
use super::loops::Loop;
use crate::llvm::{Block, Builder, Compare, Op, Type, TypeKind, Value};

/// Lets the latch compare a number of iterations instead of a pointer; returns whether it compared one.
pub(super) fn count_elements(found: &Loop<'_>) -> bool {
    let Some(end) = PointerEnd::of(found) else {
        return false;
    };
    let before = Builder::before(found.preheader.terminator());
    let number = match end.first_number {
        Some(first) => before.sub(end.number, first),
        None => end.number,
    };
    let iterations = match end.bytes_per_number {
        size if size == end.stride => number,
        _ => before.divide(number, before.number(end.stride, 64)),
    };
    count_up_to(found, iterations, end.how);
    true
}

/// Computes the next pointer from the present one where the loop carries both, which saves a register; returns whether there were any.
pub(super) fn merge_next_pointers(found: &Loop<'_>) -> bool {
    let mut changed = false;
    for phi in found.header.phis() {
        if let Some((ahead, start)) = next_pointer_of(phi, found) {
            let first = incoming(phi, found.preheader);
            let here = Builder::before(found.header.first());
            let next = here.copy(start, |o| if Some(o) == first { phi } else { o });
            ahead.replace_all_uses_with(next);
            changed = true;
        }
    }
    changed
}

/// The phi of the same header that is always ahead of `phi` by a constant number of bytes, and its first value.
fn next_pointer_of<'ctx>(
    phi: Value<'ctx>,
    found: &Loop<'ctx>,
) -> Option<(Value<'ctx>, Value<'ctx>)> {
    let (first, ahead) = (incoming(phi, found.preheader)?, incoming(phi, found.latch)?);
    if ahead == phi || !found.header.phis().contains(&ahead) {
        return None;
    }
    let (start, next) = (
        incoming(ahead, found.preheader)?,
        incoming(ahead, found.latch)?,
    );
    let bytes_between = |to: Value<'ctx>, from: Value<'ctx>| {
        let (base, number, element) = to.as_element()?;
        // Where the loop ends, the pointer may stay where it is.
        let number = number.as_integer().or_else(|| {
            let chosen = BackEdge::of(found)?.simplified(number)?;
            chosen.as_integer()
        })?;
        // Both are poison where they leave the object, so one that is computed as the first one is no poison in other iterations.
        let is_ahead = base == from && to.is_inbounds();
        let bytes = number.checked_mul(bytes(element)?)?;
        (is_ahead && (1..1 << 31).contains(&bytes)).then_some(bytes)
    };
    let same = bytes_between(start, first)? == bytes_between(next, ahead)?;
    let is_constant = start
        .operands()
        .iter()
        .skip(1)
        .all(|o| o.as_integer().is_some());
    (same && is_constant).then_some((ahead, start))
}

/// Where a pointer of the header starts, and the bytes by which it moves on in each iteration.
pub(super) fn moves_by<'ctx>(phi: Value<'ctx>, found: &Loop<'ctx>) -> Option<(Value<'ctx>, u64)> {
    if !found.header.phis().contains(&phi) {
        return None;
    }
    let (base, number, element) = incoming(phi, found.latch)?.as_element()?;
    let stride = number.as_integer()?.wrapping_mul(bytes(element)?);
    let first = incoming(phi, found.preheader)?;
    (base == phi).then_some((first, stride))
}

/// Lets the latch compare a counter with a number of iterations.
pub(super) fn count_up_to<'ctx>(found: &Loop<'ctx>, iterations: Value<'ctx>, how: Compare) {
    let next = counter(found).unwrap_or_else(|| new_counter(found, iterations.ty()));
    let here = Builder::before(found.latch.terminator());
    let condition = here.compare(how, next, iterations);
    found.latch.set_condition(condition);
}

/// `next == start + number`, where `next` is `stride` bytes behind its previous value, and `start`, or `start + first_number`, its first.
struct PointerEnd<'ctx> {
    how: Compare,
    number: Value<'ctx>,
    first_number: Option<Value<'ctx>>,
    bytes_per_number: u64,
    stride: u64,
}

impl<'ctx> PointerEnd<'ctx> {
    fn of(found: &Loop<'ctx>) -> Option<PointerEnd<'ctx>> {
        let condition = found.latch.condition()?;
        let how = condition.comparison()?;
        if !matches!(how, Compare::Eq | Compare::Ne) {
            return None;
        }
        let (mut next, mut end) = (condition.operands()[0], condition.operands()[1]);
        if found.is_invariant(next) {
            (next, end) = (end, next);
        }
        if !found.is_invariant(end) {
            return None;
        }
        if next.ty().kind() == TypeKind::Integer(64) {
            return PointerEnd::of_offset(found, how, next, end);
        }
        let (pointer, step, element) = next.as_element()?;
        let mut stride = step.as_integer()?.wrapping_mul(bytes(element)?);
        if !found.header.phis().contains(&pointer) {
            return None;
        }
        let first = incoming(pointer, found.preheader)?;
        // `rev` begins at the slice's end, and ends at its start.
        let (low, high) = if stride >> 63 == 1 {
            stride = stride.wrapping_neg();
            (end, first)
        } else {
            (first, end)
        };
        let (start, number, element) = high.as_element()?;
        let bytes_per_number = bytes(element)?;
        let first_number = match low.as_element() {
            _ if low == start => None,
            Some((base, number, element))
                if base == start
                    && low != high
                    && low.is_inbounds()
                    && bytes(element) == Some(bytes_per_number) =>
            {
                Some(number)
            }
            _ => return None,
        };
        let is_pointer = incoming(pointer, found.latch) == Some(next);
        // The division below must know both.
        let divides = bytes_per_number == stride || bytes_per_number == 1;
        let is_wide = |n: Value<'ctx>| n.ty().kind() == TypeKind::Integer(64);
        // Bytes are not multiplied: only `next` could wrap around.
        let is_whole = bytes_per_number == 1 && first_number.is_none();
        let is_exact = next.is_inbounds() && (is_whole || high.is_inbounds());
        let all_wide = [step, number].into_iter().chain(first_number).all(is_wide);
        let fits = (1..1 << 31).contains(&stride);
        (is_pointer && divides && all_wide && is_exact && fits).then_some(PointerEnd {
            how,
            number,
            first_number,
            bytes_per_number,
            stride,
        })
    }

    /// LLVM makes offsets from the slice's start of such pointers: `next == number`, in steps of `stride` bytes from zero.
    fn of_offset(
        found: &Loop<'ctx>,
        how: Compare,
        next: Value<'ctx>,
        number: Value<'ctx>,
    ) -> Option<PointerEnd<'ctx>> {
        if next.block().is_none() || next.op() != Op::Add {
            return None;
        }
        let (offset, stride) = (next.operands()[0], next.operands()[1].as_integer()?);
        let is_offset = found.header.phis().contains(&offset)
            && incoming(offset, found.preheader)?.as_integer() == Some(0)
            && incoming(offset, found.latch) == Some(next);
        // Of another end it is not known that the offset ever has its value.
        let is_multiple = match number.as_integer() {
            Some(bytes) => bytes != 0 && bytes.is_multiple_of(stride.max(1)),
            None => {
                let shifted = number.block().is_some() && number.op() == Op::Shl;
                let by = shifted
                    .then(|| number.operands()[1].as_integer())
                    .flatten()?;
                // It may be zero, which an offset that wraps around becomes.
                next.is_poison_on_wrap()
                    && stride.is_power_of_two()
                    && u64::from(stride.ilog2()) <= by
            }
        };
        let fits = (2..1 << 31).contains(&stride);
        (is_offset && is_multiple && fits).then_some(PointerEnd {
            how,
            number,
            first_number: None,
            bytes_per_number: 1,
            stride,
        })
    }
}

pub(super) fn incoming<'ctx>(phi: Value<'ctx>, from: Block<'ctx>) -> Option<Value<'ctx>> {
    let all = phi.incoming();
    all.iter().find(|(_, b)| *b == from).map(|(v, _)| *v)
}

/// The next value of a counter of 64 bits that starts at zero and grows by one, if the loop has one.
fn counter<'ctx>(found: &Loop<'ctx>) -> Option<Value<'ctx>> {
    let phis = found.header.phis().into_iter();
    let mut all = phis.filter(|phi| phi.ty().kind() == TypeKind::Integer(64));
    all.find_map(|phi| {
        let next = incoming(phi, found.latch)?;
        let counts = incoming(phi, found.preheader)?.as_integer() == Some(0)
            && next.block().is_some()
            && next.op() == Op::Add
            && next.operands()[0] == phi
            && next.operands()[1].as_integer() == Some(1);
        counts.then_some(next)
    })
}

fn new_counter<'ctx>(found: &Loop<'ctx>, ty: Type<'ctx>) -> Value<'ctx> {
    let count = Builder::before(found.header.first()).phi(ty);
    let here = Builder::before(found.latch.terminator());
    let next = here.add(count, here.number(1, 64));
    count.add_incoming(here.number(0, 64), found.preheader);
    count.add_incoming(next, found.latch);
    next
}

/// Bytes of an element; `None` for types that are no number and no bytes.
pub(super) fn bytes(element: Type<'_>) -> Option<u64> {
    match element.kind() {
        TypeKind::Integer(bits @ (8 | 16 | 32 | 64)) => Some(u64::from(bits / 8)),
        TypeKind::Half => Some(2),
        TypeKind::Float => Some(4),
        TypeKind::Double => Some(8),
        _ => element.byte_array(),
    }
}

#[cfg(test)]
#[path = "pointer_counters_tests.rs"]
mod tests;
