//! Closures and functions as parameters of kernels, and closures inside of them.

use warploom::prelude::*;
use warploom_harness::device_test::{check, check_map};

use crate::{N, agree, noise};

#[kernel]
fn map<A: Plain, B: Plain, F: Fn(A) -> B + Copy + Send + Sync + 'static>(
    i: Index1D,
    x: &[A],
    mut y: DisjointSlice<B>,
    f: F,
) {
    if let Some(y) = y.get_mut(i) {
        *y = f(x[i.get()]);
    }
}

#[kernel]
fn map_if<P, F>(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>, holds: P, f: F)
where
    P: Fn(u32) -> bool + Copy + Send + Sync + 'static,
    F: Fn(u32, usize) -> u32 + Copy + Send + Sync + 'static,
{
    let Some(y) = y.get_mut(i) else { return };
    let v = x[i.get()];
    *y = if holds(v) { f(v, i.get()) } else { 0 };
}

//@ rows: GCX-8
#[test]
fn two_closures_of_one_function() {
    let x = noise(N);
    let shape = Launch::covering(N);
    check_map(
        &x,
        |stream, x, y| map::launch(stream, shape, x, y, |v: u32| v.rotate_left(3)),
        |i| x[i].rotate_left(3),
    );
    check_map(
        &x,
        |stream, x, y| map::launch(stream, shape, x, y, |v: u32| !v),
        |i| !x[i],
    );
}

#[test]
fn captures_of_several_sizes() {
    let x = noise(N);
    let (a, b, c, d) = (3u8, -7.5f64, [10u16, 20, 30], Some(9u32));
    let f = move |v: u32| {
        f64::from(v % 100) * b + f64::from(a) + f64::from(c[v as usize % 3] + d.unwrap_or(1) as u16)
    };
    check_map(
        &x,
        |stream, x, y| map::launch(stream, Launch::new(31, 33), x, y, f),
        |i| f(x[i]),
    );
}

//@ rows: GCX-7
#[test]
fn two_closures_as_parameters() {
    let x = noise(N);
    let (modulus, shift) = (3, 5);
    check_map(
        &x,
        |stream, x, y| {
            let holds = move |v: u32| v.is_multiple_of(modulus);
            let shape = Launch::covering(N);
            map_if::launch(stream, shape, x, y, holds, move |v, i| {
                (v >> shift) + i as u32
            })
        },
        |i| {
            if x[i].is_multiple_of(3) {
                (x[i] >> 5) + i as u32
            } else {
                0
            }
        },
    );
}

fn triple(v: u32) -> u64 {
    3 * u64::from(v)
}

#[test]
fn functions_and_constructors_as_parameters() {
    let x = noise(N);
    let shape = Launch::covering(N);
    check_map(
        &x,
        |stream, x, y| map::launch(stream, shape, x, y, triple),
        |i| triple(x[i]),
    );
    check_map(
        &x,
        |stream, x, y| map::launch(stream, shape, x, y, u32::swap_bytes),
        |i| x[i].swap_bytes(),
    );
    check_map(
        &x,
        |stream, x, y| map::launch(stream, shape, x, y, <f64 as From<u32>>::from),
        |i| f64::from(x[i]),
    );
}

/// A closure of a generic function: its type differs with `ADDEND`, its place in the source does not.
#[track_caller]
fn add<const ADDEND: u32>(x: &[u32]) {
    check_map(
        x,
        |stream, x, y| {
            map::launch(stream, Launch::covering(N), x, y, |v: u32| {
                v.wrapping_add(ADDEND)
            })
        },
        |i| x[i].wrapping_add(ADDEND),
    );
}

#[test]
fn closures_of_generic_functions() {
    add::<1>(&noise(N));
    add::<1000>(&noise(N));
}

fn compose<A, B, C>(
    f: impl Fn(A) -> B + Copy,
    g: impl Fn(B) -> C + Copy,
) -> impl Fn(A) -> C + Copy {
    move |v| g(f(v))
}

#[test]
fn composed_closures() {
    let x = noise(N);
    let offset = 11;
    let f = compose(
        move |v: u32| v / offset,
        compose(|v| v ^ 0x55, |v: u32| u64::from(v) << 3),
    );
    check_map(
        &x,
        |stream, x, y| map::launch(stream, Launch::covering(N), x, y, f),
        |i| f(x[i]),
    );
}

fn inside(x: &[u32], i: usize) -> [u32; 4] {
    let mut calls = 0;
    let mut sum = 0u32;
    let mut add = |v: u32| {
        calls += 1;
        sum = sum.wrapping_add(v * calls);
    };
    for &v in &x[i / 2..i.min(i / 2 + 9)] {
        add(v % 1000);
    }
    fn twice(f: &dyn Fn(u32) -> u32, v: u32) -> u32 {
        f(f(v))
    }
    let taken = [sum; 2];
    let give = move || taken;
    [
        calls,
        sum,
        twice(&|v| v.wrapping_mul(v) ^ sum, x[i]),
        give()[1],
    ]
}

#[test]
fn closures_inside_a_kernel() {
    agree(&noise(N), inside);
}

#[test]
fn a_closure_without_captures_takes_no_room() {
    // The parameter has no bytes, and the one behind it must not move.
    check(&[17; 5], |device, stream| {
        let x = device.upload(&[16u32; 5])?;
        let mut y = device.zeroed::<u32>(5)?;
        apply_then_add::launch(stream, Launch::new(2, 3), |v: u32| v + 1, &x, &mut y, 0)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn apply_then_add<F: Fn(u32) -> u32 + Copy + Send + Sync + 'static>(
    i: Index1D,
    f: F,
    x: &[u32],
    mut y: DisjointSlice<u32>,
    addend: u32,
) {
    if let Some(y) = y.get_mut(i) {
        *y = f(x[i.get()]) + addend;
    }
}
