//! Builds the batches of iterations that [`gather_batching`](super) has planned.
//!
//! ```text
//! guard ── something is out of bounds ──▶ original
//!   └─▶ header ── fewer iterations are left ──▶ the header of smaller batches … ──▶ rest ── none is left ──▶ exit
//!        ▲└─▶ early ── an index is out of bounds ──▶ original                       └─▶ original
//!        └───── late                             original: the original loop, from the iteration where it is entered ──▶ exit
//! ```

use super::Plan;
use crate::hash::HashMap;
use crate::llvm::{Block, Builder, Compare, Op, TypeKind, Value};
use crate::opt::loops::Loop;

/// Frozen copies of loop-invariant values, in the guard block.
struct Invariants<'ctx> {
    guard: Builder<'ctx>,
    frozen: HashMap<Value<'ctx>, Value<'ctx>>,
}

impl<'ctx> Invariants<'ctx> {
    /// The frozen value; each is frozen once.
    fn value(&mut self, value: Value<'ctx>) -> Value<'ctx> {
        if let Some(known) = self.frozen.get(&value) {
            return *known;
        }
        if value.is_constant() {
            return value;
        }
        // The address space cast of a frozen parameter is repeated, so that LLVM still knows that nothing writes what it points to.
        let frozen = if value.block().is_some() && value.op() == Op::AddrSpaceCast {
            let from = self.value(value.operands()[0]);
            self.guard.copy(value, |_| from)
        } else {
            self.guard.freeze(value)
        };
        self.frozen.insert(value, frozen);
        frozen
    }
}

/// What one iteration hands to the next.
#[derive(Clone)]
struct State<'ctx> {
    /// The phis of the loop header.
    phis: Vec<Value<'ctx>>,
    /// The addresses of the strided loads.
    addresses: Vec<Value<'ctx>>,
    /// How many iterations are left, in 32 bits.
    left: Value<'ctx>,
}

impl<'ctx> State<'ctx> {
    /// A phi for each, with one incoming block so far.
    fn merged(&self, at: &Builder<'ctx>, from: Block<'ctx>) -> State<'ctx> {
        let phi = |value: &Value<'ctx>| {
            let phi = at.phi(value.ty());
            phi.add_incoming(*value, from);
            phi
        };
        State {
            phis: self.phis.iter().map(phi).collect(),
            addresses: self.addresses.iter().map(phi).collect(),
            left: phi(&self.left),
        }
    }

    fn add_incoming(&self, other: &State<'ctx>, from: Block<'ctx>) {
        let (all, others) = (self.phis.iter(), other.phis.iter());
        for (phi, value) in all
            .zip(others)
            .chain(self.addresses.iter().zip(&other.addresses))
        {
            phi.add_incoming(*value, from);
        }
        self.left.add_incoming(other.left, from);
    }
}

/// The largest index of a gather that is in bounds, as wide as the source of the index.
struct Limit<'ctx> {
    last: Value<'ctx>,
    bits: u32,
}

/// What all batches share.
struct Shared<'ctx> {
    invariants: Invariants<'ctx>,
    limits: Vec<Limit<'ctx>>,
    steps: Vec<Value<'ctx>>,
    /// The preheader of the original loop.
    original: Block<'ctx>,
}

impl<'ctx> Shared<'ctx> {
    /// A value of the original loop, in an iteration with these copies.
    fn value(
        &mut self,
        of: Value<'ctx>,
        iteration: &HashMap<Value<'ctx>, Value<'ctx>>,
    ) -> Value<'ctx> {
        let known = iteration.get(&of).copied();
        known.unwrap_or_else(|| self.invariants.value(of))
    }
}

/// The values at the edges of a loop.
struct Boundary<'ctx> {
    exit: Block<'ctx>,
    /// The phis of its header.
    phis: Vec<Value<'ctx>>,
    /// Their values in the first iteration.
    first: Vec<Value<'ctx>>,
    /// Their values in the next iteration.
    next: Vec<Value<'ctx>>,
}

impl<'ctx> Boundary<'ctx> {
    fn of(found: &Loop<'ctx>) -> Option<Boundary<'ctx>> {
        let to = found.latch.successors();
        let exit = *to.iter().find(|b| **b != found.header)?;
        let phis = found.header.phis();
        let from = |block| phis.iter().map(move |phi| incoming(*phi, block));
        let first: Vec<_> = from(found.preheader).collect::<Option<_>>()?;
        let next: Vec<_> = from(found.latch).collect::<Option<_>>()?;
        // Values that are used behind the loop must be next values of phis, or loop-invariant.
        let is_known = |phi: &Value<'ctx>| {
            let last = incoming(*phi, found.latch);
            last.is_some_and(|v| next.contains(&v) || found.is_invariant(v))
        };
        let alone = found.preheader.successors().len() == 1;
        let in_order = alone && exit.phis().iter().all(is_known);
        in_order.then_some(Boundary {
            exit,
            phis,
            first,
            next,
        })
    }
}

