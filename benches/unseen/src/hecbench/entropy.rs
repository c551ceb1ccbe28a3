//! HeCBench `entropy`: the entropy of the values in a window of 5 by 5 around each element.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::below;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "entropy",
    run,
};

const RADIUS: usize = 2;
const VALUES: usize = 16;

#[kernel(fma, block(16, 16))]
fn entropy(i: Index2D, width: u32, height: u32, values: &[u8], mut result: DisjointSlice2D<f32>) {
    let (width, height) = (width as usize, height as usize);
    if let Some(result) = result.get_mut(i) {
        let mut counts = [0u8; VALUES];
        let mut total = 0;
        for y in i.y().saturating_sub(RADIUS)..=(i.y() + RADIUS).min(height - 1) {
            for x in i.x().saturating_sub(RADIUS)..=(i.x() + RADIUS).min(width - 1) {
                counts[usize::from(values[y * width + x])] += 1;
                total += 1;
            }
        }
        let mut entropy = 0.0;
        for count in counts {
            if count > 0 {
                let p = f32::from(count) / total as f32;
                entropy -= p * p.log2();
            }
        }
        *result = entropy;
    }
}

fn reference(width: usize, height: usize, values: &[u8], at: usize) -> f32 {
    let (x, y) = (at % width, at / width);
    let mut window: Vec<u8> = Vec::new();
    for row in y.saturating_sub(RADIUS)..(y + RADIUS + 1).min(height) {
        window.extend(
            &values
                [row * width + x.saturating_sub(RADIUS)..row * width + (x + RADIUS + 1).min(width)],
        );
    }
    let entropy = |value: u8| match window.iter().filter(|&&v| v == value).count() {
        0 => 0.0,
        count => {
            let p = count as f64 / window.len() as f64;
            -p * p.log2()
        }
    };
    (0..VALUES as u8).map(entropy).sum::<f64>() as f32
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (width, height) = [(60, 50), (2048, 2048)][scale as usize];
    let n = width * height;
    let values: Vec<u8> = below(n, VALUES as u32, 1)
        .iter()
        .map(|&v| v as u8)
        .collect();
    let mut result = side.sampled(
        &vec![f32::NAN; n],
        |at| reference(width, height, &values, at),
        1e-5,
    )?;
    let d_values = side.upload(&values)?;
    let (grid, block) = (
        (width.div_ceil(16) as u32, height.div_ceil(16) as u32),
        (16, 16),
    );
    let (w, h) = (width as u32, height as u32);
    let arguments = arguments![w as i32, h as i32, &d_values, &result.buffer];
    // SAFETY: width and height, two matrices of that size.
    let twin = unsafe { Call::new("entropy", grid, block, arguments) };
    side.kernel("entropy", vec![twin], &mut result, |stream, result| {
        let shape = Launch::new(grid, block);
        let result = result.buffer.view_2d_mut(width)?;
        Ok(entropy::launch(stream, shape, w, h, &d_values, result)?)
    })
}
