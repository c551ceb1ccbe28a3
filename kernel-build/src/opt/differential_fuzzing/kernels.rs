//! Generator of functions with the control flow of kernels: early returns, nested loops and branches, switches, bounds checks beside barriers, shuffles
//! in divergent branches, local arrays, volatile and atomic accesses.

mod accesses;
mod bit_loops;
mod chained;
mod conditional;
mod counting_loops;
mod divided;
mod inclusive;
mod lengths;
mod matches;
mod nests;

use super::function::{
    Binary, BlockId, Convergent, Copy, Definition, FloatOp, Function, Ordered, Terminator,
    Trigonometric, ValueId,
};
use super::generator::{Generator, Random};
use super::interpreter::Input;
pub(super) use bit_loops::with_bit_loop;
pub(super) use chained::with_chained_iterator;
pub(super) use conditional::with_conditional_loads;
pub(super) use counting_loops::with_counting_loop;
pub(super) use divided::with_division;
pub(super) use lengths::with_lengths;
pub(super) use matches::with_match;
pub(super) use nests::with_nest;

/// Elements of an array parameter: a power of two, so that an index can be masked.
const ELEMENTS: usize = 32;

/// Generates a function.
pub(super) fn function(seed: u64) -> Function {
    let mut kernel = Kernel::new(seed, 50);
    if kernel.generator.random.chance(40) {
        kernel.early_return();
    }
    kernel.finish()
}

/// Generates a function that begins with a loop over a local array.
pub(super) fn with_array_loop(seed: u64) -> Function {
    let mut kernel = Kernel::new(seed, 100);
    kernel.budget = 5;
    kernel.array_loop(1);
    kernel.finish()
}

/// Generates a function that begins with a loop over an inclusive range.
pub(super) fn with_inclusive_loop(seed: u64) -> Function {
    let mut kernel = Kernel::new(seed, 50);
    kernel.budget = 6;
    kernel.inclusive_loop(1);
    kernel.finish()
}

struct Kernel {
    generator: Generator,
    lengths: [ValueId; 2],
    /// The counters of the loops around the current block, 64 bits.
    counters: Vec<ValueId>,
    /// Statements that are left.
    budget: usize,
}

impl Kernel {
    /// The entry block; some functions have a local array.
    fn new(seed: u64, locals: u64) -> Kernel {
        let mut generator = Generator::new(seed);
        generator.flagged = 4;
        generator.function.launch = [8, 4, 16];
        generator.function.elements =
            std::array::from_fn(|_| generator.random.pick(&[8, 16, 32, 32, 64]));
        for n in 0..4 {
            generator.define(64, Definition::Parameter(n));
        }
        let lengths = [0, 1].map(|n| generator.define(64, Definition::Length(n)));
        for n in 0..3 {
            generator.define(32, Definition::Register(n));
        }
        if generator.random.chance(locals) {
            let bits = generator.random.pick(&[8, 16, 32, 64]);
            let count = generator.random.pick(&[2, 4, 8]);
            generator.function.locals.push((bits, count));
        }

        let mut kernel = Kernel {
            generator,
            lengths,
            counters: Vec::new(),
            budget: 16,
        };
        kernel.initialise_locals();
        kernel
    }

    fn finish(mut self) -> Function {
        self.statements(0);
        let results = self.generator.results();
        self.generator.end(Terminator::Ret(results));
        self.generator.function
    }

