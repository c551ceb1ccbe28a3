//! Loops whose last operation is a check are rotated.
//!
//! What an iteration reads for the next one is checked at its end: the latch then branches to a panic, and LLVM takes a loop with an exit in its latch for one
//! that is rotated already. Whether it goes on is asked in its header, so its number of iterations is not known: no check is hoisted, and it is not unrolled.
//!
//! ```text
//! loop {                                           if start < end { loop {
//!     if i >= end { break }                            y[i] = f(next);
//!     y[i] = f(next);                                  if i + 2 >= len { panic }
//!     if i + 2 >= len { panic }                        next = x[i + 2]; i += 1;
//!     next = x[i + 2]; i += 1;                         if i >= end { break }
//! }                                                } }
//! ```
//! Such a latch gets a block behind it, which LLVM's rotation merges with it again. Loops with convergent operations stay as they are.

use super::loops::{self, Loop};
use super::{Changed, defined};
use crate::llvm::{Block, Builder, LlvmError, Machine, Module, Passes, Value};

/// Rotates such loops of a module, and notes the functions that it changes.
pub(crate) fn rotate_all<'ctx>(
    module: &mut Module<'ctx>,
    changed: &mut Changed<'ctx>,
    machine: &Machine<'_>,
) -> Result<(), LlvmError> {
    let functions = defined(module).into_iter().filter(|f| prepare(*f));
    let functions = Changed(functions.collect());
    functions.run(module, Passes::rotate_prepared_loops(), Some(machine))?;
    changed.add(functions);
    Ok(())
}

/// Puts a block behind the latches of such loops; returns whether there were any.
fn prepare(function: Value<'_>) -> bool {
    let found = loops::find(function).into_iter().filter(is_unrotated);
    found.map(|found| leave_latch(&found)).count() > 0
}

/// Whether a loop ends in its header, and panics in its latch.
fn is_unrotated(found: &Loop<'_>) -> bool {
    let leaves = |block: &Block<'_>| !found.blocks.contains(block);
    let panics = |block: &Block<'_>| leaves(block) && block.is_unreachable();
    let ends = |block: &Block<'_>| leaves(block) && !block.is_unreachable();
    let is_two_way = |block: Block<'_>| block.condition().is_some();
    found.header != found.latch
        && is_two_way(found.header)
        && is_two_way(found.latch)
        && found.header.successors().iter().any(ends)
        && found.latch.successors().iter().any(panics)
        && !found.has_convergent_op()
        && !found.is_kept()
}

/// Puts a block on the edge from the latch to the header.
fn leave_latch(found: &Loop<'_>) {
    let (header, latch) = (found.header, found.latch);
    let behind = header.new_before();
    Builder::at_end(behind).br(header);
    latch.redirect(|to| if to == header { behind } else { to });
    for phi in header.phis() {
        let merged = Builder::before(header.first()).phi(phi.ty());
        for (value, from) in phi.incoming() {
            merged.add_incoming(value, if from == latch { behind } else { from });
        }
        phi.replace_all_uses_with(merged);
        // SAFETY: nothing uses it any more, and no other handle to it is used below.
        unsafe { phi.erase_instruction() };
    }
}
