//! What the hardware has to do for one access of one warp: 32-byte sectors of global memory, passes over the banks of shared memory.

use crate::engine::warp::LANES;

/// Bytes that global memory moves at least.
pub(crate) const SECTOR_BYTES: u64 = 32;

/// Banks of shared memory; each gives one word of 4 bytes in one pass.
pub(crate) const BANKS: usize = 32;

const BANK_BYTES: u64 = 4;

/// The widest access that is one instruction.
const WIDEST: u64 = 16;

/// Of an access that is many instructions, as many are analysed.
const MOST_PIECES: u64 = 64;

/// The addresses that the lanes of a warp access in one execution of one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    /// The lanes that take part.
    pub(crate) mask: u32,
    /// Bytes that each lane accesses.
    pub(crate) bytes: u32,
    /// Where; only the lanes of `mask` count.
    pub(crate) at: [u64; LANES as usize],
}

/// What a request costs in global memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sectors {
    /// Sectors that hold a byte that some lane wants.
    pub(crate) touched: u64,
    /// As few sectors as could hold the wanted bytes.
    pub(crate) ideal: u64,
    /// Bytes that some lane wants, each counted once.
    pub(crate) wanted: u64,
}

/// What a request costs in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Passes {
    /// Passes over the banks until all lanes are served.
    pub(crate) made: u64,
    /// Passes if no bank had to give two words in one.
    pub(crate) ideal: u64,
    /// The most passes that a part of the request needs which could be served in one.
    pub(crate) ways: u32,
}

impl Request {
    pub(crate) fn new(bytes: u32) -> Self {
        Self {
            mask: 0,
            bytes,
            at: [0; LANES as usize],
        }
    }

    /// A lane takes part.
    #[cfg(test)]
    pub(crate) fn add(&mut self, lane: u32, at: u64) {
        self.mask |= 1 << lane;
        self.at[lane as usize] = at;
    }

    /// The lanes that take part, and where they access.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        (0..LANES)
            .filter(|lane| self.mask >> lane & 1 != 0)
            .map(|lane| (lane, self.at[lane as usize]))
    }

    /// Whether the same lanes access addresses that are all equally far from those of `other`, by a multiple of `step`: of a sector, both have the
    /// same sectors; of [`step_of_banks`](Self::step_of_banks), the same passes in shared memory, in other banks.
    pub(crate) fn is_moved(&self, other: &Self, step: u64) -> bool {
        if (self.mask, self.bytes) != (other.mask, other.bytes) || self.mask == 0 {
            return false;
        }
        let first = self.mask.trailing_zeros() as usize;
        let apart = self.at[first].wrapping_sub(other.at[first]);
        if !apart.is_multiple_of(step) {
            return false;
        }
        let all = self.at.iter().zip(&other.at);
        let differing = all.map(|(at, before)| at.wrapping_sub(*before) ^ apart);
        if self.mask == u32::MAX {
            return differing.fold(0, |all, one| all | one) == 0;
        }
        let mut lanes = (0..LANES).zip(differing);
        lanes.all(|(lane, one)| self.mask >> lane & 1 == 0 || one == 0)
    }

    /// By a multiple of what a request may be moved in shared memory without other passes: of a word, or of itself if it is one instruction, as its words stay together then.
    pub(crate) fn step_of_banks(&self) -> u64 {
        let bytes = u64::from(self.bytes);
        if self.unit() == bytes {
            bytes.max(BANK_BYTES)
        } else {
            SECTOR_BYTES
        }
    }

    /// Bytes of one instruction: 1, 2, 4, 8 or 16. An access of another size, or one that is not aligned to it, is several.
    pub(crate) fn unit(&self) -> u64 {
        let all = self
            .lanes()
            .fold(u64::from(self.bytes) | WIDEST, |all, (_, at)| all | at);
        1 << all.trailing_zeros()
    }

    /// How many instructions it is.
    pub(crate) fn instructions(&self) -> u64 {
        u64::from(self.bytes) / self.unit()
    }

    /// The sectors of all its instructions together.
    pub(crate) fn sectors(&self) -> Sectors {
        let unit = self.unit();
        self.sum(|at| {
            at.sort_unstable();
            let (mut touched, mut distinct, mut last) = (0, 0, None);
            for at in at {
                // An aligned piece lies in one sector.
                touched +=
                    u64::from(last.is_none_or(|last| last / SECTOR_BYTES != *at / SECTOR_BYTES));
                distinct += u64::from(last != Some(*at));
                last = Some(*at);
            }
            let wanted = distinct * unit;
            Sectors {
                touched,
                ideal: wanted.div_ceil(SECTOR_BYTES),
                wanted,
            }
        })
    }

    /// The passes of all its instructions together. Words of 8 bytes are served by half-warps, words of 16 bytes by quarter-warps.
    pub(crate) fn passes(&self) -> Passes {
        let unit = self.unit();
        let group = (LANES as u64 * BANK_BYTES / unit.max(BANK_BYTES)) as u32;
        let mut sum = Passes::default();
        for first in (0..LANES).step_by(group as usize) {
            let mask = self.mask & ((u64::from(u32::MAX) >> (LANES - group)) << first) as u32;
            if mask == 0 {
                continue;
            }
            let part = Self {
                mask,
                ..self.clone()
            };
            let passes = part.sum_by(unit, |at| {
                let made = conflicts(at, unit);
                Passes {
                    made: made.into(),
                    ideal: 1,
                    ways: made,
                }
            });
            sum = sum + passes;
        }
        sum
    }

    fn sum<T: Default + std::ops::Add<Output = T>>(&self, of: impl Fn(&mut [u64]) -> T) -> T {
        self.sum_by(self.unit(), of)
    }

    /// The sum over the instructions that this access is.
    fn sum_by<T: Default + std::ops::Add<Output = T>>(
        &self,
        unit: u64,
        of: impl Fn(&mut [u64]) -> T,
    ) -> T {
        let n_pieces = (u64::from(self.bytes) / unit).min(MOST_PIECES);
        let mut sum = T::default();
        for piece in 0..n_pieces {
            let mut at = [0; LANES as usize];
            let mut n = 0;
            for (_, start) in self.lanes() {
                at[n] = start.wrapping_add(piece * unit);
                n += 1;
            }
            sum = sum + of(&mut at[..n]);
        }
        sum
    }
}

impl std::ops::Add for Sectors {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            touched: self.touched + other.touched,
            ideal: self.ideal + other.ideal,
            wanted: self.wanted + other.wanted,
        }
    }
}

impl std::ops::Add for Passes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            made: self.made + other.made,
            ideal: self.ideal + other.ideal,
            ways: self.ways.max(other.ways),
        }
    }
}

/// The words that the bank gives which has to give most. A word that several lanes want counts once.
fn conflicts(at: &mut [u64], unit: u64) -> u32 {
    at.sort_unstable();
    let mut words = [0_u32; BANKS];
    let mut next = 0; // the first word that has not been counted
    for at in at {
        let first = *at / BANK_BYTES;
        for word in first.max(next)..first + unit.div_ceil(BANK_BYTES) {
            words[bank(word * BANK_BYTES)] += 1;
            next = word + 1;
        }
    }
    words.into_iter().max().unwrap_or(0)
}

/// The bank that holds this byte of shared memory.
pub(crate) fn bank(at: u64) -> usize {
    (at / BANK_BYTES) as usize % BANKS
}
