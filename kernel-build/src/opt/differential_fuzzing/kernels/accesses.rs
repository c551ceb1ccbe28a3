//! Accesses of memory in generated kernels.

use super::{
    Binary, Copy, Definition, ELEMENTS, FloatOp, Generator, Kernel, Ordered, Terminator,
    Trigonometric, ValueId,
};

impl Kernel {
    pub(super) fn initialise_locals(&mut self) {
        let g = &mut self.generator;
        let locals = g.function.locals.clone();
        for (n, (bits, count)) in locals.into_iter().enumerate() {
            for index in 0..count {
                let index = g.constant(64, index as u128);
                let value = g.any_value(bits);
                g.effect(Definition::Store(n + 2, index, value));
            }
        }
    }

    /// A loop over a local array in the form of `for x in array`: each iteration tests twice whether there is another element.
    pub(super) fn array_loop(&mut self, depth: usize) {
        let g = &mut self.generator;
        let Some((bits, count)) = g.function.locals.first().copied() else {
            return self.counted_loop(depth);
        };
        let [zero, one, count] = [0, 1, count as u128].map(|n| g.constant(64, n));
        let nothing = g.constant(bits, 0);
        let first = g.any_value(64);
        let before = g.here();
        let header = g.begin();
        let index = g.define(64, Definition::Phi(vec![]));
        let sum = g.define(64, Definition::Phi(vec![]));
        let scope = g.scope.clone();
        let end = g.compare("eq", index, count);
        let some = g.begin();
        let element = g.define(bits, Definition::Load(2, vec![index]));
        let grown = g.binary_with(Binary::Add, 0, index, one);
        g.end(Terminator::Br(some + 1));
        g.scope.clone_from(&scope);
        let found = g.begin();
        g.define(
            bits,
            Definition::Phi(vec![(header, nothing), (some, element)]),
        );
        let next = g.define(64, Definition::Phi(vec![(header, count), (some, grown)]));
        let body = g.begin();
        self.statements(depth + 1);
        let g = &mut self.generator;
        let added = g.any_value(64);
        let latch = g.here();
        g.end(Terminator::Br(header));
        let done = g.begin();
        g.scope = scope;
        g.function.blocks[before].end = Terminator::Br(header);
        g.function.blocks[header].end = Terminator::CondBr(end, found, some);
        g.function.blocks[found].end = Terminator::CondBr(end, done, body);
        let mut set = |phi: ValueId, first, next| {
            g.function.values[phi].definition =
                Definition::Phi(vec![(before, first), (latch, next)]);
        };
        set(index, zero, next);
        set(sum, first, added);
    }

    /// A 64-bit index: of a loop's counter, or any value, small in most cases.
    pub(super) fn index(&mut self) -> ValueId {
        let g = &mut self.generator;
        if let Some(counter) = self
            .counters
            .last()
            .copied()
            .filter(|_| g.random.chance(70))
        {
            let offset = g.random.below(9) as u128;
            let offset = g.constant(64, offset);
            return match g.random.below(3) {
                0 => counter,
                1 => g.binary_with(Binary::Add, 0, counter, offset),
                _ => g.binary_with(Binary::Mul, 0, counter, offset),
            };
        }
        let value = g.any_value(64);
        if g.random.chance(5) {
            return value;
        }
        self.masked(value, ELEMENTS)
    }

    /// An index below a power of two.
    fn masked(&mut self, value: ValueId, count: usize) -> ValueId {
        let mask = self.generator.constant(64, count as u128 - 1);
        self.generator.binary_with(Binary::And, 0, value, mask)
    }

    /// A bounds check with a panic, and a load or store behind it; sometimes several.
    pub(super) fn checked_load(&mut self) {
        for _ in 0..self.generator.random.pick(&[1, 1, 2, 5]) {
            let (array, index) = (self.generator.random.below(2), self.index());
            let g = &mut self.generator;
            let fits = g.compare("ult", index, self.lengths[array]);
            // A bounds check is not a condition of other branches.
            g.scope.pop();
            let here = g.here();
            let panics = g.begin();
            g.end(Terminator::Panic(index));
            let next = g.begin();
            g.function.blocks[here].end = Terminator::CondBr(fits, next, panics);
            let bits = g.function.elements[array];
            if g.random.chance(80) {
                g.define(bits, Definition::Load(array, vec![index]));
            } else {
                let value = g.any_value(bits);
                g.effect(Definition::Store(array, index, value));
            }
        }
    }

    /// A load and a store at masked indices, which may alias.
    pub(super) fn store(&mut self) {
        let arrays = 2 + self.generator.function.locals.len();
        for stores in [true, false] {
            let g = &mut self.generator;
            let (array, value) = (g.random.below(arrays), g.any_value(64));
            let bits = g.function.element_bits(array);
            let local = array.checked_sub(2).map(|n| g.function.locals[n].1);
            let index = self.masked(value, local.unwrap_or(ELEMENTS / 2));
            let g = &mut self.generator;
            if stores {
                let value = g.any_value(bits);
                g.effect(Definition::Store(array, index, value));
            } else {
                g.define(bits, Definition::Load(array, vec![index]));
            }
        }
    }

    pub(super) fn ordered(&mut self) {
        let g = &mut self.generator;
        let (array, value) = (g.random.below(2), g.any_value(64));
        let bits = g.function.elements[array];
        let index = self.masked(value, ELEMENTS / 2);
        let g = &mut self.generator;
        let value = g.any_value(bits);
        let all = [
            Ordered::VolatileLoad,
            Ordered::VolatileStore,
            Ordered::AtomicAdd,
        ];
        let op = g.random.pick(&all);
        let definition = Definition::Ordered(op, array, index, value);
        if op == Ordered::VolatileStore {
            g.effect(definition);
        } else {
            g.define(bits, definition);
        }
    }

    pub(super) fn float(&mut self) {
        let g = &mut self.generator;
        let all = [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div];
        let (op, bits) = (g.random.pick(&all), g.random.pick(&[32, 64]));
        let (a, b) = (g.any_value(bits), g.any_value(bits));
        g.define(bits, Definition::Float(op, a, b));
    }

    /// Sines and cosines of one angle.
    pub(super) fn trigonometric(&mut self) {
        let g = &mut self.generator;
        let angle = g.any_value(32);
        let call = |g: &mut Generator| g.random.pick(&[Trigonometric::Sin, Trigonometric::Cos]);
        let calls = (0..1 + g.random.below(4)).map(|_| call(g)).collect();
        g.define(32, Definition::Trigonometric(calls, angle));
    }

    /// A copy between array parameters, or within one.
    pub(super) fn copy(&mut self) {
        let g = &mut self.generator;
        let align = g.random.pick(&[1, 2, 4, 8, 16]);
        let mut offset = || {
            let offset = g.random.below(ELEMENTS / 2 + 1);
            offset / align * align
        };
        let offsets = [offset(), offset()];
        let bytes = g.random.pick(&[1, 2, 4, 8, 12, 16]);
        let (to, from) = (g.random.below(2), g.random.below(2));
        let may_overlap = to == from || g.random.chance(50);
        let fits = |array: usize, offset| {
            offset + bytes <= ELEMENTS * g.function.elements[array] as usize / 8
        };
        if fits(to, offsets[0]) && fits(from, offsets[1]) {
            g.effect(Definition::Copy(Copy {
                to: (to, offsets[0]),
                from: (from, offsets[1]),
                bytes,
                align,
                may_overlap,
            }));
        }
    }
}
