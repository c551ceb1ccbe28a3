//! The two products of the biconjugate gradient method: `s = Aᵀ r` and `q = A p`.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "polybench",
    name: "bicg",
    run,
};

/// A thread per column.
#[kernel(fma)]
fn bicg_kernel1(j: Index1D, m: usize, a: &[f32], r: &[f32], mut s: DisjointSlice<f32>) {
    if let Some(s) = s.get_mut(j) {
        *s = r
            .iter()
            .enumerate()
            .map(|(i, r)| r * a[i * m + j.get()])
            .sum();
    }
}

/// A thread per row.
#[kernel(fma)]
fn bicg_kernel2(i: Index1D, m: usize, a: &[f32], p: &[f32], mut q: DisjointSlice<f32>) {
    if let Some(q) = q.get_mut(i) {
        let mut sum = 0.0;
        for j in 0..m {
            sum += a[i.get() * m + j] * p[j];
        }
        *q = sum;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (n, m) = [(90, 110), (4096, 4096)][scale as usize];
    let (a, r, p) = (noise(n * m, 1), noise(n, 2), noise(m, 3));
    let mut expected_s = vec![0.0; m];
    let mut expected_q = vec![0.0; n];
    for i in 0..n {
        for j in 0..m {
            expected_s[j] += r[i] * a[i * m + j];
            expected_q[i] += a[i * m + j] * p[j];
        }
    }

    let (d_a, d_r, d_p) = (side.upload(&a)?, side.upload(&r)?, side.upload(&p)?);
    let mut s = side.output(&vec![f32::NAN; m], expected_s, 1e-3)?;
    let mut q = side.output(&vec![f32::NAN; n], expected_q, 1e-3)?;

    let blocks = m.div_ceil(256) as u32;
    let arguments = arguments![&d_a, &d_r, &s.buffer, n as i32, m as i32];
    // SAFETY: a matrix, a vector of its rows, one of its columns, and how many of each there are.
    let twin = unsafe { Call::new("bicg_kernel1", blocks, 256, arguments) };
    side.kernel("bicg_kernel1", vec![twin], &mut s, |stream, s| {
        let shape = Launch::new(blocks, 256);
        Ok(bicg_kernel1::launch(
            stream,
            shape,
            m,
            &d_a,
            &d_r,
            &mut s.buffer,
        )?)
    })?;

    let blocks = n.div_ceil(256) as u32;
    let arguments = arguments![&d_a, &d_p, &q.buffer, n as i32, m as i32];
    // SAFETY: as above, the other way round.
    let twin = unsafe { Call::new("bicg_kernel2", blocks, 256, arguments) };
    side.kernel("bicg_kernel2", vec![twin], &mut q, |stream, q| {
        let shape = Launch::new(blocks, 256);
        Ok(bicg_kernel2::launch(
            stream,
            shape,
            m,
            &d_a,
            &d_p,
            &mut q.buffer,
        )?)
    })
}
