//! Addresses that move by the same distance in each round of a loop, where that distance is known at launch only.
//!
//! ```text
//! for k in 0..n { sum += b[k * n + x] }       p = &b[x]; in each round: sum += *p; p += n
//! ```
//! LLVM has a multiplication in each round of an unrolled loop, or a register for the distance of each copy; of a pointer that walks it makes
//! one addition after another, which leaves ptxas the registers for loads under way.

use super::affine::{Affine, Fixed};
use super::loops::{self, Loop};
use crate::llvm::{Builder, Op, Value};

/// Lets such addresses walk in all innermost loops without branches, which are those that LLVM unrolls; says whether there were any.
pub(crate) fn walk(function: Value<'_>) -> bool {
    let mut changed = false;
    for found in loops::find(function) {
        let mut others = found.blocks.iter().filter(|b| **b != found.latch);
        if others.all(|b| b.successors().len() == 1) {
            changed |= walk_loop(&found);
        }
    }
    changed
}

/// An address `base[index]`.
struct Walk<'ctx> {
    address: Value<'ctx>,
    base: Value<'ctx>,
    index: Affine<'ctx>,
    /// The one address that is made of it, at a distance that is the same in each round: what walks is that one.
    beyond: Option<(Value<'ctx>, Value<'ctx>)>,
}

fn walk_loop(found: &Loop<'_>) -> bool {
    let instructions = found.each_round.iter().flat_map(|b| b.instructions());
    let walks: Vec<Walk<'_>> = instructions
        .filter_map(|address| Walk::of(address, found))
        .collect();
    // Neighbours of one another would each need a register of their own, where one and a distance do.
    let alone = walks.iter().enumerate().all(|(i, a)| {
        let mut others = walks.iter().take(i);
        !others.any(|b| a.base == b.base && a.index.step == b.index.step)
    });
    if !alone {
        return false;
    }
    for walk in &walks {
        let before = Builder::before(found.before.terminator());
        let head = Builder::before(found.head.first());
        let latch = Builder::before(found.latch.terminator());
        let mut first =
            before.element(walk.address, walk.base, walk.index.start.build(&before, 64));
        let mut replaced = walk.address;
        if let Some((beyond, distance)) = walk.beyond {
            first = before.element(beyond, first, distance);
            replaced = beyond;
        }
        let here = head.phi(first.ty());
        let next = latch.element(walk.address, here, walk.index.step.build(&before, 64));
        here.add_incoming(first, found.before);
        here.add_incoming(next, found.latch);
        replaced.replace_all_uses_with(here);
    }
    !walks.is_empty()
}

impl<'ctx> Walk<'ctx> {
    fn of(address: Value<'ctx>, found: &Loop<'ctx>) -> Option<Walk<'ctx>> {
        if address.op() != Op::Element {
            return None;
        }
        let [base, index] = address.operands()[..] else {
            return None;
        };
        if !found.is_fixed(base) || found.is_fixed(index) {
            return None;
        }
        // A constant distance fits into the loads themselves; what may wrap around before it is widened does not move evenly.
        let index = Affine::of(index, found)?;
        let is_even = index.bits == 64 && index.narrow.is_empty();
        let is_constant = matches!(index.step, Fixed::Number(_));
        (is_even && !is_constant).then_some(Walk {
            address,
            base,
            index,
            beyond: beyond(address, found),
        })
    }
}

/// The only address of the loop that is made of this one, and by which number of elements it is beyond it.
fn beyond<'ctx>(address: Value<'ctx>, found: &Loop<'ctx>) -> Option<(Value<'ctx>, Value<'ctx>)> {
    let instructions = found.each_round.iter().flat_map(|b| b.instructions());
    let mut users = instructions.filter(|i| i.operands().contains(&address));
    let (user, None) = (users.next()?, users.next()) else {
        return None;
    };
    match user.operands()[..] {
        [base, distance]
            if user.op() == Op::Element && base == address && found.is_fixed(distance) =>
        {
            Some((user, distance))
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "walks_tests.rs"]
mod tests;
