//! Loops that only count become arithmetic.
//!
//! `nth` of an iterator that has none of its own (`zip`, `map`) asks for element after element, and with it `skip` and `step_by`: a thread that takes
//! every 256th element of two slices counts to 255 between two of them. What such a loop counts is known before it:
//!
//! ```text
//! loop {                                           left = len - min(i, len)
//!     if i >= len { break 'end }                   rounds = min(left, n)
//!     i += 1;                                      i += rounds
//!     if n == 0 { break }                          if left == rounds { break 'end }
//!     n -= 1;                                      i += 1
//! }
//! ```
//! LLVM computes the number of rounds, but deletes such a loop only if it has one exit. It is left with one round, which LLVM removes.

use super::loops::{self, Loop};
use super::{Changed, defined};
use crate::llvm::{Block, Builder, Compare, Module, Op, TypeKind, Value};

/// Replaces the loops of a module, and notes the functions that it changes.
pub(crate) fn replace_all<'ctx>(module: &mut Module<'ctx>, changed: &mut Changed<'ctx>) {
    for function in defined(module) {
        for found in loops::find(function) {
            if let Some(counting) = Counting::of(&found) {
                counting.replace(function, &found);
                changed.0.insert(function);
            }
        }
    }
}

/// What a loop consists of that only counts.
struct Counting<'ctx> {
    counters: Vec<Counter<'ctx>>,
    /// In the order of an iteration.
    exits: Vec<Exit<'ctx>>,
}

/// A number that changes by a constant in each iteration.
struct Counter<'ctx> {
    phi: Value<'ctx>,
    next: Value<'ctx>,
    first: Value<'ctx>,
    step: u64,
    bits: u32,
}

/// A block that ends with a branch out of the loop.
struct Exit<'ctx> {
    block: Block<'ctx>,
    leaves_if_true: bool,
    /// What is compared: a counter, by its number, before or after its step, with a value that does not change.
    counter: usize,
    is_next: bool,
    end: Value<'ctx>,
    /// Whether it leaves at `end` exactly, or at `end` and above.
    is_exact: bool,
}

impl<'ctx> Counting<'ctx> {
    fn of(found: &Loop<'ctx>) -> Option<Counting<'ctx>> {
        let (mut counters, mut expected) = (Vec::new(), Vec::new());
        for phi in found.header.phis() {
            let counter = Counter::of(phi, found)?;
            expected.extend([phi, counter.next]);
            counters.push(counter);
        }
        let (mut exits, mut block) = (Vec::new(), found.header);
        loop {
            let exit = Exit::of(block, found, &counters)?;
            expected.extend([block.condition()?, block.terminator()]);
            let inside = usize::from(exit.leaves_if_true);
            exits.push(exit);
            if block == found.latch {
                break;
            }
            block = block.successors()[inside];
        }
        // One exit is what LLVM deletes.
        let is_chain = exits.len() > 1 && exits.len() == found.blocks.len();
        let all = found.blocks.iter().flat_map(|b| b.instructions());
        let nothing_else = is_chain && all.into_iter().all(|i| expected.contains(&i));
        nothing_else.then_some(Counting { counters, exits })
    }

    /// Lets each exit be taken, or not, in the first iteration, and puts the last values of the counters in their places behind the loop.
    fn replace(&self, function: Value<'ctx>, found: &Loop<'ctx>) {
        let before = Builder::before(found.preheader.terminator());
        // The same values for all uses, if some of them are none in particular.
        let firsts: Vec<Value<'ctx>> = self
            .counters
            .iter()
            .map(|c| before.freeze(c.first))
            .collect();
        let rounds: Vec<Value<'ctx>> = self
            .exits
            .iter()
            .map(|exit| {
                let counter = &self.counters[exit.counter];
                exit.rounds(counter, firsts[exit.counter], &before)
            })
            .collect();
        let Some(least) = rounds.iter().copied().reduce(|a, b| before.umin(a, b)) else {
            return;
        };
        let mut lasts = Vec::new();
        for (counter, first) in self.counters.iter().zip(&firsts) {
            let narrow = counter.bits == 32;
            let rounds = if narrow { before.trunc32(least) } else { least };
            let step = before.number(counter.step, counter.bits);
            let last = before.add(*first, before.mul(rounds, step));
            lasts.push((counter.phi, last));
            lasts.push((counter.next, before.add(last, step)));
        }
        for user in function.instructions() {
            if user.block().is_none_or(|b| !found.blocks.contains(&b)) {
                user.replace_operands(&lasts);
            }
        }
        for (exit, rounds) in self.exits.iter().zip(&rounds) {
            let leaves = if exit.block == found.latch {
                before.boolean(exit.leaves_if_true)
            } else if exit.leaves_if_true {
                before.compare(Compare::Eq, *rounds, least)
            } else {
                before.compare(Compare::Ne, *rounds, least)
            };
            exit.block.set_condition(leaves);
        }
    }
}

impl<'ctx> Counter<'ctx> {
    fn of(phi: Value<'ctx>, found: &Loop<'ctx>) -> Option<Counter<'ctx>> {
        let bits = match phi.ty().kind() {
            TypeKind::Integer(bits @ (32 | 64)) => bits,
            _ => return None,
        };
        let (mut first, mut next) = (None, None);
        for (value, from) in phi.incoming() {
            let place = if from == found.latch {
                &mut next
            } else {
                &mut first
            };
            *place = Some(value);
        }
        let (first, next) = (first?, next?);
        next.block().filter(|b| found.blocks.contains(b))?;
        let [of, step] = next.operands().try_into().ok()?;
        (next.op() == Op::Add && of == phi).then_some(())?;
        Some(Counter {
            phi,
            next,
            first,
            step: step.as_integer()?,
            bits,
        })
    }

