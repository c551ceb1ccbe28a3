//! A seeded random number generator, and the builder of generated functions.

use super::function::{
    Binary, Block, BlockId, COMPARISONS, Cast, Definition, Function, Terminator, Value, ValueId,
};

/// SplitMix64: equal seeds give equal sequences.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(super) fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next_u64() % end as u64) as usize
    }

    /// True with this probability.
    pub(super) fn chance(&mut self, percent: u64) -> bool {
        self.next_u64() % 100 < percent
    }

    pub(super) fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    /// A value of this width: near a boundary, small, or uniform.
    pub(super) fn interesting(&mut self, bits: u32) -> u128 {
        let power = 1 << self.below(bits as usize);
        let wide = u128::from(self.next_u64()) << 64 | u128::from(self.next_u64());
        let all = [
            0,
            1,
            self.below(40) as u128,
            power,
            power - 1,
            power + 1,
            u128::MAX,
            u128::MAX - self.below(9) as u128,
            u128::MAX >> (128 - bits) >> 1,
            wide >> self.below(128),
        ];
        self.pick(&all) & (u128::MAX >> (128 - bits))
    }
}

/// Builds a function, block by block.
pub(super) struct Generator {
    pub(super) random: Random,
    pub(super) function: Function,
    /// The values that the next definition may use.
    pub(super) scope: Vec<ValueId>,
    /// Percentage of instructions with flags.
    pub(super) flagged: u64,
    at: BlockId,
}

/// Integer widths, the common ones more often.
const WIDTHS: [u32; 14] = [32, 32, 32, 64, 64, 64, 128, 128, 8, 16, 24, 33, 65, 96];

impl Generator {
    pub(super) fn new(seed: u64) -> Generator {
        let mut random = Random::new(seed);
        let function = Function {
            values: Vec::new(),
            blocks: Vec::new(),
            // A block has at most 1024 threads in x and y.
            launch: [1024, 1024, 1 << 30].map(|most: u32| {
                let end = random.pick(&[1, 2, 32, 33, 256, 1024, 1 << 16, 1 << 30]);
                most.min(end)
            }),
            elements: [random.pick(&[32, 64]), 64],
            locals: Vec::new(),
        };
        let mut generator = Generator {
            random,
            function,
            scope: Vec::new(),
            flagged: 25,
            at: 0,
        };
        generator.begin();
        generator
    }

    /// Opens a block for the next definitions.
    pub(super) fn begin(&mut self) -> BlockId {
        self.at = self.function.blocks.len();
        self.function.blocks.push(Block {
            values: Vec::new(),
            end: Terminator::Br(0),
        });
        self.at
    }

    pub(super) fn end(&mut self, end: Terminator) {
        self.function.blocks[self.at].end = end;
    }

    pub(super) fn here(&self) -> BlockId {
        self.at
    }

    pub(super) fn bits(&self, id: ValueId) -> u32 {
        self.function.values[id].bits
    }

    pub(super) fn define(&mut self, bits: u32, definition: Definition) -> ValueId {
        let id = self.function.values.len();
        self.function.values.push(Value { bits, definition });
        self.function.blocks[self.at].values.push(id);
        self.scope.push(id);
        id
    }

    /// An instruction without a result.
    pub(super) fn effect(&mut self, definition: Definition) {
        self.define(0, definition);
        self.scope.pop();
    }

    pub(super) fn constant(&mut self, bits: u32, n: u128) -> ValueId {
        let id = self.define(bits, Definition::Constant(n & (u128::MAX >> (128 - bits))));
        // Only its requester uses it.
        self.scope.pop();
        id
    }

    pub(super) fn interesting(&mut self, bits: u32) -> ValueId {
        let n = self.random.interesting(bits);
        self.constant(bits, n)
    }

    /// Sets flags seldom: an expression with many flags is nearly always poison.
    fn flags(&mut self, names: [&str; 2]) -> u8 {
        let own = if self.random.chance(self.flagged) {
            self.random.next_u64() as u8
        } else {
            0
        };
        let known = names.iter().enumerate();
        let known: u8 = known.map(|(i, n)| u8::from(!n.is_empty()) << i).sum();
        own & known
    }

    pub(super) fn binary(&mut self, how: Binary, a: ValueId, b: ValueId) -> ValueId {
        let flags = self.flags(how.flags());
        self.binary_with(how, flags, a, b)
    }

    /// A binary operation with these flags.
    pub(super) fn binary_with(
        &mut self,
        how: Binary,
        flags: u8,
        a: ValueId,
        b: ValueId,
    ) -> ValueId {
        self.define(self.bits(a), Definition::Binary(how, flags, a, b))
    }

    pub(super) fn cast(&mut self, from: ValueId, bits: u32) -> ValueId {
        let own = self.bits(from);
        let how = match own.cmp(&bits) {
            std::cmp::Ordering::Equal => return from,
            std::cmp::Ordering::Greater => Cast::Trunc,
            std::cmp::Ordering::Less if self.random.chance(70) => Cast::ZExt,
            std::cmp::Ordering::Less => Cast::SExt,
        };
        let flags = match how {
            Cast::ZExt => self.flags(["nneg", ""]),
            Cast::SExt => 0,
            Cast::Trunc => self.flags(["nuw", "nsw"]),
        };
        self.define(bits, Definition::Cast(how, flags, from))
    }

    /// The zero extension to this width.
    pub(super) fn zext_to(&mut self, from: ValueId, bits: u32) -> ValueId {
        if self.bits(from) == bits {
            return from;
        }
        self.define(bits, Definition::Cast(Cast::ZExt, 0, from))
    }

