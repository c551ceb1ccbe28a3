//! A kernel, its inputs and what it must compute.

use std::fmt::Debug;

use warploom::device_std::Plain;
use warploom::prelude::*;
use warploom::{Device, Stream};

/// Threads of a block.
pub const THREADS: usize = 256;

/// Blocks of a launch.
pub const BLOCKS: usize = 64;

/// Threads of a launch: 512 full warps.
pub const N: usize = THREADS * BLOCKS;

/// One kernel, launched once.
#[derive(Clone, Copy)]
pub struct Case {
    /// The kernel's name, and the case's.
    pub name: &'static str,
    /// What its threads access.
    pub about: &'static str,
    /// Uploads the inputs, launches the kernel, and compares what comes back.
    pub run: fn(&Device, &Stream) -> Result<(), String>,
}

/// An element that can be told from others.
pub trait Element: Plain + PartialEq + Debug {
    /// The element for a number; all bytes of that for 0 are 0.
    fn of(n: usize) -> Self;
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Element for $number {
            fn of(n: usize) -> Self {
                n as $number
            }
        }
    )*};
}
numbers!(u8 u32 f32 f64);

impl<T: Element, const M: usize> Element for [T; M] {
    fn of(n: usize) -> Self {
        std::array::from_fn(|k| T::of(n * (k + 1)))
    }
}

/// Two numbers that a GPU reads and writes with one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C, align(8))]
pub struct Pair(pub [f32; 2]);

impl Element for Pair {
    fn of(n: usize) -> Self {
        Self(Element::of(n))
    }
}

/// Four of them.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C, align(16))]
pub struct Vector(pub [f32; 4]);

impl Element for Vector {
    fn of(n: usize) -> Self {
        Self(Element::of(n))
    }
}

/// `n` elements that differ, as far as their type allows.
#[must_use]
pub fn input<T: Element>(n: usize) -> Vec<T> {
    (1..=n).map(T::of).collect()
}

/// A number below `n` for each thread, in no order; the same in every run.
#[must_use]
pub fn random(n: usize) -> Vec<u32> {
    let mut state = 0x2545_f491_u32;
    let next = |_| {
        // The generator of Marsaglia with the shifts 13, 17 and 5.
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state % n as u32
    };
    (0..N).map(next).collect()
}

/// All numbers below `N`, in no order.
#[must_use]
pub fn shuffled() -> Vec<u32> {
    let mut order: Vec<u32> = (0..N as u32).collect();
    for (from, to) in random(N).into_iter().enumerate() {
        order.swap(from, to as usize);
    }
    order
}

/// Fails with the first element that is not as expected.
pub fn compare<T: PartialEq + Debug>(found: &[T], expected: &[T]) -> Result<(), String> {
    let mut both = found.iter().zip(expected).enumerate();
    match both.find(|(_, (found, expected))| found != expected) {
        Some((at, (found, expected))) => {
            Err(format!("element {at} is {found:?} instead of {expected:?}"))
        }
        None => Ok(()),
    }
}

/// Writes element `at` of an output that is not written by the thread's own index.
///
/// # Safety
/// No other thread writes this element.
#[inline(always)]
#[track_caller]
pub unsafe fn put<T: Plain>(y: &mut DisjointSlice<T>, at: usize, value: T) {
    assert!(at < y.len(), "element {at} of {}", y.len());
    let start = y.raw();
    // SAFETY: within the output, as asserted.
    let to = unsafe { start.add(at) };
    // SAFETY: the caller promises that no other thread writes here; none reads the output.
    unsafe { to.write(value) }
}

/// A case of a kernel that takes an input and an output of the same type: `kernel(lengths of both) "about", |x, y| what it computes`. With `by NUMBERS` the
/// kernel takes a number for each thread before them.
macro_rules! case {
    ($kernel:ident: $element:ty, ($n_in:expr, $n_out:expr) $(by $numbers:expr)?, $about:literal, |$x:ident, $y:ident| $expected:expr) => {
        $crate::Case {
            name: stringify!($kernel),
            about: $about,
            run: |device, stream| {
                use $crate::case::{BLOCKS, Element, THREADS, compare, input};
                let run = || -> warploom::Result<_> {
                    let $x: Vec<$element> = input($n_in);
                    let mut $y = vec![<$element>::of(0); $n_out];
                    let from = device.upload(&$x)?;
                    let mut to = device.upload(&$y)?;
                    $kernel::launch(
                        stream,
                        warploom::Launch::new(BLOCKS as u32, THREADS as u32),
                        $(&device.upload::<u32>(&$numbers)?,)?
                        &from,
                        &mut to,
                    )?;
                    $expected;
                    Ok((to.to_vec(stream)?, $y))
                };
                let (found, expected) = run().map_err(|error| error.to_string())?;
                compare(&found, &expected)
            },
        }
    };
}
pub(crate) use case;
