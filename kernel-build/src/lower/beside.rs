//! The loop beside another, without ways out, that [`late_checks`](super::late_checks) has planned.
//!
//! ```text
//! before ── not all of it is there ──▶ slow: the loop that there was ──▶ after
//!   └─▶ fast ──▶ done ── an index was wrong ──▶ slow
//!                 └─▶ after
//! ```

use super::late_checks::Plan;
use super::loops::Loop;
use crate::llvm::{Block, Builder, Compare, Op, TypeKind, Value};
use std::collections::HashMap;

/// The other loop under construction.
struct Twin<'ctx> {
    /// Before both loops.
    front: Builder<'ctx>,
    body: Builder<'ctx>,
    /// What values are in it.
    values: HashMap<Value<'ctx>, Value<'ctx>>,
}

impl<'ctx> Twin<'ctx> {
    /// What a value is in the other loop; one from outside is settled, once and for all.
    fn value(&mut self, value: Value<'ctx>) -> Value<'ctx> {
        if let Some(known) = self.values.get(&value) {
            return *known;
        }
        if value.is_constant() {
            return value;
        }
        let settled = self.front.settled(value);
        self.values.insert(value, settled);
        settled
    }
}

/// What is held of a gather in registers through all rounds.
struct Held<'ctx> {
    /// The largest index that there can be, in as many bits as the index comes from.
    last: Value<'ctx>,
    /// The largest that there was.
    worst: Value<'ctx>,
    bits: u32,
}

impl<'ctx> Plan<'ctx> {
    /// Puts the loop there; `None` if the blocks are not in the order for it, and then nothing has changed.
    pub(super) fn carry_out(&self, function: Value<'ctx>, found: &Loop<'ctx>) -> Option<()> {
        let after = *found
            .latch
            .successors()
            .iter()
            .find(|b| **b != found.head)?;
        let alone = found.before.successors().len() == 1;
        let from_latch = |phi: &Value<'ctx>| incoming(*phi, found.latch).is_some();
        let from_before = |phi: &Value<'ctx>| incoming(*phi, found.before).is_some();
        let heads = found.head.phis();
        let is_in_order = alone
            && after.phis().iter().all(from_latch)
            && heads.iter().all(|p| from_latch(p) && from_before(p));
        if !is_in_order || self.gathers.is_empty() {
            return None;
        }
        let slow = found.before;
        let front = slow.split_off_front(&Block::all(function));
        let (fast, done) = (slow.new_before(), slow.new_before());
        let mut twin = Twin {
            front: Builder::at_end(front),
            body: Builder::at_end(fast),
            values: HashMap::new(),
        };
        let (fits, rounds) = self.fits(&mut twin);
        for phi in &heads {
            let copy = twin.body.phi(phi.ty());
            let first = twin.value(incoming(*phi, slow)?);
            copy.add_incoming(first, front);
            twin.values.insert(*phi, copy);
        }
        let left = twin.body.phi(rounds.ty());
        left.add_incoming(rounds, front);
        let mut held = self.held(&mut twin, front);
        let phis: Vec<Value<'ctx>> = held.iter().map(|h| h.worst).collect();
        let walks = self.walks(&mut twin, front);
        self.body(&mut twin, &mut held, &walks);
        for (phi, held) in phis.into_iter().zip(&held) {
            phi.add_incoming(held.worst, fast);
        }
        for (address, next) in walks.values() {
            address.add_incoming(*next, fast);
        }
        for phi in &heads {
            let (copy, next) = (twin.values[phi], incoming(*phi, found.latch)?);
            copy.add_incoming(twin.value(next), fast);
        }
        // Counted down, ptxas sees how often it goes round.
        let fewer = twin.body.sub(left, twin.body.number(1, 32));
        left.add_incoming(fewer, fast);
        let again = twin
            .body
            .compare(Compare::NotEqual, fewer, twin.body.number(0, 32));
        twin.body.branch(again, fast, done);
        for phi in after.phis() {
            let last = incoming(phi, found.latch)?;
            phi.add_incoming(twin.value(last), done);
        }
        let end = Builder::at_end(done);
        let wrong = held
            .iter()
            .map(|h| end.compare(Compare::Greater, h.worst, h.last));
        let wrong = wrong.reduce(|a, b| end.or(a, b))?;
        end.branch(wrong, slow, after);
        twin.front.branch(fits, fast, slow);
        Some(())
    }