    pub(super) fn compare(&mut self, word: &str, a: ValueId, b: ValueId) -> ValueId {
        let how = COMPARISONS.iter().position(|w| *w == word).unwrap();
        self.define(1, Definition::Compare(how, 0, a, b))
    }

    pub(super) fn width(&mut self) -> u32 {
        self.random.pick(&WIDTHS)
    }

    /// A value in scope of this width, or a constant.
    pub(super) fn any_value(&mut self, bits: u32) -> ValueId {
        if self.random.chance(15) {
            return self.interesting(bits);
        }
        let of_width: Vec<ValueId> = self
            .scope
            .iter()
            .copied()
            .filter(|v| self.bits(*v) == bits)
            .collect();
        if !of_width.is_empty() && self.random.chance(75) {
            // The latest values more often, so that expressions become deep.
            let latest = &of_width[of_width.len().saturating_sub(4)..];
            let from = if self.random.chance(60) {
                latest
            } else {
                &of_width
            };
            return self.random.pick(from);
        }
        if bits == 1 {
            return self.comparison();
        }
        let scope = self.scope.clone();
        let from = self.random.pick(&scope);
        self.cast(from, bits)
    }

    fn comparison(&mut self) -> ValueId {
        let bits = self.width();
        let (a, b) = (self.any_value(bits), self.any_value(bits));
        let (how, flags) = (
            self.random.below(COMPARISONS.len()),
            self.flags(["samesign", ""]),
        );
        self.define(1, Definition::Compare(how, flags, a, b))
    }

    /// Defines a value by a random instruction.
    pub(super) fn step(&mut self) -> ValueId {
        let bits = self.width();
        match self.random.below(10) {
            0 => {
                let from = self.any_value(bits);
                let to = self.width();
                self.cast(from, to)
            }
            1 => self.comparison(),
            2 => {
                let which = self.any_value(1);
                let (a, b) = (self.any_value(bits), self.any_value(bits));
                self.define(bits, Definition::Select(which, a, b))
            }
            3 if self.random.chance(40) => {
                let from = self.any_value(bits);
                self.define(bits, Definition::Freeze(from))
            }
            _ => self.arithmetic(bits),
        }
    }

    fn arithmetic(&mut self, bits: u32) -> ValueId {
        const ALL: [Binary; 15] = [
            Binary::Add,
            Binary::Sub,
            Binary::Mul,
            Binary::And,
            Binary::Or,
            Binary::Xor,
            Binary::Shl,
            Binary::LShr,
            Binary::AShr,
            Binary::UDiv,
            Binary::URem,
            Binary::UMin,
            Binary::UMax,
            Binary::SMin,
            Binary::SMax,
        ];
        let how = self.random.pick(&ALL);
        let a = self.any_value(bits);
        let b = match how {
            Binary::Shl | Binary::LShr | Binary::AShr => self.distance(bits),
            Binary::UDiv | Binary::URem => self.divisor(bits),
            _ => self.any_value(bits),
        };
        self.binary(how, a, b)
    }

    /// Minima and maxima of numbers of 8 or 16 bits, mostly each of the one before.
    pub(super) fn narrow_extrema(&mut self) -> ValueId {
        const HOW: [Binary; 4] = [Binary::UMin, Binary::UMax, Binary::SMin, Binary::SMax];
        let bits = self.random.pick(&[8, 16]);
        let mut last = self.any_value(bits);
        for _ in 0..=self.random.below(3) {
            let how = self.random.pick(&HOW);
            let (one, other) = (self.any_value(bits), self.any_value(bits));
            let one = if self.random.chance(70) { last } else { one };
            last = if self.random.chance(25) {
                self.distance_of(one, other)
            } else {
                self.binary(how, one, other)
            };
        }
        last
    }

    /// The distance of two numbers, or nearly that.
    fn distance_of(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let how = self
            .random
            .pick(&["ult", "ule", "ugt", "uge", "slt", "sge"]);
        let which = self.compare(how, a, b);
        let (more, less) = (
            self.binary(Binary::Sub, b, a),
            self.binary(Binary::Sub, a, b),
        );
        let (yes, no) = if self.random.chance(50) {
            (more, less)
        } else {
            (less, more)
        };
        self.define(self.bits(a), Definition::Select(which, yes, no))
    }

    /// A shift amount, nearly always below the width.
    fn distance(&mut self, bits: u32) -> ValueId {
        if self.random.chance(75) {
            let by = self.random.below(bits as usize);
            return self.constant(bits, by as u128);
        }
        let by = self.any_value(bits);
        let end = self.constant(bits, bits.into());
        self.binary_with(Binary::URem, 0, by, end)
    }

    /// A divisor that is not zero.
    fn divisor(&mut self, bits: u32) -> ValueId {
        if self.random.chance(70) {
            let n = self.random.interesting(bits).max(1);
            return self.constant(bits, n);
        }
        let (some, one) = (self.any_value(bits), self.constant(bits, 1));
        self.binary_with(Binary::Or, 0, some, one)
    }

    /// The results: the latest value, and some others.
    pub(super) fn results(&mut self) -> Vec<ValueId> {
        let mut results: Vec<ValueId> = self.scope.last().copied().into_iter().collect();
        for _ in 1..super::function::RESULTS {
            let scope = self.scope.clone();
            let one = self.random.pick(&scope);
            if !results.contains(&one) {
                results.push(one);
            }
        }
        results
    }
}
