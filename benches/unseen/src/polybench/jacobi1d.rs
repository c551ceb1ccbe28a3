//! A three-point stencil in one dimension, and the copy back.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "polybench",
    name: "jacobi1d",
    run,
};

/// A thread per inner element.
#[kernel(fma)]
fn jacobi1d_kernel1(i: Index1D, a: &[f32], mut b: DisjointSlice<f32>) {
    let at = i.get();
    if at > 0
        && at < a.len() - 1
        && let Some(b) = b.get_mut(i)
    {
        *b = 0.33333 * a[at - 1..=at + 1].iter().sum::<f32>();
    }
}

/// A thread per inner element.
#[kernel]
fn jacobi1d_kernel2(j: Index1D, b: &[f32], mut a: DisjointSlice<f32>) {
    let at = j.get();
    if at > 0
        && at < b.len() - 1
        && let Some(a) = a.get_mut(j)
    {
        *a = b[at];
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [1000, 1 << 24][scale as usize];
    let a = noise(n, 1);
    let mut expected_b = vec![7.0; n];
    let mut expected_a = a.clone();
    for i in 1..n - 1 {
        expected_b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
        expected_a[i] = expected_b[i];
    }

    let mut b = side.output(&vec![7.0; n], expected_b, 1e-6)?;
    let d_a = side.upload(&a)?;
    let mut a = side.output(&a, expected_a, 1e-6)?;
    let blocks = n.div_ceil(256) as u32;
    let shape = Launch::new(blocks, 256);
    let arguments = arguments![&d_a, &b.buffer, n as i32];
    // SAFETY: two vectors and their length.
    let twin = unsafe { Call::new("jacobi1d_kernel1", blocks, 256, arguments) };
    side.kernel("jacobi1d_kernel1", vec![twin], &mut b, |stream, b| {
        Ok(jacobi1d_kernel1::launch(
            stream,
            shape,
            &d_a,
            &mut b.buffer,
        )?)
    })?;
    let arguments = arguments![&b.buffer, &a.buffer, n as i32];
    // SAFETY: as above.
    let twin = unsafe { Call::new("jacobi1d_kernel2", blocks, 256, arguments) };
    side.kernel("jacobi1d_kernel2", vec![twin], &mut a, |stream, a| {
        Ok(jacobi1d_kernel2::launch(
            stream,
            shape,
            &b.buffer,
            &mut a.buffer,
        )?)
    })
}
