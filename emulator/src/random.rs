//! Numbers for random orders, here and in explorations of schedules.

/// Numbers that look random: SplitMix64.
#[derive(Debug, Clone, Copy)]
pub struct Random(u64);

impl Random {
    /// Another list of numbers for each stream.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        Self(Self(seed).number() ^ Self(stream).number())
    }

    /// The numbers of one seed.
    pub fn of_seed(seed: u64) -> Self {
        Self(seed)
    }

    /// The next one.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        (((self.number() >> 32) * u64::from(end)) >> 32) as u32
    }
}
