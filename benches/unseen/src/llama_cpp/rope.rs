//! llama.cpp `rope`: pairs of neighbours in a row turn by an angle that depends on the row's position and on the pair.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "llama_cpp",
    name: "rope",
    run,
};

#[kernel(fma)]
fn rope(
    i: Index1D,
    columns: u32,
    rows_per_position: u32,
    theta_scale: f32,
    x: &[[f32; 2]],
    positions: &[i32],
    mut y: DisjointSlice<f32, Chunks<2>>,
) {
    if let Some(y) = y.get_mut(i) {
        let pairs = columns as usize / 2;
        let (row, pair) = (i.get() / pairs, i.get() % pairs);
        let position = positions[row / rows_per_position as usize];
        let theta = position as f32 * theta_scale.powf(pair as f32);
        let (sin, cos) = theta.sin_cos();
        let [x0, x1] = x[i.get()];
        *y = [x0 * cos - x1 * sin, x0 * sin + x1 * cos];
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (tokens, heads, columns) = [(10, 3, 32), (2048, 32, 128)][scale as usize];
    let pairs = columns / 2;
    let theta_scale = 10000f32.powf(-2.0 / columns as f32);
    let n = tokens * heads * pairs;
    let values = noise(2 * n, 1);
    let positions: Vec<i32> = (0..tokens as i32).map(|t| t + 5).collect();
    let expected = |at: usize| {
        let (pair, position) = (at / 2 % pairs, positions[at / columns / heads]);
        // The angle in the precision of the kernel: for large positions its rounding is what counts.
        let theta = f64::from(position as f32 * theta_scale.powf(pair as f32));
        let (x0, x1) = (
            f64::from(values[at / 2 * 2]),
            f64::from(values[at / 2 * 2 + 1]),
        );
        let turned = match at % 2 {
            0 => x0 * theta.cos() - x1 * theta.sin(),
            _ => x0 * theta.sin() + x1 * theta.cos(),
        };
        turned as f32
    };
    let mut y = side.sampled(&vec![f32::NAN; 2 * n], expected, 2e-3)?;
    let x: Vec<[f32; 2]> = values.chunks(2).map(|p| [p[0], p[1]]).collect();
    let (x, d_positions) = (side.upload(&x)?, side.upload(&positions)?);
    let blocks = n.div_ceil(256) as u32;
    let (c, heads) = (columns as u32, heads as u32);
    let arguments = arguments![
        &x,
        &d_positions,
        &y.buffer,
        c as i32,
        heads as i32,
        theta_scale,
        n as i32
    ];
    // SAFETY: pairs, a position for so many rows, pairs; columns, rows for a position, a factor, how many pairs there are.
    let twin = unsafe { Call::new("rope", blocks, 256, arguments) };
    side.kernel("rope", vec![twin], &mut y, |stream, y| {
        let shape = Launch::new(blocks, 256);
        let y = &mut y.buffer;
        Ok(rope::launch(
            stream,
            shape,
            c,
            heads,
            theta_scale,
            &x,
            &d_positions,
            y,
        )?)
    })
}
