//! What a case is: a computation of numbers with a crate, and a kernel that does it in each thread.

use std::fmt::Debug;
use warploom::prelude::*;

/// How many threads compute; each from a number of its own.
pub const THREADS: usize = 64;

/// What a thread computes: numbers that depend on all that the crate did.
pub type Numbers = [u64; 4];

/// A crate, the same computation for the host, and the launch of its kernel.
pub struct Case {
    pub name: &'static str,
    pub compute: fn(u64) -> Numbers,
    pub launch: fn(&Stream, &mut DeviceBuffer<Numbers>) -> Result<(), warploom::Error>,
}

/// A module with the computation and its kernel.
macro_rules! case {
    ($module:ident, $name:literal, |$x:ident| $body:block) => {
        pub mod $module {
            use crate::case::*;
            use warploom::prelude::*;

            pub fn compute($x: u64) -> Numbers {
                $body
            }

            #[kernel]
            fn run(i: Index1D, mut results: DisjointSlice<Numbers>) {
                if let Some(result) = results.get_mut(i) {
                    *result = compute(number(i.get()));
                }
            }

            pub const CASE: Case = Case {
                name: $name,
                compute,
                launch: |stream, results| {
                    Ok(run::launch(stream, Launch::covering(THREADS), results)?)
                },
            };
        }
    };
}
pub(crate) use case;

/// The number that a thread computes from: all of its bits vary (SplitMix64).
pub fn number(thread: usize) -> u64 {
    let z = (thread as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// One number of many bytes: every byte counts, at its place (FNV-1a).
pub fn digest(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

/// As many bytes as there is room for, from a number.
pub fn bytes<const N: usize>(x: u64) -> [u8; N] {
    let mut bytes = [0; N];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = (x.rotate_left(i as u32 * 7) >> 3) as u8 ^ i as u8;
    }
    bytes
}

/// A float between 0 and 1 from bits of a number.
pub fn unit(x: u64, bits: u32) -> f64 {
    (x >> bits & 0xffff) as f64 / 65536.0
}

/// A float without its last digits: the C library of the host and the device library may round transcendental functions differently there
/// (docs/generated/math.md), and crates call the one or the other.
pub fn near(value: f64) -> u64 {
    (value * 1e9).round_ties_even() as i64 as u64
}

/// What must not fail, without the text of the error: formatting it would be most of the kernel.
pub fn sure<T, E: Debug>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(_) => panic!("the crate refuses what it should take"),
    }
}
