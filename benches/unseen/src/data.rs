//! Numbers without a pattern for inputs, the same in each run.

/// Number `i` of the series `seed`.
pub(crate) fn mix(i: usize, seed: u32) -> u32 {
    let x = (i as u32).wrapping_add(seed.wrapping_mul(0x9e37_79b9));
    let x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    let x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// `len` numbers of 32 bits.
pub(crate) fn words(len: usize, seed: u32) -> Vec<u32> {
    (0..len).map(|i| mix(i, seed)).collect()
}

/// `len` numbers in `0..below`.
pub(crate) fn below(len: usize, below: u32, seed: u32) -> Vec<u32> {
    let scaled = |word: u32| ((u64::from(word) * u64::from(below)) >> 32) as u32;
    (0..len).map(|i| scaled(mix(i, seed))).collect()
}

/// `len` bytes.
pub(crate) fn bytes(len: usize, seed: u32) -> Vec<u8> {
    (0..len).map(|i| (mix(i, seed) >> 24) as u8).collect()
}

/// `len` numbers in -1..1, multiples of 2^-23.
pub(crate) fn noise(len: usize, seed: u32) -> Vec<f32> {
    let number = |i| (mix(i, seed) >> 8) as f32 * (1.0 / 8_388_608.0) - 1.0;
    (0..len).map(number).collect()
}

/// `len` numbers in 0..1, multiples of 2^-24.
pub(crate) fn uniform(len: usize, seed: u32) -> Vec<f32> {
    let number = |i| (mix(i, seed) >> 8) as f32 * (1.0 / 16_777_216.0);
    (0..len).map(number).collect()
}
