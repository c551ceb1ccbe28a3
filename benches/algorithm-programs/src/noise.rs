//! Input without a pattern.

/// Pseudo-random words, the same in each run.
pub(crate) fn noise(n: usize) -> impl Iterator<Item = u32> {
    (1..=n as u64).map(|i| {
        // The steps of SplitMix64.
        let x = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 32) as u32
    })
}
