//! Where the tiles of a set operation begin: at splits of the merge that cut no pair of equal elements.
//!
//! A split of a merge may have the first of two equal elements before it and the second behind it, since all of `a` come before the first of `b`. Then the pairs of that value
//! are taken in order instead: as many of `a` as of `b`, while there are both. So each part of the merge has the partners of its elements, and finds pairs by merging alone.
//! (Baxter, "Modern GPU", balanced path.)

use std::ops::{Add, Shr, Sub};

use warploom::device_std::launch_dependents;
use warploom::prelude::*;

use crate::merge_path::split_all;

/// Numbers of elements: of a tile, or of whole inputs.
pub(super) trait ElementIndex:
    Copy + Ord + From<u8> + Add<Output = Self> + Sub<Output = Self> + Shr<u32, Output = Self>
{
}
impl ElementIndex for u32 {}
impl ElementIndex for usize {}

/// A split that cuts no pair, near the split that has the first `i` elements of `a` and the first `j` of `b` before it: with as many elements before it, or one more.
/// Whatever `less` answers, the result is at most the lengths.
#[inline(always)]
pub(super) fn balanced<K, I: ElementIndex>(
    (i, j): (I, I),
    b_len: I,
    (a, b): (impl Fn(I) -> K, impl Fn(I) -> K),
    less: impl Fn(K, K) -> bool,
) -> (I, I) {
    let [zero, one] = [0, 1].map(I::from);
    // A pair is cut if the last element before the split is of `a` and the next one of `b`, and both are equal.
    if i == zero || j >= b_len || less(a(i - one), b(j)) {
        return (i, j);
    }
    let first_of_a = first_equal(i - one, &a, || b(j), &less);
    let first_of_b = first_equal(j, &b, || b(j), &less);
    let (of_a, of_b) = (i - first_of_a, j - first_of_b);
    // Of the elements of this value before the split, half are of `b` if it has so many.
    let all = of_a + of_b;
    let half = (all + one) >> 1;
    if of_b >= half {
        return (i, j);
    }
    // `b` has `of_b + 1` at least.
    let (mut low, mut high) = (of_b + one, half.min(b_len - first_of_b));
    while low < high {
        // The last one first: most often there are so many.
        let middle = if high == half {
            high
        } else {
            low + ((high - low + one) >> 1)
        };
        if less(b(j), b(first_of_b + middle - one)) {
            high = middle - one;
        } else {
            low = middle;
        }
    }
    // `half <= of_a`, and `low <= half`.
    let of_a = if low == half { half } else { all - low };
    (first_of_a + of_a, first_of_b + low)
}

/// The first of the elements before `end` from which on none is less than `value`: first near `end`, as runs of equal elements are mostly short.
#[inline(always)]
fn first_equal<K, I: ElementIndex>(
    end: I,
    element: impl Fn(I) -> K,
    value: impl Fn() -> K,
    less: impl Fn(K, K) -> bool,
) -> I {
    let [zero, one] = [0, 1].map(I::from);
    let (mut low, mut high, mut step) = (zero, end, one);
    while low < high {
        let middle = if step < high - low {
            high - step
        } else {
            low + ((high - low) >> 1)
        };
        if less(element(middle), value()) {
            low = middle + one;
            // From here on halves.
            step = end;
        } else {
            high = middle;
            // No more than two lengths: it was less than one, or halves since then.
            step = if step < end { step + step } else { step };
        }
    }
    low
}

/// How many elements come before a tile that begins at element `d` of the merge, and that of `a` among them: packed in 64 bits.
#[inline(always)]
pub(super) fn packed(d: usize, (i, j): (usize, usize)) -> u64 {
    (i as u64) << 1 | u64::from(i + j > d)
}

/// As many elements of `a` and of `b` as a [`packed`] split of element `d` has before it, but no more than there are.
#[inline(always)]
pub(super) fn unpacked(d: usize, split: u64, (a_len, b_len): (usize, usize)) -> (usize, usize) {
    let all = d + (split & 1) as usize;
    let i = ((split >> 1) as usize).min(a_len).min(all);
    (i, (all - i).min(b_len))
}

