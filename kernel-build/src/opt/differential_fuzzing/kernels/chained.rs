//! Loops over chained iterators, whose next index is made of minima and maxima, and loops that nearly are.

use super::{Binary, Definition, ELEMENTS, Function, Generator, Kernel, Terminator, ValueId};

/// Generates a function that begins with such a loop.
pub(in super::super) fn with_chained_iterator(seed: u64) -> Function {
    let mut kernel = Kernel::new(seed, 0);
    kernel.budget = 4;
    kernel.chained_iterator();
    kernel.finish()
}

impl Kernel {
    fn chained_iterator(&mut self) {
        let len = self.end();
        let g = &mut self.generator;
        let step = g.random.pick(&[0, 1, 3, 3, 7, 6]);
        let first = start(g, len);
        let before = g.here();
        let header = g.begin();
        let counter = g.define(64, Definition::Phi(vec![]));
        let sum = g.define(64, Definition::Phi(vec![]));
        let scope = g.scope.clone();
        let (index, goes_on) = next_index(g, counter, len, step);
        let one = g.constant(64, 1);
        let next = g.binary_with(Binary::Add, 0, index, one);
        let end = g.here();
        let body = g.begin();
        let mask = g.constant(64, ELEMENTS as u128 - 1);
        let place = g.binary_with(Binary::And, 0, index, mask);
        let element = g.define(g.function.elements[0], Definition::Load(0, vec![place]));
        let element = g.cast(element, 64);
        let grown = g.binary_with(Binary::Add, 0, sum, element);
        let grown = g.binary_with(Binary::Xor, 0, grown, index);
        g.end(Terminator::Br(header));
        let exit = g.begin();
        g.scope = scope;
        let mut set = |block: usize, end| g.function.blocks[block].end = end;
        set(before, Terminator::Br(header));
        set(
            end,
            match goes_on {
                (condition, true) => Terminator::CondBr(condition, body, exit),
                (condition, false) => Terminator::CondBr(condition, exit, body),
            },
        );
        let seven = g.constant(64, 7);
        for (phi, first, next) in [(counter, first, next), (sum, seven, grown)] {
            g.function.values[phi].definition =
                Definition::Phi(vec![(before, first), (body, next)]);
        }
        // It must be known before the loop.
        move_to_entry(g, seven);
    }

    /// The length of a slice, below 64, or any number.
    fn end(&mut self) -> ValueId {
        let g = &mut self.generator;
        match g.random.below(5) {
            0 => self.lengths[0],
            1 => g.any_value(64),
            _ => {
                let (value, mask) = (g.any_value(64), g.constant(64, 63));
                g.binary_with(Binary::And, 0, value, mask)
            }
        }
    }
}

/// Puts a constant, which is the latest definition, into the entry block.
fn move_to_entry(g: &mut Generator, constant: ValueId) {
    let here = g.here();
    g.function.blocks[here].values.retain(|v| *v != constant);
    g.function.blocks[0].values.insert(0, constant);
}

/// The first index: at most the length in most functions.
fn start(g: &mut Generator, len: ValueId) -> ValueId {
    let (value, mask) = (g.any_value(64), g.constant(64, 15));
    let small = g.binary_with(Binary::And, 0, value, mask);
    match g.random.below(6) {
        0 => small,
        1 => {
            let zero = g.constant(64, 0);
            let some = g.compare("ne", len, zero);
            g.zext_to(some, 64)
        }
        2 => {
            let one = g.constant(64, 1);
            let next = g.binary_with(Binary::Add, 0, small, one);
            let fits = g.compare("ult", small, len);
            g.define(64, Definition::Select(fits, next, len))
        }
        3 => g.constant(64, 0),
        4 => {
            let one = g.constant(64, 1);
            g.binary_with(Binary::Add, 0, len, one)
        }
        _ => g.binary_with(Binary::UMin, 0, small, len),
    }
}

/// An index that is `step` ahead of the counter if so much is left, and the condition that it is, with its value where the loop goes on.
fn next_index(
    g: &mut Generator,
    counter: ValueId,
    len: ValueId,
    step: u128,
) -> (ValueId, (ValueId, bool)) {
    let by = g.constant(64, step);
    let left = match g.random.pick(&[Binary::Sub, Binary::Sub, Binary::USubSat]) {
        Binary::Sub => g.binary(Binary::Sub, len, counter),
        how => g.binary_with(how, 0, len, counter),
    };
    let taken = g.binary_with(Binary::UMin, 0, left, by);
    let moved = g.binary(Binary::Add, taken, counter);
    let moved = match g.random.below(4) {
        0 => moved,
        _ => g.binary_with(Binary::UMax, 0, counter, moved),
    };
    let moved = match g.random.below(2) {
        0 => moved,
        _ => g.define(64, Definition::Freeze(moved)),
    };
    let how = if g.random.chance(50) {
        Binary::Xor
    } else {
        Binary::Sub
    };
    let rest = match how {
        Binary::Xor => g.binary_with(Binary::Xor, 0, taken, by),
        _ => g.binary_with(Binary::Sub, 0, by, taken),
    };
    let left = g.binary_with(Binary::USubSat, 0, len, moved);
    let more = g.binary_with(Binary::UMin, 0, left, rest);
    let index = g.binary_with(Binary::Add, 0, moved, more);
    let goes_on = match g.random.below(6) {
        0 => (g.compare("ule", left, rest), false),
        1 => (g.compare("ult", rest, left), true),
        2 => (g.compare("uge", left, rest), true),
        3 => (g.compare("ne", left, more), true),
        _ => (g.compare("ugt", left, rest), true),
    };
    (index, goes_on)
}
