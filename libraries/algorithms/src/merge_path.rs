//! Merging two sorted sequences in equal parts: of the merged sequence each block has a tile, and of a tile each thread has a few elements.
//!
//! The first `d` elements of the merge are the first `i` of `a` and the first `d - i` of `b`; a binary search finds `i` ([`split_tile`], [`split_all`]).
//! So each part is found without the parts before it. Merges are stable: of equal elements those of `a` come first.
//!
//! A comparison is the user's function and need not be an order. So no address depends on it unchecked: searches end within the bounds
//! that they started with, and what a tile has of `a` and `b` is cut to what there is. Then the values are wrong, and nothing else.

mod pass; // kernels: the splits of all tiles, and their merge
mod tile; // elements in shared memory, and the merge of a thread

pub(crate) use pass::{Part, merge_splits, merge_tiles};
pub(crate) use tile::{
    ELEMENTS, POSITIONS, Run, TileMemory, merge_in_tile, merge_runs, store, striped,
};

use warploom::Launch;

use crate::Error;

/// Threads of a block.
pub(crate) const THREADS: usize = 256;

/// Elements of a thread, by the size of an element: odd where several fit, so that the threads of a warp use different banks of shared memory.
pub(crate) const fn items_of<K>() -> usize {
    const {
        assert!(
            size_of::<K>() <= 64,
            "elements that are sorted or merged have at most 64 bytes; give a smaller key, and the rest as the value of a pair"
        );
    }
    match size_of::<K>() {
        0..=4 => 17,
        5..=8 => 9,
        9..=16 => 5,
        17..=32 => 2,
        _ => 1,
    }
}

/// A block for each tile of `tile` of `n` elements.
pub(crate) fn launch_of(n: usize, tile: usize) -> Result<Launch, Error> {
    let tiles = n.div_ceil(tile);
    match i32::try_from(tiles) {
        Ok(tiles) => Ok(Launch::new(tiles as u32, THREADS as u32)),
        Err(_) => Err(Error::TooMany {
            what: "a sort or a merge",
            most: i32::MAX as u64 * tile as u64,
            len: n,
        }),
    }
}

macro_rules! splits {
    ($($(#[$doc:meta])* $name:ident: $int:ty;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name<K>(
            d: $int,
            (a_len, b_len): ($int, $int),
            (a, b): (impl Fn($int) -> K, impl Fn($int) -> K),
            less: impl Fn(K, K) -> bool,
        ) -> $int {
            let (mut low, mut high) = (d.saturating_sub(b_len), d.min(a_len));
            while low < high {
                let middle = low + (high - low) / 2;
                // `middle < high <= a_len`; `low <= middle < d` and `d - low <= b_len`: both elements exist.
                if less(b(d - 1 - middle), a(middle)) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            low
        }
    )* };
}
splits! {
    /// How many of the first `d` elements of a merge are of `a`, for sequences in a tile. `d <= a_len + b_len`. The result is at least
    /// `d - b_len` and at most `min(d, a_len)`, whatever `less` answers.
    split_tile: u32;
    /// As [`split_tile`], for sequences of any length.
    split_all: usize;
}
