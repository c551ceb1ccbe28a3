//! One loop where an iterator that skips elements made two.
//!
//! `for v in options.into_iter().flatten()` goes back to the next element from two places: where an option is empty, and behind the body. LLVM makes a
//! nest of two loops of them, since what the body computes does not change where an element is skipped. Neither has a known trip count then.
//!
//! ```text
//! outer: sum = phi [0, before], [sum2, body]           inner: sum = phi [0, outer], [sum3, latch]
//!        k = phi [0, before], [j1, body]                      j = phi [0, outer], [j1, latch]
//! inner: j = phi [k, outer], [j1, skip]           →           …
//!        …                                             skip:  goto latch
//! skip:  goto inner                                    body:  …; goto latch
//! body:  …; goto outer                                 latch: sum3 = phi [sum, skip], [sum2, body]; goto inner
//! ```
//! As one loop it has the trip count of the array: each way back goes on by one element.

use crate::llvm::{Block, Builder, Op, Value};
use crate::opt::loops::{self, Loop};

/// Merges such nests of a function; returns whether there was one.
pub(in crate::opt) fn merge(function: Value<'_>) -> bool {
    let mut changed = false;
    while let Some((outer, inner)) = nest(&loops::find(function)) {
        Nest { outer, inner }.merge();
        changed = true;
    }
    changed
}

/// The headers and latches of a loop whose first and only inner loop begins where its own iteration does.
fn nest<'ctx>(found: &[Loop<'ctx>]) -> Option<(Ends<'ctx>, Ends<'ctx>)> {
    found.iter().find_map(|inner| {
        let header = inner.preheader;
        let outer = found.iter().find(|outer| outer.header == header)?;
        let goes_on = header.instructions();
        let only_phis = goes_on.len() == header.phis().len() + 1;
        let is_nest = only_phis
            && header.successors() == [inner.header]
            && outer.latch != inner.latch
            && !outer.has_convergent_op();
        is_nest.then_some((Ends::of(outer), Ends::of(inner)))
    })
}

#[derive(Clone, Copy)]
struct Ends<'ctx> {
    header: Block<'ctx>,
    latch: Block<'ctx>,
}

impl<'ctx> Ends<'ctx> {
    fn of(found: &Loop<'ctx>) -> Ends<'ctx> {
        Ends {
            header: found.header,
            latch: found.latch,
        }
    }
}

struct Nest<'ctx> {
    outer: Ends<'ctx>,
    inner: Ends<'ctx>,
}

/// The values of a number of the loop: at its beginning, and behind each of the old latches.
struct Merged<'ctx> {
    old: Value<'ctx>,
    start: Value<'ctx>,
    next: [Value<'ctx>; 2],
}

impl<'ctx> Nest<'ctx> {
    fn merge(&self) {
        let (outer, inner) = (self.outer, self.inner);
        let from = |phi: Value<'ctx>, block| {
            let mut all = phi.incoming().into_iter();
            all.find(|(_, b)| *b == block).map(|(value, _)| value)
        };
        // What enters the nest, and what an outer iteration hands on.
        let entering = |value: Value<'ctx>| {
            let is_carried = value.block() == Some(outer.header) && value.op() == Op::Phi;
            let mut all = if is_carried { value.incoming() } else { vec![] }.into_iter();
            all.find(|(_, b)| *b != outer.latch)
                .map_or(value, |(value, _)| value)
        };
        let handed_on = |value: Value<'ctx>| match value.block() == Some(outer.header) {
            true => from(value, outer.latch).unwrap_or(value),
            false => value,
        };
        let mut merged: Vec<Merged<'ctx>> = Vec::new();
        for phi in outer.header.phis() {
            merged.push(Merged {
                old: phi,
                start: entering(phi),
                next: [phi, handed_on(phi)],
            });
        }
        for phi in inner.header.phis() {
            let first = from(phi, outer.header).unwrap_or(phi);
            merged.push(Merged {
                old: phi,
                start: entering(first),
                next: [from(phi, inner.latch).unwrap_or(phi), handed_on(first)],
            });
        }
        let latch = inner.header.new_before();
        let (at_header, at_latch) = (
            Builder::before(inner.header.first()),
            Builder::at_end(latch),
        );
        let mut replacements = Vec::new();
        for value in &merged {
            let (phi, next) = (at_header.phi(value.old.ty()), at_latch.phi(value.old.ty()));
            next.add_incoming(value.next[0], inner.latch);
            next.add_incoming(value.next[1], outer.latch);
            phi.add_incoming(value.start, outer.header);
            phi.add_incoming(next, latch);
            replacements.push((value.old, phi));
        }
        at_latch.br(inner.header);
        inner
            .latch
            .redirect(|to| if to == inner.header { latch } else { to });
        outer
            .latch
            .redirect(|to| if to == outer.header { latch } else { to });
        for (old, new) in replacements {
            old.replace_all_uses_with(new);
        }
        for value in merged {
            // SAFETY: a phi, all of whose uses were replaced; no other handle of it is used any more.
            unsafe { value.old.erase_instruction() };
        }
    }
}
