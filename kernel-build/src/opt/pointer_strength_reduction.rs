//! Pointer strength reduction for steps that are known at launch only.
//!
//! ```text
//! for k in 0..n { sum += b[k * n + x] }       p = &b[x]; in each iteration: sum += *p; p += n
//! ```
//! LLVM keeps a multiplication in each copy of an unrolled loop, or a register for the distance of each copy; from a pointer that is an induction
//! variable it makes one addition after another, which leaves ptxas the registers for loads in flight.

use super::add_recurrence::{AddRecurrence, LoopInvariant};
use super::loops::{self, Loop};
use crate::llvm::{Builder, Op, Value};

/// Makes induction variables of such addresses in all innermost loops without branches, which are those that LLVM unrolls; returns whether there
/// were any.
pub(crate) fn reduce(function: Value<'_>) -> bool {
    let mut changed = false;
    for found in loops::find(function) {
        let mut others = found.blocks.iter().filter(|b| **b != found.latch);
        if others.all(|b| b.successors().len() == 1) {
            changed |= reduce_loop(&found);
        }
    }
    changed
}

/// An address `base[index]`.
struct StridedAddress<'ctx> {
    address: Value<'ctx>,
    base: Value<'ctx>,
    index: AddRecurrence<'ctx>,
    /// The only address that is computed from it, at a loop-invariant distance: that one becomes the induction variable.
    beyond: Option<(Value<'ctx>, Value<'ctx>)>,
}

fn reduce_loop(found: &Loop<'_>) -> bool {
    let instructions = found.every_iteration.iter().flat_map(|b| b.instructions());
    let strided: Vec<StridedAddress<'_>> = instructions
        .filter_map(|address| StridedAddress::of(address, found))
        .collect();
    // Two addresses with one base and step would each need a register, where one and a distance suffice.
    let alone = strided.iter().enumerate().all(|(i, a)| {
        let mut others = strided.iter().take(i);
        !others.any(|b| a.base == b.base && a.index.step == b.index.step)
    });
    if !alone {
        return false;
    }
    for address in &strided {
        let before = Builder::before(found.preheader.terminator());
        let head = Builder::before(found.header.first());
        let latch = Builder::before(found.latch.terminator());
        let mut first = before.element(
            address.address,
            address.base,
            address.index.start.build(&before, 64),
        );
        let mut replaced = address.address;
        if let Some((beyond, distance)) = address.beyond {
            first = before.element(beyond, first, distance);
            replaced = beyond;
        }
        let here = head.phi(first.ty());
        let next = latch.element(address.address, here, address.index.step.build(&before, 64));
        here.add_incoming(first, found.preheader);
        here.add_incoming(next, found.latch);
        replaced.replace_all_uses_with(here);
    }
    !strided.is_empty()
}

impl<'ctx> StridedAddress<'ctx> {
    fn of(address: Value<'ctx>, found: &Loop<'ctx>) -> Option<StridedAddress<'ctx>> {
        if address.op() != Op::GetElementPtr {
            return None;
        }
        let [base, index] = address.operands()[..] else {
            return None;
        };
        if !found.is_invariant(base) || found.is_invariant(index) {
            return None;
        }
        // A constant step fits into the addressing mode; an index that may wrap around before it is extended has no constant step.
        let index = AddRecurrence::of(index, found)?;
        let is_even = index.bits == 64 && index.narrow.is_empty();
        let is_constant = matches!(index.step, LoopInvariant::Number(_));
        (is_even && !is_constant).then_some(StridedAddress {
            address,
            base,
            index,
            beyond: beyond(address, found),
        })
    }
}

/// The only address of the loop that is computed from this one, and its distance in elements.
fn beyond<'ctx>(address: Value<'ctx>, found: &Loop<'ctx>) -> Option<(Value<'ctx>, Value<'ctx>)> {
    let instructions = found.every_iteration.iter().flat_map(|b| b.instructions());
    let mut users = instructions.filter(|i| i.operands().contains(&address));
    let (user, None) = (users.next()?, users.next()) else {
        return None;
    };
    match user.operands()[..] {
        [base, distance]
            if user.op() == Op::GetElementPtr
                && base == address
                && found.is_invariant(distance) =>
        {
            Some((user, distance))
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "pointer_strength_reduction_tests.rs"]
mod tests;
