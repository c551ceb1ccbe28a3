//! Loops with two exits that only count, and loops that nearly do so.

use super::{Binary, BlockId, Definition, Function, Generator, Kernel, Terminator, ValueId};

/// Generates a function that begins with such a loop.
pub(in super::super) fn with_counting_loop(seed: u64) -> Function {
    let mut kernel = Kernel::new(seed, 0);
    kernel.budget = 6;
    kernel.counting_loop();
    kernel.finish()
}

/// A number of the loop: what is left, which ends it after a few iterations, an index, and some sum.
struct Counter {
    bits: u32,
    first: ValueId,
    phi: ValueId,
    step: u128,
    next: Option<ValueId>,
}

/// A block that ends with a test.
struct Test {
    block: BlockId,
    condition: ValueId,
    stays_if_true: bool,
}

impl Kernel {
    fn counting_loop(&mut self) {
        // Where the number after the step is compared, it is not zero before.
        let compares_next = self.generator.random.chance(40);
        let (firsts, end) = self.first_values(compares_next);
        let g = &mut self.generator;
        let before = g.here();
        let header = g.begin();
        let scope = g.scope.clone();
        let step = g.random.pick(&[1, 1, 3, u128::MAX]);
        let mut counters = [0, 1, 2].map(|n| Counter {
            bits: firsts[n].0,
            first: firsts[n].1,
            phi: g.define(firsts[n].0, Definition::Phi(vec![])),
            step: [u128::MAX, 1, step][n],
            next: None,
        });
        let left_is_first = g.random.chance(50);
        let first = test(g, &mut counters, end, [left_is_first, compares_next], false);
        g.begin();
        let second = test(g, &mut counters, end, [!left_is_first, compares_next], true);
        let latch = second.block;
        let exits = self.exits([&first, &second], &counters, scope);
        let g = &mut self.generator;
        g.function.blocks[before].end = Terminator::Br(header);
        for (test, inside, outside) in [(first, latch, exits[0]), (second, header, exits[1])] {
            let arms = match test.stays_if_true {
                true => (inside, outside),
                false => (outside, inside),
            };
            g.function.blocks[test.block].end = Terminator::CondBr(test.condition, arms.0, arms.1);
        }
        for counter in counters {
            let next = counter.next.unwrap_or(counter.phi);
            g.function.values[counter.phi].definition =
                Definition::Phi(vec![(before, counter.first), (latch, next)]);
        }
    }

    /// The width and the first value of each counter, and the end of the index.
    fn first_values(&mut self, compares_next: bool) -> ([(u32, ValueId); 3], ValueId) {
        let g = &mut self.generator;
        let [width, bits, other] = [0, 1, 2].map(|_| g.random.pick(&[32, 64]));
        let mut left = small(g, width, 7);
        if compares_next {
            let one = g.constant(width, 1);
            left = g.binary_with(Binary::Add, 0, left, one);
        }
        let (index, end) = match g.random.below(3) {
            0 => (g.any_value(bits), g.any_value(bits)),
            _ => (small(g, bits, 3), small(g, bits, 7)),
        };
        let sum = g.any_value(other);
        ([(width, left), (bits, index), (other, sum)], end)
    }

    /// Where the tests leave the loop; of each counter the value before its step or after it is used there, and which test it was.
    fn exits(
        &mut self,
        tests: [&Test; 2],
        counters: &[Counter; 3],
        scope: Vec<ValueId>,
    ) -> [BlockId; 2] {
        let g = &mut self.generator;
        let known = tests.map(|test| {
            let in_header = test.block == tests[0].block;
            counters.each_ref().map(|counter| {
                let own = &g.function.blocks[test.block].values;
                let next = counter.next.filter(|v| !in_header || own.contains(v));
                next.filter(|_| g.random.chance(50)).unwrap_or(counter.phi)
            })
        });
        let apart = g.random.chance(50).then(|| [g.begin(), g.begin()]);
        let joined = g.begin();
        let from = apart.unwrap_or(tests.map(|test| test.block));
        g.scope = scope;
        for (n, counter) in counters.iter().enumerate() {
            let incoming = vec![(from[0], known[0][n]), (from[1], known[1][n])];
            g.define(counter.bits, Definition::Phi(incoming));
        }
        let [no, yes] = [0, 1].map(|flag| g.constant(1, flag));
        g.define(1, Definition::Phi(vec![(from[0], yes), (from[1], no)]));
        for exit in apart.into_iter().flatten() {
            g.function.blocks[exit].end = Terminator::Br(joined);
        }
        apart.unwrap_or([joined; 2])
    }
}

fn small(g: &mut Generator, bits: u32, mask: u128) -> ValueId {
    let (value, mask) = (g.any_value(bits), g.constant(bits, mask));
    g.binary_with(Binary::And, 0, value, mask)
}

/// Steps, and a test of what is left or of the index, in the current block.
fn test(
    g: &mut Generator,
    counters: &mut [Counter; 3],
    end: ValueId,
    [is_left, compares_next]: [bool; 2],
    is_last: bool,
) -> Test {
    for (n, counter) in counters.iter_mut().enumerate() {
        let needed = is_last || n == 0 && is_left && compares_next;
        if counter.next.is_none() && (needed || g.random.chance(40)) {
            let step = g.constant(counter.bits, counter.step);
            counter.next = Some(g.binary_with(Binary::Add, 0, counter.phi, step));
        }
    }
    let [left, index, _] = &*counters;
    let (condition, word) = if is_left {
        let counted = left.next.filter(|_| compares_next).unwrap_or(left.phi);
        let zero = g.constant(left.bits, 0);
        let word = g.random.pick(&["eq", "ne"]);
        (g.compare(word, counted, zero), word)
    } else {
        let next = index.next.filter(|_| g.random.chance(50));
        let counted = next.unwrap_or(index.phi);
        match g
            .random
            .pick(&["ult", "uge", "eq", "ne", "ule", "ugt", "swapped"])
        {
            "swapped" => (g.compare("ugt", end, counted), "ult"),
            word => (g.compare(word, counted, end), word),
        }
    };
    Test {
        block: g.here(),
        condition,
        stays_if_true: matches!(word, "ult" | "ule" | "ne"),
    }
}