    /// Whether all that the other loop reads is there, and the number of its rounds.
    fn fits(&self, twin: &mut Twin<'ctx>) -> (Value<'ctx>, Value<'ctx>) {
        let rounds = self.rounds.mapped(&mut |v| twin.value(v));
        let limits = rounds.limits(&twin.front, false);
        let mut all = limits.valid.clone();
        for even in &self.even {
            let offset = even.offset.mapped(&mut |v| twin.value(v));
            let len = twin.value(even.slice.len);
            let front = &twin.front;
            let number = |n| front.number(n, 64);
            let last = limits.last(&offset, front, &mut all);
            let last = front.add(last, number(even.bytes - 1));
            let end = front.mul(len, number(even.slice.size));
            all.push(front.compare(Compare::Below, last, end));
            for narrow in &offset.narrow {
                let last = limits.last(&narrow.clone().widened(), front, &mut all);
                all.push(front.compare(Compare::Below, last, number(1 << narrow.bits)));
            }
            // As aligned as the loop that there was finds it.
            for part in [&offset.start, &offset.step] {
                let rest = front.and(part.build(front, 64), number(even.bytes - 1));
                all.push(front.compare(Compare::Equal, rest, number(0)));
            }
        }
        for gather in &self.gathers {
            let len = twin.value(gather.len);
            let none = twin.front.number(0, 64);
            all.push(twin.front.compare(Compare::NotEqual, len, none));
        }
        let rounds = limits.rounds(&twin.front);
        let all = all.into_iter().reduce(|a, b| twin.front.and(a, b));
        let all = all.map_or(twin.front.truth(false), |all| twin.front.settled(all));
        (all, rounds)
    }

    fn held(&self, twin: &mut Twin<'ctx>, front: Block<'ctx>) -> Vec<Held<'ctx>> {
        let mut held = Vec::new();
        for gather in &self.gathers {
            let bits = if gather.narrow.is_some() { 32 } else { 64 };
            let len = twin.value(gather.len);
            let before = &twin.front;
            let mut last = before.sub(len, before.number(1, 64));
            if bits == 32 {
                last = before.narrowed(before.least(last, before.number(u64::from(u32::MAX), 64)));
            }
            let none = before.number(0, bits);
            let worst = twin.body.phi(none.ty());
            worst.add_incoming(none, front);
            held.push(Held { last, worst, bits });
        }
        held
    }

    /// The addresses of the loads at even distances: at the head, and in the next round.
    fn walks(
        &self,
        twin: &mut Twin<'ctx>,
        front: Block<'ctx>,
    ) -> HashMap<Value<'ctx>, (Value<'ctx>, Value<'ctx>)> {
        let mut phis = Vec::new();
        for even in &self.even {
            let offset = even.offset.mapped(&mut |v| twin.value(v));
            let base = twin.value(even.slice.pointer);
            let start = offset.start.build(&twin.front, 64);
            let first = twin.front.offset(base, start);
            let step = offset.step.build(&twin.front, 64);
            let here = twin.body.phi(first.ty());
            here.add_incoming(first, front);
            phis.push((even.load, here, step));
        }
        let next = |(load, here, step)| (load, (here, twin.body.offset(here, step)));
        phis.into_iter().map(next).collect()
    }

    /// One round.
    fn body(
        &self,
        twin: &mut Twin<'ctx>,
        held: &mut [Held<'ctx>],
        walks: &HashMap<Value<'ctx>, (Value<'ctx>, Value<'ctx>)>,
    ) {
        for block in &self.way {
            let last = block.terminator();
            for instruction in block.instructions() {
                let is_void = instruction.ty().kind() == TypeKind::Void;
                if instruction == last || instruction.op() == Op::Phi || is_void {
                    continue;
                }
                let operands = instruction.operands().into_iter();
                let operands: HashMap<_, _> = operands.map(|o| (o, twin.value(o))).collect();
                let copy = twin.body.copy(instruction, |o| operands[&o]);
                copy.promise_nothing();
                if instruction.op() == Op::Load {
                    copy.forget(&["noundef", "nonnull", "range", "dereferenceable"]);
                    if let Some((address, _)) = walks.get(&instruction) {
                        copy.set_operand(0, *address);
                    }
                }
                twin.values.insert(instruction, copy);
                for (gather, held) in self.gathers.iter().zip(&mut *held) {
                    if gather.index == instruction {
                        let index = twin.value(gather.narrow.unwrap_or(instruction));
                        let index = twin.body.settled(index);
                        held.worst = twin.body.most(held.worst, index);
                        let mut below = twin.body.least(index, held.last);
                        if held.bits == 32 {
                            below = twin.body.widened(below);
                        }
                        twin.values.insert(instruction, below);
                    }
                }
            }
        }
    }
}

/// What a phi is where control comes from `block`.
fn incoming<'ctx>(phi: Value<'ctx>, block: Block<'ctx>) -> Option<Value<'ctx>> {
    let mut all = phi.incoming().into_iter();
    all.find(|(_, b)| *b == block).map(|(v, _)| v)
}
