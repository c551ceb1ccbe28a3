//! Sweeps of the alternating direction implicit method: along rows by a thread per row, along columns by a thread per column.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "polybench",
    name: "adi",
    run,
};

/// A thread per row, from left to right.
#[kernel(fma)]
fn adi_kernel1(
    i: Index1D,
    n: usize,
    a: &[f32],
    mut b: DisjointSlice<f32>,
    mut x: DisjointSlice<f32>,
) {
    let i1 = i.get();
    if i1 >= n {
        return;
    }
    let (b, x) = (b.raw(), x.raw());
    for i2 in 1..n {
        let (at, before) = (i1 * n + i2, i1 * n + i2 - 1);
        // SAFETY: the matrices have n columns, and only this thread accesses its row. No output type is a row of any length per thread.
        unsafe { *x.add(at) -= *x.add(before) * a[at] / *b.add(before) };
        // SAFETY: as above.
        unsafe { *b.add(at) -= a[at] * a[at] / *b.add(before) };
    }
}

/// A thread per column, from top to bottom.
#[kernel(fma)]
fn adi_kernel4(
    i: Index1D,
    n: usize,
    a: &[f32],
    mut b: DisjointSlice<f32>,
    mut x: DisjointSlice<f32>,
) {
    let i2 = i.get();
    if i2 >= n {
        return;
    }
    let (b, x) = (b.raw(), x.raw());
    for i1 in 1..n {
        let (at, before) = (i1 * n + i2, (i1 - 1) * n + i2);
        // SAFETY: as above, for this thread's column.
        unsafe { *x.add(at) -= *x.add(before) * a[at] / *b.add(before) };
        // SAFETY: as above.
        unsafe { *b.add(at) -= a[at] * a[at] / *b.add(before) };
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [64, 2048][scale as usize];
    let (a, x) = (noise(n * n, 1), noise(n * n, 2));
    // Far from zero, so that no quotient grows.
    let b: Vec<f32> = noise(n * n, 3).iter().map(|b| b + 4.0).collect();
    let sweep = |step: usize, across: usize| {
        let (mut b, mut x) = (b.clone(), x.clone());
        for line in 0..n {
            for along in 1..n {
                let at = line * across + along * step;
                x[at] -= x[at - step] * a[at] / b[at - step];
                b[at] -= a[at] * a[at] / b[at - step];
            }
        }
        (b, x)
    };
    let d_a = side.upload(&a)?;
    let blocks = n.div_ceil(256) as u32;
    let shape = Launch::new(blocks, 256);

    let (of_b, of_x) = sweep(1, n);
    let mut both = (side.output(&b, of_b, 1e-4)?, side.output(&x, of_x, 1e-4)?);
    let arguments = arguments![&d_a, &both.0.buffer, &both.1.buffer, n as i32];
    // SAFETY: three matrices and their order.
    let twin = unsafe { Call::new("adi_kernel1", blocks, 256, arguments) };
    side.kernel("adi_kernel1", vec![twin], &mut both, |stream, (b, x)| {
        Ok(adi_kernel1::launch(
            stream,
            shape,
            n,
            &d_a,
            &mut b.buffer,
            &mut x.buffer,
        )?)
    })?;

    let (of_b, of_x) = sweep(n, 1);
    let mut both = (side.output(&b, of_b, 1e-4)?, side.output(&x, of_x, 1e-4)?);
    let arguments = arguments![&d_a, &both.0.buffer, &both.1.buffer, n as i32];
    // SAFETY: as above.
    let twin = unsafe { Call::new("adi_kernel4", blocks, 256, arguments) };
    side.kernel("adi_kernel4", vec![twin], &mut both, |stream, (b, x)| {
        Ok(adi_kernel4::launch(
            stream,
            shape,
            n,
            &d_a,
            &mut b.buffer,
            &mut x.buffer,
        )?)
    })
}
