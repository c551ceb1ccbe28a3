//! A set of lanes.

use core::fmt;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not, Sub};

/// A set of lanes of a warp, or of ranks of a group: bit `l` stands for lane `l`.
///
/// Votes give one, and the `_mask` forms of [`Warp`](crate::Warp) take one (or a `u32` of the same bits). CUDA: `unsigned mask`.
///
/// ```
/// use warploom_device_std::LaneMask;
/// let low = LaneMask::first(16);
/// assert_eq!((low | LaneMask::of(31)).bits(), 0x8000_FFFF);
/// assert_eq!((!low).count(), 16);
/// assert!((!low).iter().eq(16..32));
/// assert!(low.contains(3) && !low.contains(20));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct LaneMask(u32);

// SAFETY: a `u32` by another name.
unsafe impl crate::Plain for LaneMask {}

impl LaneMask {
    /// All 32 lanes.
    pub const FULL: Self = LaneMask(u32::MAX);
    /// No lane.
    pub const EMPTY: Self = LaneMask(0);

    /// The lanes whose bits are set.
    #[inline(always)]
    #[must_use]
    pub const fn from_bits(bits: u32) -> Self {
        LaneMask(bits)
    }

    /// The lanes as bits.
    #[inline(always)]
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Lane `lane` alone, counted modulo 32.
    #[inline(always)]
    #[must_use]
    pub const fn of(lane: u32) -> Self {
        LaneMask(1 << (lane & 31))
    }

    /// The lowest `n` lanes; all of them if `n` is 32 or more.
    #[inline(always)]
    #[must_use]
    pub const fn first(n: u32) -> Self {
        if n >= 32 {
            Self::FULL
        } else {
            LaneMask((1 << n) - 1)
        }
    }

    /// The lanes below `lane`, counted modulo 32. For the calling thread's own lane: [`Warp::lanes_below`](crate::Warp::lanes_below).
    #[inline(always)]
    #[must_use]
    pub const fn below(lane: u32) -> Self {
        LaneMask((1 << (lane & 31)) - 1)
    }

    /// Whether `lane` belongs to the set; no lane from 32 on does.
    #[inline(always)]
    #[must_use]
    pub const fn contains(self, lane: u32) -> bool {
        lane < 32 && self.0 >> lane & 1 == 1
    }

    /// Whether all lanes of `other` belong to this set.
    #[inline(always)]
    #[must_use]
    pub const fn contains_all(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// The number of lanes. CUDA: `__popc`.
    #[inline(always)]
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is no lane.
    #[inline(always)]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The lowest lane, if there is one. CUDA: `__ffs(mask) - 1`.
    #[inline(always)]
    #[must_use]
    pub const fn lowest(self) -> Option<u32> {
        if self.0 == 0 {
            None
        } else {
            Some(self.0.trailing_zeros())
        }
    }

    /// The lane with `n` lanes of the set below it, if there is one. CUDA: `__fns(mask, 0, n + 1)`.
    #[inline(always)]
    #[must_use]
    pub const fn nth(self, n: u32) -> Option<u32> {
        if n >= self.count() {
            return None;
        }
        let mut rest = self.0;
        let mut skipped = 0;
        while skipped < n {
            rest &= rest - 1;
            skipped += 1;
        }
        Some(rest.trailing_zeros())
    }

    /// The lanes, lowest first.
    #[inline(always)]
    #[must_use]
    pub const fn iter(self) -> LaneIter {
        LaneIter(self.0)
    }
}

/// The lanes of a [`LaneMask`], lowest first.
///
/// ```
/// use warploom_device_std::LaneMask;
/// assert!(LaneMask::from_bits(0b1010).into_iter().eq([1, 3]));
/// ```
#[derive(Clone, Debug)]
pub struct LaneIter(u32);

impl Iterator for LaneIter {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        let lane = LaneMask(self.0).lowest()?;
        self.0 &= self.0 - 1;
        Some(lane)
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.0.count_ones() as usize;
        (n, Some(n))
    }
}

impl ExactSizeIterator for LaneIter {}

impl IntoIterator for LaneMask {
    type Item = u32;
    type IntoIter = LaneIter;

    #[inline(always)]
    fn into_iter(self) -> LaneIter {
        self.iter()
    }
}

impl From<u32> for LaneMask {
    #[inline(always)]
    fn from(bits: u32) -> Self {
        LaneMask(bits)
    }
}

impl From<LaneMask> for u32 {
    #[inline(always)]
    fn from(mask: LaneMask) -> Self {
        mask.0
    }
}

macro_rules! operators {
    ($($name:ident $function:ident $op:tt;)*) => {$(
        impl $name for LaneMask {
            type Output = Self;

            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                LaneMask(self.0 $op other.0)
            }
        }
    )*};
}
operators!(BitAnd bitand &; BitOr bitor |; BitXor bitxor ^;);

impl Not for LaneMask {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        LaneMask(!self.0)
    }
}

/// The lanes of the left set that are not in the right one.
impl Sub for LaneMask {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        LaneMask(self.0 & !other.0)
    }
}

impl BitAndAssign for LaneMask {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for LaneMask {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for LaneMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LaneMask({:#010x})", self.0)
    }
}
