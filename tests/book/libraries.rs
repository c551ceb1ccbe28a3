//! Libraries with kernels: generic ones, which the crate that launches them compiles.
#![expect(unreachable_pub, reason = "as in a library, whose items are public")]

use warploom::prelude::*;

use crate::transcript::shows;

// ANCHOR: library
/// `y[i] = f(x[i])`, for any function of the caller's.
#[kernel]
pub fn map<T: Plain, F: Fn(T) -> T + Copy + 'static>(
    i: Index1D,
    x: &[T],
    mut y: DisjointSlice<T>,
    f: F,
) {
    if let Some(y) = y.get_mut(i) {
        *y = f(x[i.get()]);
    }
}

/// What [`fold_pairs`] does with two elements.
pub trait Operator<T>: 'static {
    /// The result for one pair.
    fn apply(a: T, b: T) -> T;
}

/// `y[i] = O(x[2 i], x[2 i + 1])`.
#[kernel(requires(2 * y.len() <= x.len()))]
pub fn fold_pairs<T: Plain, O: Operator<T>>(i: Index1D, x: &[T], mut y: DisjointSlice<T>) {
    if let Some(y) = y.get_mut(i) {
        *y = O::apply(x[2 * i.get()], x[2 * i.get() + 1]);
    }
}
// ANCHOR_END: library

// ANCHOR: safe
/// A function that hides its kernel: callers need neither a launch shape nor an output.
pub fn sums_of_pairs(stream: &Stream, x: &DeviceBuffer<u32>) -> warploom::Result<Vec<u32>> {
    let mut y = stream.device().zeroed::<u32>(x.len() / 2)?;
    fold_pairs::<u32, Sum>::launch(stream, Launch::covering(y.len()), x, &mut y)?;
    Ok(y.to_vec(stream)?)
}
// ANCHOR_END: safe

// ANCHOR: user
struct Sum;

impl Operator<u32> for Sum {
    fn apply(a: u32, b: u32) -> u32 {
        a + b
    }
}

#[test]
fn a_program_brings_closure_and_operator() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let x = device.upload(&(0..100).collect::<Vec<u32>>())?;
    let mut y = device.zeroed::<u32>(100)?;
    let offset = 5;
    map::launch(&stream, Launch::covering(100), &x, &mut y, move |v| {
        v * v + offset
    })?;
    assert_eq!(y.to_vec(&stream)?[9], 86);
    assert_eq!(sums_of_pairs(&stream, &x)?[49], 98 + 99);
    Ok(())
}
// ANCHOR_END: user

// ANCHOR: refused
#[test]
fn a_launch_that_breaks_the_condition_is_refused() -> warploom::Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let (x, mut y) = (device.zeroed::<u32>(10)?, device.zeroed::<u32>(6)?);
    let refused = fold_pairs::<u32, Sum>::launch(&stream, Launch::covering(6), &x, &mut y);
    let Err(error) = refused else {
        panic!("six pairs of ten elements were taken");
    };
    shows!("requires", &error.to_string());
    Ok(())
}
// ANCHOR_END: refused
