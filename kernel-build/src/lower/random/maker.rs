//! Chance, and functions that grow by it.

use super::function::{At, Binary, Block, COMPARISONS, Cast, End, Function, Id, Made, Value};

/// Numbers without a pattern, the same for the same seed.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(super) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.number() % end as u64) as usize
    }

    /// True in so many of a hundred cases.
    pub(super) fn chance(&mut self, percent: u64) -> bool {
        self.number() % 100 < percent
    }

    pub(super) fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    /// A number of so many bits: at the edges of what fits, small, or any.
    pub(super) fn edge(&mut self, bits: u32) -> u128 {
        let power = 1 << self.below(bits as usize);
        let wide = u128::from(self.number()) << 64 | u128::from(self.number());
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
        self.one_of(&all) & (u128::MAX >> (128 - bits))
    }
}

/// Puts a function together, block by block.
pub(super) struct Maker {
    pub(super) random: Random,
    pub(super) function: Function,
    /// What may be used where the next value comes.
    pub(super) seen: Vec<Id>,
    at: At,
}

/// Widths of numbers, the common ones more often.
const WIDTHS: [u32; 14] = [32, 32, 32, 64, 64, 64, 128, 128, 8, 16, 24, 33, 65, 96];

impl Maker {
    pub(super) fn new(seed: u64) -> Maker {
        let mut random = Random::new(seed);
        let function = Function {
            values: Vec::new(),
            blocks: Vec::new(),
            // LLVM knows that a block has at most 1024 threads in a row.
            launch: [1024, 1024, 1 << 30].map(|most: u32| {
                let end = random.one_of(&[1, 2, 32, 33, 256, 1024, 1 << 16, 1 << 30]);
                most.min(end)
            }),
            elements: [random.one_of(&[32, 64]), 64],
        };
        let mut maker = Maker {
            random,
            function,
            seen: Vec::new(),
            at: 0,
        };
        maker.begin();
        maker
    }

    /// Opens a block, in which the next values come.
    pub(super) fn begin(&mut self) -> At {
        self.at = self.function.blocks.len();
        self.function.blocks.push(Block {
            values: Vec::new(),
            end: End::To(0),
        });
        self.at
    }

    pub(super) fn end(&mut self, end: End) {
        self.function.blocks[self.at].end = end;
    }

    pub(super) fn here(&self) -> At {
        self.at
    }

    pub(super) fn bits(&self, id: Id) -> u32 {
        self.function.values[id].bits
    }

    pub(super) fn make(&mut self, bits: u32, made: Made) -> Id {
        let id = self.function.values.len();
        self.function.values.push(Value { bits, made });
        self.function.blocks[self.at].values.push(id);
        self.seen.push(id);
        id
    }

    pub(super) fn number(&mut self, bits: u32, n: u128) -> Id {
        let id = self.make(bits, Made::Number(n & (u128::MAX >> (128 - bits))));
        // It is used where it is wanted, and nowhere else.
        self.seen.pop();
        id
    }

    pub(super) fn edge(&mut self, bits: u32) -> Id {
        let n = self.random.edge(bits);
        self.number(bits, n)
    }

    /// Flags in some cases: what has many of them is poison more often than not.
    fn flags(&mut self, names: [&str; 2]) -> u8 {
        let own = if self.random.chance(25) {
            self.random.number() as u8
        } else {
            0
        };
        let known = names.iter().enumerate();
        let known: u8 = known.map(|(i, n)| u8::from(!n.is_empty()) << i).sum();
        own & known
    }

    pub(super) fn binary(&mut self, how: Binary, a: Id, b: Id) -> Id {
        let flags = self.flags(how.flags());
        self.plainly(how, flags, a, b)
    }

    /// With these flags.
    pub(super) fn plainly(&mut self, how: Binary, flags: u8, a: Id, b: Id) -> Id {
        self.make(self.bits(a), Made::Binary(how, flags, a, b))
    }

