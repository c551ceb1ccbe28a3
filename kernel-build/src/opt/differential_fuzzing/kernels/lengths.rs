//! Loops whose number of iterations is the smaller of a constant and a length, as they are written and as LLVM unrolls them.

use super::{Binary, BlockId, Definition, Function, Kernel, Terminator, ValueId};

/// Generates a function with such loops, without convergent calls.
pub(in super::super) fn with_lengths(seed: u64) -> Function {
    let mut kernel = Kernel::new(seed, 0);
    kernel.budget = 0;
    if kernel.generator.random.chance(30) {
        kernel.early_return();
    }
    for _ in 0..kernel.generator.random.pick(&[1, 2]) {
        if kernel.generator.random.chance(60) {
            kernel.loop_to_length();
        } else {
            kernel.loop_with_tests();
        }
        kernel.store();
    }
    let results = kernel.generator.results();
    kernel.generator.end(Terminator::Ret(results));
    kernel.generator.function
}

impl Kernel {
    /// `for k in 0..min(constant, length)`.
    fn loop_to_length(&mut self) {
        let g = &mut self.generator;
        let length = g.random.pick(&self.lengths);
        let number = g.random.pick(&[2, 3, 5, 17, 31, 32, 32]);
        let most = g.constant(64, number);
        let (a, b) = if g.random.chance(50) {
            (length, most)
        } else {
            (most, length)
        };
        let trips = g.binary_with(Binary::UMin, 0, a, b);
        // The length may be the constant itself.
        let tested = g.random.pick(&[1, number - 1, number, number]);
        self.in_loop(trips, |kernel| vec![kernel.load_unless(length, tested)]);
    }

    /// `for _ in 0..few`, with the ends of an unrolled loop in it.
    fn loop_with_tests(&mut self) {
        let g = &mut self.generator;
        let length = g.random.pick(&self.lengths);
        let (value, mask) = (g.any_value(64), g.constant(64, 3));
        let trips = g.binary_with(Binary::And, 0, value, mask);
        let first = g.random.pick(&[0, 1, 28]);
        self.in_loop(trips, |kernel| {
            let tests = (first..first + 3).map(|number| kernel.load_unless(length, number));
            tests.collect()
        });
    }

    /// A load behind a question whether the length is a number; returns the question, and the block that ends with it.
    fn load_unless(&mut self, length: ValueId, number: u128) -> (BlockId, ValueId) {
        let g = &mut self.generator;
        let number = g.constant(64, number);
        let test = g.compare("eq", length, number);
        let block = g.here();
        g.begin();
        self.checked_load();
        (block, test)
    }

    /// A loop with a sum; `body` returns blocks that go to its end if a value is true, and to the block behind them if not.
    pub(super) fn in_loop(
        &mut self,
        trips: ValueId,
        body: impl FnOnce(&mut Self) -> Vec<(BlockId, ValueId)>,
    ) {
        let g = &mut self.generator;
        let (zero, one, first) = (g.constant(64, 0), g.constant(64, 1), g.any_value(64));
        let before = g.here();
        let header = g.begin();
        let counter = g.define(64, Definition::Phi(vec![]));
        let sum = g.define(64, Definition::Phi(vec![]));
        let scope = g.scope.clone();
        let more = g.compare("ult", counter, trips);
        let start = g.begin();
        self.counters.push(counter);
        let leaves = body(self);
        self.counters.pop();
        let g = &mut self.generator;
        let last = g.any_value(64);
        let end = g.here();
        let latch = g.begin();
        let mut incoming = vec![(end, last)];
        incoming.extend(leaves.iter().map(|(block, _)| (*block, sum)));
        let kept = g.define(64, Definition::Phi(incoming));
        let grown = g.binary_with(Binary::Add, 0, counter, one);
        g.end(Terminator::Br(header));
        let exit = g.begin();
        let mut set = |block: BlockId, end| g.function.blocks[block].end = end;
        set(before, Terminator::Br(header));
        set(header, Terminator::CondBr(more, start, exit));
        set(end, Terminator::Br(latch));
        for (block, test) in leaves {
            set(block, Terminator::CondBr(test, latch, block + 1));
        }
        for (phi, first, next) in [(counter, zero, grown), (sum, first, kept)] {
            g.function.values[phi].definition =
                Definition::Phi(vec![(before, first), (latch, next)]);
        }
        g.scope = scope;
    }
}