    fn statements(&mut self, depth: usize) {
        for _ in 0..2 + self.generator.random.below(4) {
            if self.budget > 0 {
                self.budget -= 1;
                self.statement(depth);
            }
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.generator.random.below(20) {
            0..=2 => self.convergent(),
            3..=5 if depth < 4 => self.branch(depth),
            6 if depth < 3 => self.switch(depth),
            7..=9 if depth < 3 => self.counted_loop(depth),
            10 if depth < 3 => self.array_loop(depth),
            11 | 12 => self.checked_load(),
            13 => self.store(),
            14 => self.ordered(),
            15 => self.float(),
            16 => self.trigonometric(),
            17 => self.copy(),
            18 => _ = self.generator.narrow_extrema(),
            _ => _ = self.generator.step(),
        }
    }

    /// A truth value: one in scope, so that branches depend on each other, or a comparison of small values, so that both outcomes occur.
    fn condition(&mut self) -> ValueId {
        let g = &mut self.generator;
        let known: Vec<ValueId> = g
            .scope
            .iter()
            .copied()
            .filter(|v| g.bits(*v) == 1)
            .collect();
        if !known.is_empty() && g.random.chance(60) {
            return g.random.pick(&known);
        }
        let bits = g.random.pick(&[32, 64]);
        let value = g.any_value(bits);
        let mask = g.constant(bits, 3);
        let small = g.binary_with(Binary::And, 0, value, mask);
        let limit = g.random.below(4) as u128;
        let limit = g.constant(bits, limit);
        let word = g.random.pick(&["eq", "ult", "ugt", "ne"]);
        g.compare(word, small, limit)
    }

    fn convergent(&mut self) {
        let g = &mut self.generator;
        let op = g.random.pick(&[Convergent::Barrier, Convergent::Shuffle]);
        let argument = g.any_value(64);
        g.define(64, Definition::Convergent(op, argument));
    }

    fn early_return(&mut self) {
        let condition = self.condition();
        let g = &mut self.generator;
        let here = g.here();
        let leave = g.begin();
        let nothing = g.constant(64, 77);
        g.end(Terminator::Ret(vec![nothing]));
        let next = g.begin();
        g.function.blocks[here].end = Terminator::CondBr(condition, leave, next);
    }

    /// Statements in a new block; returns it, the block that they end in, and two values of these widths.
    fn arm(&mut self, depth: usize, widths: [u32; 2]) -> (BlockId, BlockId, [ValueId; 2]) {
        let scope = self.generator.scope.clone();
        let begin = self.generator.begin();
        if self.generator.random.chance(75) {
            self.statements(depth + 1);
        }
        let g = &mut self.generator;
        let values = widths.map(|bits| match bits {
            1 if g.random.chance(60) => {
                let flag = g.random.below(2) as u128;
                g.constant(1, flag)
            }
            _ => g.any_value(bits),
        });
        let end = g.here();
        g.scope = scope;
        (begin, end, values)
    }

    /// Joins arms, each with two values.
    fn join(&mut self, arms: &[(BlockId, BlockId, [ValueId; 2])], widths: [u32; 2]) {
        let g = &mut self.generator;
        let join = g.begin();
        for (n, bits) in widths.into_iter().enumerate() {
            let incoming = arms.iter().map(|(_, end, values)| (*end, values[n]));
            g.define(bits, Definition::Phi(incoming.collect()));
        }
        for (_, end, _) in arms {
            g.function.blocks[*end].end = Terminator::Br(join);
        }
    }

    /// A width, and that of a flag which later branches may depend on.
    fn widths(&mut self) -> [u32; 2] {
        [self.generator.random.pick(&[8, 32, 64, 128]), 1]
    }

    fn branch(&mut self, depth: usize) {
        let (condition, widths) = (self.condition(), self.widths());
        let here = self.generator.here();
        let arms = [self.arm(depth, widths), self.arm(depth, widths)];
        self.generator.function.blocks[here].end =
            Terminator::CondBr(condition, arms[0].0, arms[1].0);
        self.join(&arms, widths);
    }

    fn switch(&mut self, depth: usize) {
        let widths = self.widths();
        let g = &mut self.generator;
        let (value, mask) = (g.any_value(32), g.constant(32, 3));
        let which = g.binary_with(Binary::And, 0, value, mask);
        let here = g.here();
        let count = 2 + g.random.below(3);
        let arms: Vec<_> = (0..count).map(|_| self.arm(depth, widths)).collect();
        let cases = arms[1..].iter().zip(0..).map(|(arm, n)| (n, arm.0));
        self.generator.function.blocks[here].end =
            Terminator::Switch(which, cases.collect(), arms[0].0);
        self.join(&arms, widths);
    }

    /// A loop with carried values, some with a `break`.
    fn counted_loop(&mut self, depth: usize) {
        let g = &mut self.generator;
        let trips = match g.random.below(4) {
            0 => g.random.pick(&[1, 2, 3, 4, 6]),
            _ => 0,
        };
        let trips = if trips > 0 {
            g.constant(64, trips)
        } else {
            let (value, mask) = (g.any_value(64), g.random.pick(&[1, 3, 3, 7]));
            let mask = g.constant(64, mask);
            g.binary_with(Binary::And, 0, value, mask)
        };
        let widths = [g.random.pick(&[8, 32, 64]), g.random.pick(&[32, 64, 128])];
        let first = widths.map(|bits| g.any_value(bits));
        let before = g.here();
        let header = g.begin();
        let counter = g.define(64, Definition::Phi(vec![]));
        let carried = widths.map(|bits| g.define(bits, Definition::Phi(vec![])));
        let scope = g.scope.clone();
        let more = g.compare("ult", counter, trips);
        let body = g.begin();
        self.counters.push(counter);
        self.statements(depth + 1);
        let leaves = self.generator.random.chance(35).then(|| self.condition());
        let breaks = leaves.map(|condition| {
            let g = &mut self.generator;
            let here = g.here();
            let next = g.begin();
            if g.random.chance(50) {
                self.statements(depth + 1);
            }
            (condition, here, next)
        });
        self.counters.pop();
        let g = &mut self.generator;
        let mut next = widths.map(|bits| g.any_value(bits));
        if widths[0] == widths[1] && g.random.chance(30) {
            // The values change places: a cycle of phis.
            next = [carried[1], carried[0]];
        }
        let one = g.constant(64, 1);
        let grown = g.binary_with(Binary::Add, 0, counter, one);
        let zero = g.constant(64, 0);
        let latch = g.here();
        g.end(Terminator::Br(header));
        let exit = g.begin();
        g.function.blocks[before].end = Terminator::Br(header);
        g.function.blocks[header].end = Terminator::CondBr(more, body, exit);
        let mut set = |phi: ValueId, first, next| {
            g.function.values[phi].definition =
                Definition::Phi(vec![(before, first), (latch, next)]);
        };
        set(counter, zero, grown);
        set(carried[0], first[0], next[0]);
        set(carried[1], first[1], next[1]);
        g.scope = scope;
        if let Some((condition, here, next)) = breaks {
            let [no, yes] = [0, 1].map(|flag| g.constant(1, flag));
            g.define(1, Definition::Phi(vec![(header, no), (here, yes)]));
            let arms = if g.random.chance(50) {
                [exit, next]
            } else {
                [next, exit]
            };
            g.function.blocks[here].end = Terminator::CondBr(condition, arms[0], arms[1]);
        }
    }
}

/// Generates arguments: small parameters, and lengths that do not always fit.
pub(super) fn input(function: &Function, random: &mut Random) -> Input {
    let array = |random: &mut Random, bits: u32| {
        let elements = (0..ELEMENTS).map(|_| random.interesting(bits) as u64);
        elements.collect::<Vec<u64>>()
    };
    let short = random.chance(25);
    let length = |random: &mut Random| {
        let less = if short { random.below(30) } else { 0 };
        (ELEMENTS - less) as u64
    };
    // The second array begins in the middle of the first one: half of its elements are in bounds then.
    let alias = random.chance(25).then(|| {
        let bytes = ELEMENTS * function.elements[0] as usize / 8;
        bytes / 2 / 16 * 16
    });
    Input {
        parameters: [0; 4].map(|_: u64| {
            if random.chance(70) {
                random.below(12) as u64
            } else {
                random.interesting(64) as u64
            }
        }),
        launch: [0, 0, random.below(16) as u32],
        arrays: function.elements.map(|bits| array(random, bits)),
        lengths: [length(random), length(random)],
        alias,
    }
}
