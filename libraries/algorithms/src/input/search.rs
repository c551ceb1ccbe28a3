//! Places of values in a sorted input.

use std::marker::PhantomData;

use warploom::device_std::{KernelArg, Plain};

use super::{Concat, Fetch, Memory};

/// Where a value belongs in a sorted input; see [`crate::SortedInputs::lower_bound`](crate::SortedInputs::lower_bound).
#[repr(C)]
pub struct Searched<M, F, N, G, L> {
    sorted: F,
    values: G,
    less: L,
    len: usize,
    /// Whether behind equal elements.
    behind: bool,
    /// Whether only equal elements count.
    equal: bool,
    memory: PhantomData<fn() -> (M, N)>,
}

// SAFETY: two rules, a number, two flags, and a closure, which a launch takes by value if it has these bounds; the device pass refuses one with
// addresses of the host.
unsafe impl<M: 'static, F: KernelArg, N: 'static, G: KernelArg, L> KernelArg
    for Searched<M, F, N, G, L>
where
    L: Copy + Send + Sync + 'static,
{
}

impl<M, F: Copy, N, G: Copy, L: Copy> Clone for Searched<M, F, N, G, L> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M, F: Copy, N, G: Copy, L: Copy> Copy for Searched<M, F, N, G, L> {}

/// What is searched.
#[derive(Clone, Copy)]
pub(crate) enum Search {
    /// The first element that is not less.
    Lower,
    /// The first element that is greater.
    Upper,
    /// The first element that is equal, or `usize::MAX`.
    Equal,
}

impl<M, F, N, G, L> Searched<M, F, N, G, L> {
    pub(crate) fn new(search: Search, (sorted, len): (F, usize), values: G, less: L) -> Self {
        Searched {
            sorted,
            values,
            less,
            len,
            behind: matches!(search, Search::Upper),
            equal: matches!(search, Search::Equal),
            memory: PhantomData,
        }
    }
}

impl<M, F, N, G, L, T> Fetch<M::Both> for Searched<M, F, N, G, L>
where
    M: Concat<N>,
    F: Fetch<M, Item = T>,
    N: Memory,
    G: Fetch<N, Item = T>,
    T: Copy,
    L: Fn(T, T) -> bool + Copy + Send + Sync + 'static,
{
    type Item = usize;
    const CHAINED: u32 = 2;

    #[inline(always)]
    fn get(self, view: <M::Both as Memory>::View<'_>, i: usize) -> usize {
        let (sorted, values) = M::split(view);
        let (value, sorted) = (
            self.values.get(values, i),
            self.sorted.part(sorted, 0, self.len),
        );
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low + (high - low) / 2;
            let before = if self.behind {
                !(self.less)(value, sorted(middle))
            } else {
                (self.less)(sorted(middle), value)
            };
            if before {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if self.equal && (low == self.len || (self.less)(value, sorted(low))) {
            return usize::MAX;
        }
        low
    }
}

/// Numbers of elements as outputs have them: `u32`, `u64` or `usize`. The largest stands for "no element".
pub trait FromPlace: Plain {
    /// The number for "no element".
    const NONE: Self;

    /// `place`, or [`NONE`](Self::NONE) if it is larger.
    fn from_place(place: usize) -> Self;
}

macro_rules! from_place {
    ($($ty:ty)*) => {$(
        impl FromPlace for $ty {
            const NONE: $ty = <$ty>::MAX;

            #[inline(always)]
            fn from_place(place: usize) -> $ty {
                <$ty>::try_from(place).unwrap_or(<$ty>::MAX)
            }
        }
    )*};
}
from_place!(u32 u64 usize);
