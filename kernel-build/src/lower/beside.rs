//! The groups of rounds beside a loop that [`late_checks`](super::late_checks) has planned.
//!
//! ```text
//! front ── not all of it is there ──▶ slow
//!   └─▶ head ── fewer rounds are left ──▶ the head of smaller groups … ──▶ rest ── none is left ──▶ after
//!        ▲└─▶ early ── an index is wrong ──▶ slow                            └─▶ slow
//!        └───── late                             slow: the loop that there was, from where it is entered ──▶ after
//! ```

use super::late_checks::Plan;
use super::loops::Loop;
use crate::llvm::{Block, Builder, Compare, Op, TypeKind, Value};
use std::collections::HashMap;

/// What values from outside of the loop are in front of it.
struct Outside<'ctx> {
    front: Builder<'ctx>,
    settled: HashMap<Value<'ctx>, Value<'ctx>>,
}

impl<'ctx> Outside<'ctx> {
    /// The value, settled, once and for all.
    fn value(&mut self, value: Value<'ctx>) -> Value<'ctx> {
        if let Some(known) = self.settled.get(&value) {
            return *known;
        }
        if value.is_constant() {
            return value;
        }
        // A parameter that is settled anyway stays what it is, so that LLVM still sees that nothing writes what it points to.
        let settled = if value.block().is_some() && value.op() == Op::AddrSpaceCast {
            let from = self.value(value.operands()[0]);
            self.front.copy(value, |_| from)
        } else {
            self.front.settled(value)
        };
        self.settled.insert(value, settled);
        settled
    }
}

/// What goes from round to round.
#[derive(Clone)]
struct State<'ctx> {
    /// The numbers at the head of the loop.
    heads: Vec<Value<'ctx>>,
    /// The addresses of the loads at even distances.
    addresses: Vec<Value<'ctx>>,
    /// How many rounds are left, in 32 bits.
    left: Value<'ctx>,
}

impl<'ctx> State<'ctx> {
    /// A phi for each, so far from one block alone.
    fn merged(&self, at: &Builder<'ctx>, from: Block<'ctx>) -> State<'ctx> {
        let phi = |value: &Value<'ctx>| {
            let phi = at.phi(value.ty());
            phi.add_incoming(*value, from);
            phi
        };
        State {
            heads: self.heads.iter().map(phi).collect(),
            addresses: self.addresses.iter().map(phi).collect(),
            left: phi(&self.left),
        }
    }

    fn add_incoming(&self, other: &State<'ctx>, from: Block<'ctx>) {
        let (all, others) = (self.heads.iter(), other.heads.iter());
        for (phi, value) in all
            .zip(others)
            .chain(self.addresses.iter().zip(&other.addresses))
        {
            phi.add_incoming(*value, from);
        }
        self.left.add_incoming(other.left, from);
    }
}

/// Of a gather: the largest index that there can be, in as many bits as the index comes from.
struct Limit<'ctx> {
    last: Value<'ctx>,
    bits: u32,
}

/// What all groups share.
struct Beside<'ctx> {
    outside: Outside<'ctx>,
    limits: Vec<Limit<'ctx>>,
    steps: Vec<Value<'ctx>>,
    /// The loop that there was.
    slow: Block<'ctx>,
}

impl<'ctx> Beside<'ctx> {
    /// What a value is in a round that has these.
    fn value(&mut self, of: Value<'ctx>, round: &HashMap<Value<'ctx>, Value<'ctx>>) -> Value<'ctx> {
        let known = round.get(&of).copied();
        known.unwrap_or_else(|| self.outside.value(of))
    }
}

/// What a loop begins and ends with.
struct Ends<'ctx> {
    after: Block<'ctx>,
    /// The phis at its head.
    heads: Vec<Value<'ctx>>,
    /// What they are in the first round.
    first: Vec<Value<'ctx>>,
    /// What they would be in the next one.
    next: Vec<Value<'ctx>>,
}

impl<'ctx> Ends<'ctx> {
    fn of(found: &Loop<'ctx>) -> Option<Ends<'ctx>> {
        let to = found.latch.successors();
        let after = *to.iter().find(|b| **b != found.head)?;
        let heads = found.head.phis();
        let from = |block| heads.iter().map(move |phi| incoming(*phi, block));
        let first: Vec<_> = from(found.before).collect::<Option<_>>()?;
        let next: Vec<_> = from(found.latch).collect::<Option<_>>()?;
        // Behind the loop is known what the next round would begin with, and what is the same in each.
        let is_known = |phi: &Value<'ctx>| {
            let last = incoming(*phi, found.latch);
            last.is_some_and(|v| next.contains(&v) || found.is_fixed(v))
        };
        let alone = found.before.successors().len() == 1;
        let in_order = alone && after.phis().iter().all(is_known);
        in_order.then_some(Ends {
            after,
            heads,
            first,
            next,
        })
    }
}