impl<'ctx> Plan<'ctx> {
    /// Adds the batches; `None` if the blocks of the loop do not allow it, and then nothing has changed.
    pub(super) fn apply(&self, function: Value<'ctx>, found: &Loop<'ctx>) -> Option<()> {
        let Boundary {
            exit,
            phis,
            first,
            next,
        } = Boundary::of(found)?;
        let original = found.preheader;
        let guard = original.split_off_front(&Block::all(function));
        let mut invariants = Invariants {
            guard: Builder::at_end(guard),
            frozen: HashMap::default(),
        };
        let (fits, iterations) = self.fits(&mut invariants);
        let begin = State {
            phis: first.iter().map(|v| invariants.value(*v)).collect(),
            addresses: self.addresses(&mut invariants),
            left: iterations,
        };
        let limits = self.limits(&mut invariants);
        let mut steps = Vec::new();
        for strided in &self.strided {
            let step = strided.offset.step.mapped(&mut |v| invariants.value(v));
            steps.push(step.build(&invariants.guard, 64));
        }
        let mut shared = Shared {
            invariants,
            limits,
            steps,
            original,
        };
        // With what the original loop continues.
        let resumed: Vec<Value<'_>> = {
            let builder = Builder::before(original.terminator());
            phis.iter().map(|h| builder.phi(h.ty())).collect()
        };
        let resume = |state: &State<'ctx>, from| {
            for (phi, value) in resumed.iter().zip(&state.phis) {
                phi.add_incoming(*value, from);
            }
        };
        resume(&begin, guard);
        let mut starts: Vec<_> = self.groups.iter().map(|_| original.new_before()).collect();
        let rest = original.new_before();
        let entry = starts[0];
        starts.push(rest);
        let (mut state, mut from) = (begin, guard);
        for (size, ends) in self.groups.iter().zip(starts.windows(2)) {
            let (group, early) = self.group(
                &mut shared,
                *size,
                (from, &state),
                (ends[0], ends[1]),
                (&phis, &next),
            );
            resume(&group, early);
            (state, from) = (group, ends[0]);
        }
        for phi in exit.phis() {
            let last = incoming(phi, found.latch)?;
            let known = next.iter().position(|n| *n == last);
            phi.add_incoming(
                known.map_or_else(|| shared.invariants.value(last), |i| state.phis[i]),
                rest,
            );
        }
        resume(&state, rest);
        for (head, phi) in phis.iter().zip(&resumed) {
            let index = head.incoming().iter().position(|(_, b)| *b == original)?;
            head.set_operand(index as u32, *phi);
        }
        let end = Builder::at_end(rest);
        let none = end.compare(Compare::Eq, state.left, end.number(0, 32));
        end.cond_br(none, exit, original);
        shared.invariants.guard.cond_br(fits, entry, original);
        Some(())
    }

    /// The loop over batches of one size: first all indices, which are checked together, then everything else.
    /// Returns the state after a batch, and the block that branches to the original loop if an index is out of bounds.
    fn group(
        &self,
        shared: &mut Shared<'ctx>,
        size: usize,
        (before, state): (Block<'ctx>, &State<'ctx>),
        (head, next): (Block<'ctx>, Block<'ctx>),
        (phis, latched): (&[Value<'ctx>], &[Value<'ctx>]),
    ) -> (State<'ctx>, Block<'ctx>) {
        let (early, late) = (next.new_before(), next.new_before());
        let at = Builder::at_end(head);
        let merged = state.merged(&at, before);
        let count = at.number(size as u64, 32);
        let too_few = at.compare(Compare::Ult, merged.left, count);
        at.cond_br(too_few, next, early);

        let mut now = merged.clone();
        let mut iterations: Vec<HashMap<Value<'ctx>, Value<'ctx>>> = Vec::new();
        let mut worst: Vec<Option<Value<'ctx>>> = self.gathers.iter().map(|_| None).collect();
        let builder = Builder::at_end(early);
        for _ in 0..size {
            let mut values: HashMap<_, _> =
                phis.iter().copied().zip(now.phis.iter().copied()).collect();
            for instruction in self.instructions().filter(|i| !self.dependent.contains(i)) {
                let copy = self.copy(shared, &builder, instruction, &values);
                if let Some(strided) = self.strided.iter().position(|e| e.load == instruction) {
                    copy.set_operand(0, now.addresses[strided]);
                }
                values.insert(instruction, copy);
                for ((gather, limit), worst) in
                    self.gathers.iter().zip(&shared.limits).zip(&mut worst)
                {
                    if gather.index == instruction {
                        let index = gather.narrow.map_or(copy, |n| values[&n]);
                        let mut index = builder.freeze(index);
                        *worst = Some(worst.map_or(index, |w| builder.umax(w, index)));
                        if limit.bits == 32 {
                            index = builder.widened(index);
                        }
                        values.insert(instruction, index);
                    }
                }
            }
            for (address, step) in now.addresses.iter_mut().zip(&shared.steps) {
                *address = builder.byte_offset(*address, *step);
            }
            // Phis of what depends on gathered elements follow below.
            for (head, next) in now.phis.iter_mut().zip(latched) {
                if !self.dependent.contains(next) {
                    *head = shared.value(*next, &values);
                }
            }
            iterations.push(values);
        }
        let wrong = shared.limits.iter().zip(worst);
        let wrong = wrong.filter_map(|(l, w)| Some(builder.compare(Compare::Ugt, w?, l.last)));
        let wrong = wrong.reduce(|a, b| builder.or(a, b));
        builder.cond_br(
            wrong.unwrap_or(builder.boolean(true)),
            shared.original,
            late,
        );

        let builder = Builder::at_end(late);
        now.phis.clone_from(&merged.phis);
        for mut values in iterations {
            values.extend(phis.iter().copied().zip(now.phis.iter().copied()));
            for instruction in self.instructions().filter(|i| self.dependent.contains(i)) {
                let copy = self.copy(shared, &builder, instruction, &values);
                values.insert(instruction, copy);
            }
            for (head, next) in now.phis.iter_mut().zip(latched) {
                *head = shared.value(*next, &values);
            }
        }
        now.left = builder.sub(merged.left, count);
        merged.add_incoming(&now, late);
        builder.br(head);
        (merged, early)
    }

    /// The instructions of an iteration, in order.
    fn instructions(&self) -> impl Iterator<Item = Value<'ctx>> {
        self.path.iter().flat_map(|block| {
            let last = block.terminator();
            let is_void = |i: &Value<'ctx>| i.ty().kind() == TypeKind::Void;
            let all = block.instructions().into_iter();
            all.filter(move |i| *i != last && i.op() != Op::Phi && !is_void(i))
        })
    }

    fn copy(
        &self,
        shared: &mut Shared<'ctx>,
        builder: &Builder<'ctx>,
        instruction: Value<'ctx>,
        values: &HashMap<Value<'ctx>, Value<'ctx>>,
    ) -> Value<'ctx> {
        let copy = builder.copy(instruction, |o| shared.value(o, values));
        copy.drop_poison_flags();
        if instruction.op() == Op::Load {
            copy.remove_metadata(&["noundef", "nonnull", "range", "dereferenceable"]);
        }
        copy
    }

    /// Whether everything that the batches read unconditionally is in bounds, and the number of iterations.
    fn fits(&self, invariants: &mut Invariants<'ctx>) -> (Value<'ctx>, Value<'ctx>) {
        let trip_count = self.trip_count.mapped(&mut |v| invariants.value(v));
        let limits = trip_count.limits(&invariants.guard, false);
        let mut all = limits.valid.clone();
        for strided in &self.strided {
            let offset = strided.offset.mapped(&mut |v| invariants.value(v));
            let len = invariants.value(strided.slice.len);
            let guard = &invariants.guard;
            let number = |n| guard.number(n, 64);
            let last = limits.last(&offset, guard, &mut all);
            let last = guard.add(last, number(strided.bytes - 1));
            let end = guard.mul(len, number(strided.slice.size));
            all.push(guard.compare(Compare::Ult, last, end));
            for narrow in &offset.narrow {
                let last = limits.last(&narrow.clone().widened(), guard, &mut all);
                all.push(guard.compare(Compare::Ult, last, number(narrow.top())));
            }
            // As aligned as in the original loop.
            for part in [&offset.start, &offset.step] {
                let rest = guard.and(part.build(guard, 64), number(strided.bytes - 1));
                all.push(guard.compare(Compare::Eq, rest, number(0)));
            }
        }
        for gather in &self.gathers {
            let len = invariants.value(gather.len);
            let none = invariants.guard.number(0, 64);
            all.push(invariants.guard.compare(Compare::Ne, len, none));
        }
        let iterations = limits.iterations(&invariants.guard);
        let all = all.into_iter().reduce(|a, b| invariants.guard.and(a, b));
        let all = all.map_or(invariants.guard.boolean(false), |all| {
            invariants.guard.freeze(all)
        });
        (all, iterations)
    }

    fn limits(&self, invariants: &mut Invariants<'ctx>) -> Vec<Limit<'ctx>> {
        let mut limits = Vec::new();
        for gather in &self.gathers {
            let bits = if gather.narrow.is_some() { 32 } else { 64 };
            let len = invariants.value(gather.len);
            let before = &invariants.guard;
            let mut last = before.sub(len, before.number(1, 64));
            if bits == 32 {
                last = before.trunc32(before.umin(last, before.number(u64::from(u32::MAX), 64)));
            }
            limits.push(Limit { last, bits });
        }
        limits
    }

    /// The first addresses of the strided loads.
    fn addresses(&self, invariants: &mut Invariants<'ctx>) -> Vec<Value<'ctx>> {
        let mut addresses = Vec::new();
        for strided in &self.strided {
            let start = strided.offset.start.mapped(&mut |v| invariants.value(v));
            let base = invariants.value(strided.slice.pointer);
            let start = start.build(&invariants.guard, 64);
            addresses.push(invariants.guard.byte_offset(base, start));
        }
        addresses
    }
}

/// The value of a phi on the edge from `block`.
fn incoming<'ctx>(phi: Value<'ctx>, block: Block<'ctx>) -> Option<Value<'ctx>> {
    let mut all = phi.incoming().into_iter();
    all.find(|(_, b)| *b == block).map(|(v, _)| v)
}
