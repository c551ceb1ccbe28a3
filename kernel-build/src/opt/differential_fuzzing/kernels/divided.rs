//! Divisions of numbers that parameters and the launch determine, before checks and stores.

use super::{Binary, Definition, Function, Kernel, Terminator, ValueId};

/// Generates a function that divides such numbers and uses the results as indices, without convergent calls.
pub(in super::super) fn with_division(seed: u64) -> Function {
    let mut kernel = Kernel::new(seed, 0);
    if kernel.generator.random.chance(30) {
        kernel.early_return();
    }
    let mut dividend = kernel.number();
    for _ in 0..kernel.generator.random.pick(&[1, 2, 3]) {
        let [quotient, remainder] = kernel.division(dividend);
        let other = kernel.number();
        dividend = kernel
            .generator
            .random
            .pick(&[quotient, remainder, remainder, other]);
        kernel.uses();
    }
    kernel.uses();
    let results = kernel.generator.results();
    kernel.generator.end(Terminator::Ret(results));
    kernel.generator.function
}

impl Kernel {
    /// A number of 64 bits: a parameter, an index of the launch, or arithmetic of two.
    fn number(&mut self) -> ValueId {
        let g = &mut self.generator;
        let mut one = || {
            let n = g.random.below(4);
            match g.random.below(3) {
                0 => {
                    let index = g.define(32, Definition::Register(n % 3));
                    g.zext_to(index, 64)
                }
                _ => g.define(64, Definition::Parameter(n)),
            }
        };
        let (a, b) = (one(), one());
        match g.random.below(3) {
            0 => a,
            1 => g.binary(Binary::Add, a, b),
            _ => g.binary(Binary::Mul, a, b),
        }
    }

    /// A quotient and a remainder in one of the forms that they have.
    fn division(&mut self, dividend: ValueId) -> [ValueId; 2] {
        let divisor = if self.generator.random.chance(30) {
            let n = self.generator.random.pick(&[3, 7, 33, 100]);
            self.generator.constant(64, n)
        } else {
            let (number, g) = (self.number(), &mut self.generator);
            let one = g.constant(64, 1);
            g.binary_with(Binary::Or, 0, number, one)
        };
        let g = &mut self.generator;
        let dividend = if g.random.chance(30) {
            g.define(64, Definition::Freeze(dividend))
        } else {
            dividend
        };
        let quotient = g.binary_with(Binary::UDiv, 0, dividend, divisor);
        let remainder = if g.random.chance(60) {
            let product = g.binary_with(Binary::Mul, 0, quotient, divisor);
            g.binary_with(Binary::Sub, 0, dividend, product)
        } else {
            g.binary_with(Binary::URem, 0, dividend, divisor)
        };
        [quotient, remainder]
    }

    /// What uses the latest values.
    fn uses(&mut self) {
        for _ in 0..2 + self.generator.random.below(3) {
            match self.generator.random.below(6) {
                0 => self.branch(3),
                1 => self.store(),
                2 => _ = self.generator.step(),
                _ => self.checked_load(),
            }
        }
    }
}
