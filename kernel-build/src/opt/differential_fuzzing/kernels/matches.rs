//! Loops whose body is a `switch` with arms that mostly compute, and seldom do something else.

use super::{Binary, BlockId, Definition, Function, Kernel, Terminator, ValueId};

/// Generates a function that begins with such a loop.
pub(in super::super) fn with_match(seed: u64) -> Function {
    let mut kernel = Kernel::new(seed, 0);
    kernel.budget = 5;
    kernel.match_loop();
    kernel.finish()
}

impl Kernel {
    fn match_loop(&mut self) {
        let g = &mut self.generator;
        let widths = [0, 1].map(|_| g.random.pick(&[8, 32, 64]));
        let first = widths.map(|bits| g.any_value(bits));
        let (trips, zero, one) = (1 + g.random.below(4), g.constant(64, 0), g.constant(64, 1));
        let trips = g.constant(64, trips as u128);
        let before = g.here();
        let header = g.begin();
        g.function.blocks[before].end = Terminator::Br(header);
        let scope = g.scope.clone();
        let counter = g.define(64, Definition::Phi(vec![]));
        let carried = widths.map(|bits| g.define(bits, Definition::Phi(vec![])));
        for _ in 0..g.random.below(3) {
            g.step();
        }
        let last = self.match_of(widths, carried);
        let g = &mut self.generator;
        let latch = g.here();
        let grown = g.binary_with(Binary::Add, 0, counter, one);
        let more = g.compare("ult", grown, trips);
        let end = g.begin();
        g.function.blocks[latch].end = Terminator::CondBr(more, header, end);
        g.scope = scope;
        g.scope.extend(last);
        let mut set = |phi: ValueId, first, next| {
            g.function.values[phi].definition =
                Definition::Phi(vec![(before, first), (latch, next)]);
        };
        set(counter, zero, grown);
        set(carried[0], first[0], last[0]);
        set(carried[1], first[1], last[1]);
    }

    /// A `switch` whose ways come together with two values; some ways have no block of their own.
    fn match_of(&mut self, widths: [u32; 2], carried: [ValueId; 2]) -> [ValueId; 2] {
        let g = &mut self.generator;
        let bits = g.random.pick(&[8, 32, 64]);
        let (value, mask) = (g.any_value(bits), g.constant(bits, 3));
        let which = g.binary_with(Binary::And, 0, value, mask);
        let head = g.here();
        let ways = 2 + g.random.below(4);
        let direct = g.random.below(ways + 1);
        let mut arms: Vec<Option<BlockId>> = Vec::new();
        let mut incoming: [Vec<(BlockId, ValueId)>; 2] = [Vec::new(), Vec::new()];
        for way in 0..ways {
            // Where control comes from the head, one value comes with it.
            let (from, values) = if way == direct || way + 1 == direct {
                arms.push(None);
                (head, carried)
            } else {
                let (begin, values) = self.computing_arm(widths, carried);
                arms.push(Some(begin));
                (self.generator.here(), values)
            };
            for (all, value) in incoming.iter_mut().zip(values) {
                all.push((from, value));
            }
        }
        let g = &mut self.generator;
        let join = g.begin();
        let to = |arm: &Option<BlockId>| arm.unwrap_or(join);
        let cases = (0..).zip(&arms[1..]).map(|(n, arm)| (n, to(arm))).collect();
        g.function.blocks[head].end = Terminator::Switch(which, cases, to(&arms[0]));
        for (from, _) in incoming[0].iter().filter(|(from, _)| *from != head) {
            g.function.blocks[*from].end = Terminator::Br(join);
        }
        let mut joined = incoming.into_iter().zip(widths);
        [0, 1].map(|_| {
            let (incoming, bits) = joined.next().unwrap();
            g.define(bits, Definition::Phi(incoming))
        })
    }

    /// A few steps, and what of them, or of the loop, is passed on.
    fn computing_arm(
        &mut self,
        widths: [u32; 2],
        carried: [ValueId; 2],
    ) -> (BlockId, [ValueId; 2]) {
        let scope = self.generator.scope.clone();
        let begin = self.generator.begin();
        if self.generator.random.chance(10) {
            self.store();
        }
        let g = &mut self.generator;
        let mut values = carried;
        for (value, bits) in values.iter_mut().zip(widths) {
            let how = g
                .random
                .pick(&[Binary::Add, Binary::Xor, Binary::Mul, Binary::Shl]);
            let by = match how {
                Binary::Shl => g.constant(bits, 3),
                _ => g.any_value(bits),
            };
            match g.random.below(4) {
                0 => {}
                1 => *value = g.any_value(bits),
                _ => *value = g.binary(how, *value, by),
            }
        }
        if g.random.chance(15) {
            g.step();
        }
        g.scope = scope;
        (begin, values)
    }
}