/// Of each tile of `tile` elements where it begins, [`packed`]. `lanes` threads for each tile ([`split_all`]).
#[kernel(block(256), dependent_launch)]
pub fn set_splits<K, L>(
    thread: Index1D,
    warp: Warp,
    a: &[K],
    b: &[K],
    tile: usize,
    lanes: u32,
    less: L,
    mut splits: DisjointSlice<u64>,
) where
    K: Plain,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
{
    launch_dependents();
    let index = thread.get() >> lanes.trailing_zeros();
    // Threads behind the last tile search with the others of their warp, for what is there.
    let searched = index.min(splits.len() - 1);
    let d = searched * tile;
    let elements = (|i: usize| a[i], |i: usize| b[i]);
    let split = split_all(warp, lanes, d, (a.len(), b.len()), elements, less);
    if warp.lane().is_multiple_of(lanes) && index < splits.len() {
        let split = balanced((split, d - split), b.len(), elements, less);
        // SAFETY: within the slice; the first of a tile's threads alone has its number.
        unsafe { splits.raw().wrapping_add(index).write(packed(d, split)) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The splits of the merge that takes pairs of equal elements in order, then those that are left.
    fn expected(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
        let (mut i, mut j, mut splits) = (0, 0, vec![]);
        while i < a.len() || j < b.len() {
            splits.push((i, j));
            match (a.get(i), b.get(j)) {
                (Some(x), Some(y)) if x == y => {
                    // The split between both is the one behind them.
                    (i, j) = (i + 1, j + 1);
                    splits.push((i, j));
                }
                (Some(x), Some(y)) if x > y => j += 1,
                (Some(_), _) => i += 1,
                _ => j += 1,
            }
        }
        splits.push((i, j));
        splits
    }

    fn merge_split(d: usize, a: &[u32], b: &[u32]) -> (usize, usize) {
        let (mut i, mut j) = (0, 0);
        while i + j < d {
            if i < a.len() && (j == b.len() || a[i] <= b[j]) {
                i += 1;
            } else {
                j += 1;
            }
        }
        (i, j)
    }

    #[test]
    fn no_pair_is_cut() {
        // All ascending sequences of up to five values below 3, as counts of each value.
        let counts = |code: usize| [code % 6, code / 6 % 6, code / 36];
        let sequence = |code: usize| -> Vec<u32> {
            let [x, y, z] = counts(code);
            [vec![0; x], vec![1; y], vec![2; z]].concat()
        };
        for (first, second) in (0..216).flat_map(|first| (0..216).map(move |s| (first, s))) {
            let (a, b) = (sequence(first), sequence(second));
            let expected = expected(&a, &b);
            for (d, expected) in expected.iter().enumerate() {
                let split = merge_split(d, &a, &b);
                let elements = (|i: usize| a[i], |j: usize| b[j]);
                let found = balanced(split, b.len(), elements, |x, y| x < y);
                assert_eq!(found, *expected, "{a:?} {b:?} at {d}");
                assert_eq!(unpacked(d, packed(d, found), (a.len(), b.len())), found);
            }
        }
    }

    #[test]
    fn answers_that_are_no_order_stay_within_the_lengths() {
        for code in 0..1u32 << 10 {
            let answer = |x: u32, y: u32| code >> ((x * 7 + y * 3) % 10) & 1 != 0;
            for (i, j) in (0..6).flat_map(|i| (0..6).map(move |j| (i, j))) {
                let elements = (
                    |k: usize| {
                        assert!(k < 5, "an element behind the end of a");
                        k as u32
                    },
                    |k: usize| {
                        assert!(k < 5, "an element behind the end of b");
                        k as u32 + 5
                    },
                );
                let (p, q) = balanced((i.min(5), j.min(5)), 5, elements, answer);
                assert!(p <= 5 && q <= 5, "{p} and {q}");
            }
        }
    }
}
