//! What Rust a kernel may be written in: the language and what `core` and `std` offer without an operating system.
//!
//! Most tests are one function from a slice and an index to a value. The host calls it in a loop, a kernel calls it once per
//! thread, and both must agree.

mod append;
mod atomics;
mod calls;
mod closures;
mod control;
mod data;
mod enums;
mod floats;
mod generics;
mod indices;
mod inline_ptx;
mod integers;
mod iterators;
mod linear_algebra;
mod shared_memory;
mod slices;
mod warps;
mod windows;

use std::fmt::Debug;

use warploom::prelude::*;
use warploom_harness::device_test::check_map;

/// Not a multiple of the block, nor of the warp: four blocks, the last one ragged.
const N: usize = 1003;

#[kernel]
fn each<A: Plain, B: Plain, F: Fn(&[A], usize) -> B + Copy + Send + Sync + 'static>(
    i: Index1D,
    x: &[A],
    mut y: DisjointSlice<B>,
    f: F,
) {
    if let Some(y) = y.get_mut(i) {
        *y = f(x, i.get());
    }
}

/// Expects that `f(x, i)` has one value in thread `i` of a kernel and on the host, for all `i` below the length of `x`.
///
/// `f` is a function, not a closure: the launch has one place, and closures of one function are told apart by their place.
#[track_caller]
fn agree<A: Plain, B: Plain + PartialEq + Debug>(
    x: &[A],
    f: impl Fn(&[A], usize) -> B + Copy + Send + Sync + 'static,
) {
    check_map(
        x,
        |stream, x, y| each::launch(stream, Launch::covering(y.len()), x, y, f),
        |i| f(x, i),
    );
}

/// Numbers without a pattern, the same in every run.
fn noise(n: usize) -> Vec<u32> {
    let mut state = 0x2545_f491_u32;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    (0..n).map(next).collect()
}

/// Numbers between -8 and 8, without a pattern.
fn floats(n: usize) -> Vec<f32> {
    noise(n)
        .into_iter()
        .map(|v| (v >> 8) as f32 / (1 << 20) as f32 - 8.0)
        .collect()
}
