//! Loops that clear the lowest bit of a number until none is left, and loops that nearly do so.

use super::{Binary, Definition, Function, Kernel, Terminator, ValueId};

/// Generates a function that begins with such a loop.
pub(in super::super) fn with_bit_loop(seed: u64) -> Function {
    let mut kernel = Kernel::new(seed, 0);
    kernel.budget = 6;
    kernel.bit_loop();
    kernel.finish()
}

impl Kernel {
    fn bit_loop(&mut self) {
        let g = &mut self.generator;
        let [bits, wide] = [0, 1].map(|_| g.random.pick(&[32, 64]));
        let (number, first) = (g.any_value(bits), g.any_value(wide));
        let step = if g.random.chance(60) {
            g.constant(wide, 1)
        } else {
            g.any_value(wide)
        };
        let (lowest, zero) = (g.constant(bits, u128::MAX), g.constant(bits, 0));
        let before = g.here();
        let mut skipped = None;
        if g.random.chance(50) {
            skipped = Some(g.compare("eq", number, zero));
        }

        let header = g.begin();
        let scope = g.scope.clone();
        let x = g.define(bits, Definition::Phi(vec![]));
        let sum = g.define(wide, Definition::Phi(vec![]));
        let less = g.binary_with(Binary::Add, 0, x, lowest);
        let how = g
            .random
            .pick(&[Binary::And, Binary::And, Binary::And, Binary::LShr]);
        let left = if how == Binary::And {
            let (a, b) = if g.random.chance(50) {
                (less, x)
            } else {
                (x, less)
            };
            g.binary_with(how, 0, a, b)
        } else {
            // Another loop that ends.
            let one = g.constant(bits, 1);
            g.binary_with(how, 0, x, one)
        };
        let grown = g.binary(Binary::Add, sum, step);
        let some = g.random.chance(50);
        let more = g.compare(if some { "ne" } else { "eq" }, left, zero);
        // The last values, and seldom one that the loop keeps to itself.
        let used = g
            .random
            .pick(&[x, less, left, left, left, left, left, left]);
        let end = g.begin();
        g.scope = scope;
        let (x_end, sum_end) = if let Some(skipped) = skipped {
            g.function.blocks[before].end = Terminator::CondBr(skipped, end, header);
            let joined = Definition::Phi(vec![(before, number), (header, used)]);
            let x_end = g.define(bits, joined);
            (
                x_end,
                g.define(
                    wide,
                    Definition::Phi(vec![(before, first), (header, grown)]),
                ),
            )
        } else {
            g.function.blocks[before].end = Terminator::Br(header);
            (used, grown)
        };
        g.scope.extend([x_end, sum_end]);
        let arms = if some { (header, end) } else { (end, header) };
        g.function.blocks[header].end = Terminator::CondBr(more, arms.0, arms.1);
        let mut set = |phi: ValueId, first, next| {
            g.function.values[phi].definition =
                Definition::Phi(vec![(before, first), (header, next)]);
        };
        set(x, number, left);
        set(sum, first, grown);
    }
}
