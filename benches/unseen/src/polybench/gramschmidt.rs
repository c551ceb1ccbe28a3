//! A step of the modified Gram-Schmidt process: the norm of column `k`, the column normalised, and later columns made orthogonal to it.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "polybench",
    name: "gramschmidt",
    run,
};

/// A single thread: the norm of column `k`.
#[kernel(fma)]
fn gramschmidt_kernel1(i: Index1D, k: usize, n: usize, a: &[f32], mut r: DisjointSlice<f32>) {
    if let Some(r) = r.get_mut(i) {
        let column = a[k..].iter().step_by(n);
        *r = column.map(|x| x * x).sum::<f32>().sqrt();
    }
}

/// A thread per row: column `k` of Q.
#[kernel(fma)]
fn gramschmidt_kernel2(
    i: Index1D,
    k: usize,
    n: usize,
    a: &[f32],
    r: &[f32],
    mut q: DisjointSlice<f32>,
) {
    if let Some(q) = q.get_mut(i) {
        *q = a[i.get() * n + k] / r[0];
    }
}

/// A thread per column after `k`: its product with `q`, and the column without it.
#[kernel(fma)]
fn gramschmidt_kernel3(
    j: Index1D,
    k: usize,
    n: usize,
    q: &[f32],
    mut r: DisjointSlice<f32>,
    mut a: DisjointSlice<f32>,
) {
    let column = j.get();
    if column <= k || column >= n {
        return;
    }
    let a = a.raw();
    let mut product = 0.0;
    for (i, q) in q.iter().enumerate() {
        // SAFETY: the matrix has n columns, and only this thread accesses this one. No output type is a column per thread.
        product += q * unsafe { *a.add(i * n + column) };
    }
    if let Some(r) = r.get_mut(j) {
        *r = product;
    }
    for (i, q) in q.iter().enumerate() {
        // SAFETY: as above.
        unsafe { *a.add(i * n + column) -= q * product };
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (n, k) = ([60, 2048][scale as usize], 5);
    let a = noise(n * n, 1);
    let norm = (0..n)
        .map(|i| a[i * n + k] * a[i * n + k])
        .sum::<f32>()
        .sqrt();
    let q: Vec<f32> = (0..n).map(|i| a[i * n + k] / norm).collect();
    let mut products = vec![7.0; n];
    let mut orthogonal = a.clone();
    for j in k + 1..n {
        products[j] = (0..n).map(|i| q[i] * a[i * n + j]).sum();
        for i in 0..n {
            orthogonal[i * n + j] -= q[i] * products[j];
        }
    }

    let d_a = side.upload(&a)?;
    let mut d_norm = side.output(&[f32::NAN], vec![norm], 1e-4)?;
    let mut d_q = side.output(&vec![f32::NAN; n], q, 1e-4)?;
    let r = side.output(&vec![7.0; n], products, 1e-4)?;
    let mut both = (r, side.output(&a, orthogonal, 1e-4)?);
    let (k_arg, n_arg) = (k as i32, n as i32);
    let arguments = arguments![&d_a, &d_norm.buffer, k_arg, n_arg];
    // SAFETY: a matrix, one number, a column, and the order.
    let twin = unsafe { Call::new("gramschmidt_kernel1", 1, 256, arguments) };
    side.kernel(
        "gramschmidt_kernel1",
        vec![twin],
        &mut d_norm,
        |stream, norm| {
            let shape = Launch::new(1, 256);
            Ok(gramschmidt_kernel1::launch(
                stream,
                shape,
                k,
                n,
                &d_a,
                &mut norm.buffer,
            )?)
        },
    )?;
    let blocks = n.div_ceil(256) as u32;
    let shape = Launch::new(blocks, 256);
    let arguments = arguments![&d_a, &d_norm.buffer, &d_q.buffer, k_arg, n_arg];
    // SAFETY: a matrix, one number, a vector of the order, a column, and the order.
    let twin = unsafe { Call::new("gramschmidt_kernel2", blocks, 256, arguments) };
    side.kernel("gramschmidt_kernel2", vec![twin], &mut d_q, |stream, q| {
        let (norm, q) = (&d_norm.buffer, &mut q.buffer);
        Ok(gramschmidt_kernel2::launch(
            stream, shape, k, n, &d_a, norm, q,
        )?)
    })?;
    let arguments = arguments![&d_q.buffer, &both.0.buffer, &both.1.buffer, k_arg, n_arg];
    // SAFETY: two vectors of the order, a matrix, a column, and the order.
    let twin = unsafe { Call::new("gramschmidt_kernel3", blocks, 256, arguments) };
    side.kernel(
        "gramschmidt_kernel3",
        vec![twin],
        &mut both,
        |stream, (r, a)| {
            let (q, r, a) = (&d_q.buffer, &mut r.buffer, &mut a.buffer);
            Ok(gramschmidt_kernel3::launch(stream, shape, k, n, q, r, a)?)
        },
    )
}
