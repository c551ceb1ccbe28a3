//! STREAM's triad, `c = a + s * b`.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "shoc",
    name: "triad",
    run,
};

/// A thread per element.
#[kernel(fma)]
fn triad(i: Index1D, a: &[f32], b: &[f32], s: f32, mut c: DisjointSlice<f32>) {
    if let Some(c) = c.get_mut(i) {
        *c = a[i.get()] + s * b[i.get()];
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [1000, 1 << 24][scale as usize];
    let (a, b, s) = (noise(n, 1), noise(n, 2), 1.75);
    let expected = a.iter().zip(&b).map(|(a, b)| a + s * b).collect();

    let (d_a, d_b) = (side.upload(&a)?, side.upload(&b)?);
    let mut c = side.output(&vec![f32::NAN; n], expected, 1e-6)?;
    let blocks = n.div_ceil(128) as u32;
    let arguments = arguments![&d_a, &d_b, &c.buffer, s, n as i32];
    // SAFETY: three vectors of one length, the factor, and the length.
    let twin = unsafe { Call::new("triad", blocks, 128, arguments) };
    side.kernel("triad", vec![twin], &mut c, |stream, c| {
        let shape = Launch::new(blocks, 128);
        Ok(triad::launch(stream, shape, &d_a, &d_b, s, &mut c.buffer)?)
    })
}
