//! What CUDA's documents say that the lanes of a warp see, written without a warp.

use warploom::device_std::LaneMask;

/// Lanes that take part: single lanes, halves, patterns, noise.
pub(crate) const MASKS: [u32; 16] = [
    0xFFFF_FFFF,
    0x0000_0001,
    0x8000_0000,
    0x0000_FFFF,
    0xFFFF_0000,
    0x5555_5555,
    0xAAAA_AAAA,
    0x0F0F_0F0F,
    0x0000_000F,
    0x7FFF_FFFE,
    0x1234_5678,
    0xDEAD_BEEF,
    0x0001_0001,
    0xFF00_FF00,
    0x8000_0001,
    0x3FC0_0000,
];

pub(crate) const WIDTHS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// The four modes of a shuffle, as `0..4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Idx,
    Up,
    Down,
    Xor,
}

pub(crate) const MODES: [Mode; 4] = [Mode::Idx, Mode::Up, Mode::Down, Mode::Xor];

/// The lane that `lane` reads: the warp is cut into sections of `width`, each behaves as a warp of its own; `idx` wraps around in the
/// section, `up` and `down` do not, `xor` may read earlier sections only.
pub(crate) fn source(mode: Mode, width: u32, lane: u32, operand: u32) -> u32 {
    let (section, within) = (lane / width, lane % width);
    let few = operand % 32; // the instruction has five bits for it
    match mode {
        Mode::Idx => section * width + operand % width,
        Mode::Up if few > within => lane,
        Mode::Up => lane - few,
        Mode::Down if within + few >= width => lane,
        Mode::Down => lane + few,
        Mode::Xor if (lane ^ few) / width > section => lane,
        Mode::Xor => lane ^ few,
    }
}

pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = u32> + Clone {
    LaneMask::from_bits(mask).iter()
}

/// Numbers without pattern.
pub(crate) fn noise(i: u32) -> u64 {
    let mut x = u64::from(i).wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

/// The lanes of the block of thread `i` that are in its warp, in a block of `block` threads: first thread and number.
pub(crate) fn warp_of(i: usize, block: usize) -> (usize, usize) {
    let first = i / block * block + i % block / 32 * 32;
    (first, (i / block * block + block - first).min(32))
}
