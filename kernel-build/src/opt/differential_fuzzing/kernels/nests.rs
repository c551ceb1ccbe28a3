//! Nests of loops whose indices are bounded by the ends of the loops, or clamped.

use super::super::function::Cast;
use super::{Binary, Definition, Function, Kernel, Terminator, ValueId};

/// Generates a function with such nests, without convergent calls.
pub(in super::super) fn with_nest(seed: u64) -> Function {
    let mut kernel = Kernel::new(seed, 0);
    kernel.budget = 0;
    if kernel.generator.random.chance(30) {
        kernel.early_return();
    }
    for _ in 0..kernel.generator.random.pick(&[1, 1, 2]) {
        kernel.nest();
        if kernel.generator.random.chance(40) {
            kernel.store();
        }
    }
    let results = kernel.generator.results();
    kernel.generator.end(Terminator::Ret(results));
    kernel.generator.function
}

impl Kernel {
    fn nest(&mut self) {
        let (rows, columns) = (self.few(), self.few());
        let (width, from) = (self.few(), self.few());
        let depth = self.generator.random.pick(&[1, 2, 2, 2, 3]);
        self.nested(depth, [rows, columns], [width, from]);
    }

    /// A number below 4 or 8: a constant, or from a parameter.
    fn few(&mut self) -> ValueId {
        let g = &mut self.generator;
        let mask = g.random.pick(&[3, 3, 7]);
        if g.random.chance(25) {
            let number = g.random.below(mask + 1) as u128;
            return g.constant(64, number);
        }
        let (value, mask) = (g.any_value(64), g.constant(64, mask as u128));
        g.binary_with(Binary::And, 0, value, mask)
    }

    fn nested(&mut self, depth: usize, trips: [ValueId; 2], numbers: [ValueId; 2]) {
        let body = |kernel: &mut Kernel| {
            if depth > 1 {
                kernel.nested(depth - 1, trips, numbers);
            }
            if depth == 1 || kernel.generator.random.chance(40) {
                kernel.access_of_nest(numbers);
            }
        };
        if self.generator.random.chance(20) {
            self.in_steps(numbers[1], body);
        } else {
            self.in_loop(trips[depth % 2], |kernel| {
                body(kernel);
                vec![]
            });
        }
    }

    /// A loop that counts how many iterations are left, as `step_by` does; its index grows by more than one.
    fn in_steps(&mut self, first: ValueId, body: impl FnOnce(&mut Self)) {
        let g = &mut self.generator;
        let (value, mask, one) = (g.any_value(64), g.constant(64, 3), g.constant(64, 1));
        let below_four = g.binary_with(Binary::And, 0, value, mask);
        let trips = g.binary_with(Binary::Add, 0, below_four, one);
        let step = g.random.pick(&[1, 2, 5]);
        let (step, down) = (g.constant(64, step), g.constant(64, u64::MAX.into()));
        let before = g.here();
        let header = g.begin();
        let counter = g.define(64, Definition::Phi(vec![]));
        let left = g.define(64, Definition::Phi(vec![]));
        let scope = g.scope.clone();
        self.counters.push(counter);
        body(self);
        self.counters.pop();
        let g = &mut self.generator;
        let grown = g.binary_with(Binary::Add, 0, counter, step);
        let less = g.binary_with(Binary::Add, 0, left, down);
        let zero = g.constant(64, 0);
        let is_over = g.compare("eq", less, zero);
        let latch = g.here();
        let exit = g.begin();
        g.function.blocks[before].end = Terminator::Br(header);
        g.function.blocks[latch].end = Terminator::CondBr(is_over, exit, header);
        for (phi, first, next) in [(counter, first, grown), (left, trips, less)] {
            g.function.values[phi].definition =
                Definition::Phi(vec![(before, first), (latch, next)]);
        }
        g.scope = scope;
    }

    /// A checked load, or store, at an index of the counters.
    fn access_of_nest(&mut self, [width, from]: [ValueId; 2]) {
        let array = self.generator.random.below(2);
        let index = self.index_of_nest(width, from);
        let g = &mut self.generator;
        let length = self.lengths[array];
        let fits = match g.random.below(4) {
            0 => g.compare("ugt", length, index),
            1 => g.compare("uge", index, length),
            _ => g.compare("ult", index, length),
        };
        let plain = !matches!(
            g.function.values[fits].definition,
            Definition::Compare(5, ..)
        );
        g.scope.pop();
        let here = g.here();
        let panics = g.begin();
        g.end(Terminator::Panic(index));
        let next = g.begin();
        g.function.blocks[here].end = match plain {
            true => Terminator::CondBr(fits, next, panics),
            false => Terminator::CondBr(fits, panics, next),
        };
        let bits = g.function.elements[array];
        if g.random.chance(75) {
            g.define(bits, Definition::Load(array, vec![index]));
        } else {
            let value = g.any_value(bits);
            g.effect(Definition::Store(array, index, value));
        }
    }

    fn index_of_nest(&mut self, width: ValueId, from: ValueId) -> ValueId {
        let outer = self.counters.first().copied().unwrap_or(from);
        let inner = self.counters.last().copied().unwrap_or(from);
        let bits = self.generator.random.pick(&[64, 64, 32]);
        let [outer, inner, width, from] =
            [outer, inner, width, from].map(|v| self.generator.cast(v, bits));
        let (row, column) = (self.clamped(outer, from), self.clamped(inner, width));
        let g = &mut self.generator;
        let scaled = match g.random.below(4) {
            0 => {
                let two = g.constant(bits, 2);
                g.binary(Binary::Shl, row, two)
            }
            1 => row,
            _ => g.binary(Binary::Mul, row, width),
        };
        let index = g.binary(Binary::Add, scaled, column);
        let index = match g.random.below(5) {
            0 => {
                let by = g.constant(bits, 2);
                g.binary(Binary::Sub, index, by)
            }
            1 => g.binary(Binary::Add, index, from),
            2 => {
                let by = g.constant(bits, 13);
                g.binary_with(Binary::URem, 0, index, by)
            }
            _ => index,
        };
        if bits == 64 {
            return index;
        }
        let how = g.random.pick(&[Cast::ZExt, Cast::SExt]);
        g.define(64, Definition::Cast(how, 0, index))
    }

    /// A number, or a limited one that is a few more or less.
    fn clamped(&mut self, number: ValueId, limit: ValueId) -> ValueId {
        let g = &mut self.generator;
        let bits = g.bits(number);
        let by = g.random.pick(&[1, 2, u128::MAX]);
        let by = g.constant(bits, by);
        match g.random.below(8) {
            0 => {
                let less = g.binary_with(Binary::USubSat, 0, number, by);
                g.binary_with(Binary::UMin, 0, less, limit)
            }
            1 => {
                let (zero, moved) = (g.constant(bits, 0), g.binary(Binary::Sub, number, by));
                let most = g.binary_with(Binary::SMin, 0, moved, limit);
                g.binary_with(Binary::SMax, 0, most, zero)
            }
            2 => {
                let mask = g.constant(bits, 7);
                g.binary_with(Binary::And, 0, number, mask)
            }
            3 => {
                let more = g.compare("ult", number, limit);
                let step = g.zext_to(more, bits);
                g.binary(Binary::Add, number, step)
            }
            4 => {
                let three = g.constant(bits, 3);
                g.binary_with(Binary::UDiv, 0, number, three)
            }
            _ => number,
        }
    }
}
