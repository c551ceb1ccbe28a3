//! Loops over inclusive ranges, as `RangeInclusive::next` leaves them: two tests per iteration, and a flag for what the last iteration knew.

use super::{Binary, Definition, Kernel, Terminator, ValueId};

/// The flag `nuw`.
const NUW: u8 = 1;

impl Kernel {
    /// Some loops have another one inside, and some are left by a `break`.
    pub(super) fn inclusive_loop(&mut self, depth: usize) {
        let g = &mut self.generator;
        let bits = g.random.pick(&[64, 64, 32]);
        let end = self.small(bits);
        let start = self.small(bits);
        let g = &mut self.generator;
        let (not_over, is_over) = (g.constant(1, 0), g.constant(1, 1));
        let (first, one) = (g.any_value(64), g.constant(bits, 1));
        let [below, up_to] = g.random.pick(&[["ult", "ule"], ["slt", "sle"]]);
        let before = g.here();

        let next = g.begin();
        let [counter, over] = [bits, 1].map(|bits| g.define(bits, Definition::Phi(vec![])));
        let sum = g.define(64, Definition::Phi(vec![]));
        let scope = g.scope.clone();
        let asked = g.begin();
        let within = g.compare(up_to, counter, end);
        let some = g.begin();
        let more = g.compare(below, counter, end);
        let step = g.begin();
        let up = g.binary_with(Binary::Add, NUW, counter, one);
        let last = g.begin();
        let stepped = g.begin();
        let counter1 = g.define(bits, Definition::Phi(vec![(step, up), (last, counter)]));
        let over1 = g.define(1, Definition::Phi(vec![(step, over), (last, is_over)]));
        let none = g.begin();
        let test = g.begin();
        let counter2 = g.define(
            bits,
            Definition::Phi(vec![(stepped, counter1), (none, counter)]),
        );
        let over2 = g.define(1, Definition::Phi(vec![(stepped, over1), (none, over)]));
        let found = g.define(
            1,
            Definition::Phi(vec![(stepped, is_over), (none, not_over)]),
        );

        g.scope.clone_from(&scope);
        let body = g.begin();
        let index = g.zext_to(counter, 64);
        self.counters.push(index);
        if self.generator.random.chance(30) && depth < 3 {
            self.inclusive_loop(depth + 1);
        }
        self.statements(depth + 1);
        let leaves = self.generator.random.chance(35).then(|| self.condition());
        let g = &mut self.generator;
        let breaks = leaves.map(|condition| (condition, g.here(), g.begin()));
        self.counters.pop();
        let g = &mut self.generator;
        let added = g.any_value(64);
        let latch = g.here();
        let done = g.begin();
        g.scope = scope;

        let ends = [
            (before, Terminator::Br(next)),
            (next, Terminator::CondBr(over, none, asked)),
            (asked, Terminator::CondBr(within, some, none)),
            (some, Terminator::CondBr(more, step, last)),
            (step, Terminator::Br(stepped)),
            (last, Terminator::Br(stepped)),
            (stepped, Terminator::Br(test)),
            (none, Terminator::Br(test)),
            (test, Terminator::CondBr(found, body, done)),
            (latch, Terminator::Br(next)),
        ];
        for (block, end) in ends {
            g.function.blocks[block].end = end;
        }
        if let Some((condition, here, goes_on)) = breaks {
            g.function.blocks[here].end = Terminator::CondBr(condition, done, goes_on);
        }
        for (phi, first, again) in [
            (counter, start, counter2),
            (over, not_over, over2),
            (sum, first, added),
        ] {
            g.function.values[phi].definition =
                Definition::Phi(vec![(before, first), (latch, again)]);
        }
    }

    /// A number below eight, or a constant.
    fn small(&mut self, bits: u32) -> ValueId {
        let g = &mut self.generator;
        if g.random.chance(40) {
            let number = g.random.below(6) as u128;
            return g.constant(bits, number);
        }
        let (value, mask) = (g.any_value(bits), g.constant(bits, 7));
        g.binary_with(Binary::And, 0, value, mask)
    }
}