    pub(super) fn cast(&mut self, from: Id, bits: u32) -> Id {
        let own = self.bits(from);
        let how = match own.cmp(&bits) {
            std::cmp::Ordering::Equal => return from,
            std::cmp::Ordering::Greater => Cast::Cut,
            std::cmp::Ordering::Less if self.random.chance(70) => Cast::Zero,
            std::cmp::Ordering::Less => Cast::Sign,
        };
        let flags = match how {
            Cast::Zero => self.flags(["nneg", ""]),
            Cast::Sign => 0,
            Cast::Cut => self.flags(["nuw", "nsw"]),
        };
        self.make(bits, Made::Cast(how, flags, from))
    }

    /// In so many bits, with zeros above.
    pub(super) fn widened(&mut self, from: Id, bits: u32) -> Id {
        if self.bits(from) == bits {
            return from;
        }
        self.make(bits, Made::Cast(Cast::Zero, 0, from))
    }

    pub(super) fn compare(&mut self, word: &str, a: Id, b: Id) -> Id {
        let how = COMPARISONS.iter().position(|w| *w == word).unwrap();
        self.make(1, Made::Compare(how, 0, a, b))
    }

    pub(super) fn width(&mut self) -> u32 {
        self.random.one_of(&WIDTHS)
    }

    /// Some number of so many bits.
    pub(super) fn some(&mut self, bits: u32) -> Id {
        if self.random.chance(15) {
            return self.edge(bits);
        }
        let of_width: Vec<Id> = self
            .seen
            .iter()
            .copied()
            .filter(|v| self.bits(*v) == bits)
            .collect();
        if !of_width.is_empty() && self.random.chance(75) {
            // The latest ones more often, so that expressions become deep.
            let latest = &of_width[of_width.len().saturating_sub(4)..];
            let from = if self.random.chance(60) {
                latest
            } else {
                &of_width
            };
            return self.random.one_of(from);
        }
        if bits == 1 {
            return self.comparison();
        }
        let seen = self.seen.clone();
        let from = self.random.one_of(&seen);
        self.cast(from, bits)
    }

    fn comparison(&mut self) -> Id {
        let bits = self.width();
        let (a, b) = (self.some(bits), self.some(bits));
        let (how, flags) = (
            self.random.below(COMPARISONS.len()),
            self.flags(["samesign", ""]),
        );
        self.make(1, Made::Compare(how, flags, a, b))
    }

    /// One more value of the general kind.
    pub(super) fn step(&mut self) -> Id {
        let bits = self.width();
        match self.random.below(10) {
            0 => {
                let from = self.some(bits);
                let to = self.width();
                self.cast(from, to)
            }
            1 => self.comparison(),
            2 => {
                let which = self.some(1);
                let (a, b) = (self.some(bits), self.some(bits));
                self.make(bits, Made::Select(which, a, b))
            }
            3 if self.random.chance(40) => {
                let from = self.some(bits);
                self.make(bits, Made::Freeze(from))
            }
            _ => self.arithmetic(bits),
        }
    }

    fn arithmetic(&mut self, bits: u32) -> Id {
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
        let how = self.random.one_of(&ALL);
        let a = self.some(bits);
        let b = match how {
            Binary::Shl | Binary::LShr | Binary::AShr => self.distance(bits),
            Binary::UDiv | Binary::URem => self.divisor(bits),
            _ => self.some(bits),
        };
        self.binary(how, a, b)
    }

    /// How far something is shifted: nearly always less than its width.
    fn distance(&mut self, bits: u32) -> Id {
        if self.random.chance(75) {
            let by = self.random.below(bits as usize);
            return self.number(bits, by as u128);
        }
        let by = self.some(bits);
        let end = self.number(bits, bits.into());
        self.plainly(Binary::URem, 0, by, end)
    }

    /// Never zero.
    fn divisor(&mut self, bits: u32) -> Id {
        if self.random.chance(70) {
            let n = self.random.edge(bits).max(1);
            return self.number(bits, n);
        }
        let (some, one) = (self.some(bits), self.number(bits, 1));
        self.plainly(Binary::Or, 0, some, one)
    }

    /// What is stored at the end: the latest value, and some others.
    pub(super) fn results(&mut self) -> Vec<Id> {
        let mut results: Vec<Id> = self.seen.last().copied().into_iter().collect();
        for _ in 1..super::function::RESULTS {
            let seen = self.seen.clone();
            let one = self.random.one_of(&seen);
            if !results.contains(&one) {
                results.push(one);
            }
        }
        results
    }
}
