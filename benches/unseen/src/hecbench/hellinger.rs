//! HeCBench `hellinger`: the Hellinger distance of each row of a matrix to each column of another.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::uniform;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "hellinger",
    run,
};

#[kernel(fma)]
fn hellinger(i: Index2D, n: usize, a: &[f32], b: &[f32], mut c: DisjointSlice2D<f32>) {
    let k = c.width();
    if let Some(c) = c.get_mut(i) {
        let row = &a[i.y() * n..][..n];
        let column = b.iter().skip(i.x()).step_by(k);
        let sum: f32 = row.iter().zip(column).map(|(a, b)| (a * b).sqrt()).sum();
        *c = (1.0 - sum).max(0.0).sqrt();
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (m, n, k) = [(20, 40, 30), (768, 1536, 1024)][scale as usize];
    let scaled = |values: Vec<f32>| -> Vec<f32> { values.iter().map(|x| x / n as f32).collect() };
    let (a, b) = (scaled(uniform(m * n, 1)), scaled(uniform(n * k, 2)));
    let expected = |at: usize| {
        let (row, column) = (at / k, at % k);
        let terms =
            (0..n).map(|i| (f64::from(a[row * n + i]) * f64::from(b[i * k + column])).sqrt());
        (1.0 - terms.sum::<f64>()).max(0.0).sqrt() as f32
    };
    let mut c = side.sampled(&vec![f32::NAN; m * k], expected, 1e-4)?;
    let (d_a, d_b) = (side.upload(&a)?, side.upload(&b)?);
    let grid = (k.div_ceil(16) as u32, m.div_ceil(16) as u32);
    let arguments = arguments![&d_a, &d_b, &c.buffer, m as i32, n as i32, k as i32];
    // SAFETY: matrices of these sizes.
    let twin = unsafe { Call::new("hellinger", grid, (16, 16), arguments) };
    side.kernel("hellinger", vec![twin], &mut c, |stream, c| {
        let shape = Launch::new(grid, (16, 16));
        let c = c.buffer.view_2d_mut(k)?;
        Ok(hellinger::launch(stream, shape, n, &d_a, &d_b, c)?)
    })
}