    /// Whether it grows by one, or shrinks by one.
    fn direction(&self) -> Option<bool> {
        let top = u64::MAX >> (64 - self.bits);
        match self.step {
            1 => Some(true),
            step if step == top => Some(false),
            _ => None,
        }
    }
}

impl<'ctx> Exit<'ctx> {
    fn of(
        block: Block<'ctx>,
        found: &Loop<'ctx>,
        counters: &[Counter<'ctx>],
    ) -> Option<Exit<'ctx>> {
        let condition = block.condition()?;
        let inside = |b: &Block<'ctx>| found.blocks.contains(b);
        let leaves_if_true = match &block.successors()[..] {
            [a, b] if inside(b) && !inside(a) => true,
            [a, b] if inside(a) && !inside(b) => false,
            _ => return None,
        };
        let mut how = condition.comparison()?;
        if !leaves_if_true {
            how = how.inverse();
        }
        let (mut counted, mut end) = (condition.operands()[0], condition.operands()[1]);
        if found.is_invariant(counted) {
            (counted, end) = (end, counted);
            how = how.swapped();
        }
        let is_counter = |c: &Counter<'ctx>| c.phi == counted || c.next == counted;
        let counter = counters.iter().position(is_counter)?;
        let grows = counters[counter].direction()?;
        let is_exact = match how {
            Compare::Eq => true,
            Compare::Uge if grows => false,
            _ => return None,
        };
        found.is_invariant(end).then_some(Exit {
            block,
            leaves_if_true,
            counter,
            is_next: counters[counter].next == counted,
            end,
            is_exact,
        })
    }

    /// How many iterations are complete when this exit is taken, if no other one is; of 64 bits.
    fn rounds(
        &self,
        counter: &Counter<'ctx>,
        first: Value<'ctx>,
        at: &Builder<'ctx>,
    ) -> Value<'ctx> {
        let end = at.freeze(self.end);
        let step = at.number(counter.step, counter.bits);
        let first = if self.is_next {
            at.add(first, step)
        } else {
            first
        };
        let rounds = match (self.is_exact, counter.direction()) {
            (false, _) => at.sub(at.umax(end, first), first),
            (true, Some(false)) => at.sub(first, end),
            (true, _) => at.sub(end, first),
        };
        if counter.bits == 32 {
            at.widened(rounds)
        } else {
            rounds
        }
    }
}