impl<'ctx> Plan<'ctx> {
    /// Puts the groups there; `None` if the blocks are not in the order for it, and then nothing has changed.
    pub(super) fn carry_out(&self, function: Value<'ctx>, found: &Loop<'ctx>) -> Option<()> {
        let Ends {
            after,
            heads,
            first,
            next,
        } = Ends::of(found)?;
        let slow = found.before;
        let front = slow.split_off_front(&Block::all(function));
        let mut outside = Outside {
            front: Builder::at_end(front),
            settled: HashMap::new(),
        };
        let (fits, rounds) = self.fits(&mut outside);
        let begin = State {
            heads: first.iter().map(|v| outside.value(*v)).collect(),
            addresses: self.addresses(&mut outside),
            left: rounds,
        };
        let limits = self.limits(&mut outside);
        let mut steps = Vec::new();
        for even in &self.even {
            let step = even.offset.step.mapped(&mut |v| outside.value(v));
            steps.push(step.build(&outside.front, 64));
        }
        let mut beside = Beside {
            outside,
            limits,
            steps,
            slow,
        };
        // Where the loop that there was goes on, if it has to.
        let resumed: Vec<Value<'_>> = {
            let builder = Builder::before(slow.terminator());
            heads.iter().map(|h| builder.phi(h.ty())).collect()
        };
        let resume = |state: &State<'ctx>, from| {
            for (phi, value) in resumed.iter().zip(&state.heads) {
                phi.add_incoming(*value, from);
            }
        };
        resume(&begin, front);
        let mut starts: Vec<_> = self.groups.iter().map(|_| slow.new_before()).collect();
        let rest = slow.new_before();
        let entry = starts[0];
        starts.push(rest);
        let (mut state, mut from) = (begin, front);
        for (size, ends) in self.groups.iter().zip(starts.windows(2)) {
            let (group, early) = self.group(
                &mut beside,
                *size,
                (from, &state),
                (ends[0], ends[1]),
                (&heads, &next),
            );
            resume(&group, early);
            (state, from) = (group, ends[0]);
        }
        for phi in after.phis() {
            let last = incoming(phi, found.latch)?;
            let known = next.iter().position(|n| *n == last);
            phi.add_incoming(
                known.map_or_else(|| beside.outside.value(last), |i| state.heads[i]),
                rest,
            );
        }
        resume(&state, rest);
        for (head, phi) in heads.iter().zip(&resumed) {
            let index = head.incoming().iter().position(|(_, b)| *b == slow)?;
            head.set_operand(index as u32, *phi);
        }
        let end = Builder::at_end(rest);
        let none = end.compare(Compare::Equal, state.left, end.number(0, 32));
        end.branch(none, after, slow);
        beside.outside.front.branch(fits, entry, slow);
        Some(())
    }

    /// Rounds that are made so many at once, while as many are left: first all indices, which are looked at together, then the rest.
    /// Gives what goes from one group to the next, and the block from where the loop that there was goes on if an index is wrong.
    fn group(
        &self,
        beside: &mut Beside<'ctx>,
        size: usize,
        (before, state): (Block<'ctx>, &State<'ctx>),
        (head, next): (Block<'ctx>, Block<'ctx>),
        (heads, latched): (&[Value<'ctx>], &[Value<'ctx>]),
    ) -> (State<'ctx>, Block<'ctx>) {
        let (early, late) = (next.new_before(), next.new_before());
        let at = Builder::at_end(head);
        let merged = state.merged(&at, before);
        let count = at.number(size as u64, 32);
        let too_few = at.compare(Compare::Below, merged.left, count);
        at.branch(too_few, next, early);

        let mut now = merged.clone();
        let mut rounds: Vec<HashMap<Value<'ctx>, Value<'ctx>>> = Vec::new();
        let mut worst: Vec<Option<Value<'ctx>>> = self.gathers.iter().map(|_| None).collect();
        let builder = Builder::at_end(early);
        for _ in 0..size {
            let mut values: HashMap<_, _> = heads
                .iter()
                .copied()
                .zip(now.heads.iter().copied())
                .collect();
            for instruction in self.instructions().filter(|i| !self.late.contains(i)) {
                let copy = self.copy(beside, &builder, instruction, &values);
                if let Some(even) = self.even.iter().position(|e| e.load == instruction) {
                    copy.set_operand(0, now.addresses[even]);
                }
                values.insert(instruction, copy);
                for ((gather, limit), worst) in
                    self.gathers.iter().zip(&beside.limits).zip(&mut worst)
                {
                    if gather.index == instruction {
                        let index = gather.narrow.map_or(copy, |n| values[&n]);
                        let mut index = builder.settled(index);
                        *worst = Some(worst.map_or(index, |w| builder.most(w, index)));
                        if limit.bits == 32 {
                            index = builder.widened(index);
                        }
                        values.insert(instruction, index);
                    }
                }
            }
            for (address, step) in now.addresses.iter_mut().zip(&beside.steps) {
                *address = builder.offset(*address, *step);
            }
            // What is not known yet is put there below.
            for (head, next) in now.heads.iter_mut().zip(latched) {
                if !self.late.contains(next) {
                    *head = beside.value(*next, &values);
                }
            }
            rounds.push(values);
        }
        let wrong = beside.limits.iter().zip(worst);
        let wrong = wrong.filter_map(|(l, w)| Some(builder.compare(Compare::Greater, w?, l.last)));
        let wrong = wrong.reduce(|a, b| builder.or(a, b));
        builder.branch(wrong.unwrap_or(builder.truth(true)), beside.slow, late);

        let builder = Builder::at_end(late);
        now.heads.clone_from(&merged.heads);
        for mut values in rounds {
            values.extend(heads.iter().copied().zip(now.heads.iter().copied()));
            for instruction in self.instructions().filter(|i| self.late.contains(i)) {
                let copy = self.copy(beside, &builder, instruction, &values);
                values.insert(instruction, copy);
            }
            for (head, next) in now.heads.iter_mut().zip(latched) {
                *head = beside.value(*next, &values);
            }
        }
        now.left = builder.sub(merged.left, count);
        merged.add_incoming(&now, late);
        builder.go(head);
        (merged, early)
    }

    /// All that a round computes, in order.
    fn instructions(&self) -> impl Iterator<Item = Value<'ctx>> {
        self.way.iter().flat_map(|block| {
            let last = block.terminator();
            let is_void = |i: &Value<'ctx>| i.ty().kind() == TypeKind::Void;
            let all = block.instructions().into_iter();
            all.filter(move |i| *i != last && i.op() != Op::Phi && !is_void(i))
        })
    }

    fn copy(
        &self,
        beside: &mut Beside<'ctx>,
        builder: &Builder<'ctx>,
        instruction: Value<'ctx>,
        values: &HashMap<Value<'ctx>, Value<'ctx>>,
    ) -> Value<'ctx> {
        let copy = builder.copy(instruction, |o| beside.value(o, values));
        copy.promise_nothing();
        if instruction.op() == Op::Load {
            copy.forget(&["noundef", "nonnull", "range", "dereferenceable"]);
        }
        copy
    }

    /// Whether all that the other loop reads is there, and the number of its rounds.
    fn fits(&self, outside: &mut Outside<'ctx>) -> (Value<'ctx>, Value<'ctx>) {
        let rounds = self.rounds.mapped(&mut |v| outside.value(v));
        let limits = rounds.limits(&outside.front, false);
        let mut all = limits.valid.clone();
        for even in &self.even {
            let offset = even.offset.mapped(&mut |v| outside.value(v));
            let len = outside.value(even.slice.len);
            let front = &outside.front;
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
            let len = outside.value(gather.len);
            let none = outside.front.number(0, 64);
            all.push(outside.front.compare(Compare::NotEqual, len, none));
        }
        let rounds = limits.rounds(&outside.front);
        let all = all.into_iter().reduce(|a, b| outside.front.and(a, b));
        let all = all.map_or(outside.front.truth(false), |all| outside.front.settled(all));
        (all, rounds)
    }

    fn limits(&self, outside: &mut Outside<'ctx>) -> Vec<Limit<'ctx>> {
        let mut limits = Vec::new();
        for gather in &self.gathers {
            let bits = if gather.narrow.is_some() { 32 } else { 64 };
            let len = outside.value(gather.len);
            let before = &outside.front;
            let mut last = before.sub(len, before.number(1, 64));
            if bits == 32 {
                last = before.narrowed(before.least(last, before.number(u64::from(u32::MAX), 64)));
            }
            limits.push(Limit { last, bits });
        }
        limits
    }

    /// Where the loads at even distances begin.
    fn addresses(&self, outside: &mut Outside<'ctx>) -> Vec<Value<'ctx>> {
        let mut addresses = Vec::new();
        for even in &self.even {
            let start = even.offset.start.mapped(&mut |v| outside.value(v));
            let base = outside.value(even.slice.pointer);
            let start = start.build(&outside.front, 64);
            addresses.push(outside.front.offset(base, start));
        }
        addresses
    }
}

/// What a phi is where control comes from `block`.
fn incoming<'ctx>(phi: Value<'ctx>, block: Block<'ctx>) -> Option<Value<'ctx>> {
    let mut all = phi.incoming().into_iter();
    all.find(|(_, b)| *b == block).map(|(v, _)| v)
}
