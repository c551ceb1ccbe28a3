//! A mean over a sliding window: a thread per column walks down an image.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::uniform;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "box_filter",
    run,
};

/// A thread per column; the window is `2 r + 1` high, and the border's pixel stands for those beyond.
#[kernel(fma)]
fn boxfilter_y(
    x: Index1D,
    width: usize,
    height: usize,
    r: usize,
    input: &[f32],
    mut output: DisjointSlice<f32>,
) {
    let x = x.get();
    if x >= width {
        return;
    }
    let pixel = |y: usize| input[y * width + x];
    let output = output.raw();
    let scale = 1.0 / ((r << 1) + 1) as f32;
    let mut sum = pixel(0) * r as f32;
    for y in 0..=r {
        sum += pixel(y);
    }
    // SAFETY: the image has `width` columns, and this one is the thread's alone. No output type is a column per thread.
    unsafe { *output.add(x) = sum * scale };
    for y in 1..height {
        sum += pixel((y + r).min(height - 1));
        sum -= pixel((y - 1).saturating_sub(r));
        // SAFETY: as above.
        unsafe { *output.add(y * width + x) = sum * scale };
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (width, height, r) = [(100, 60, 5), (8192, 2048, 14)][scale as usize];
    let input = uniform(width * height, 1);
    let expected = |at: usize| {
        let (x, y) = (at % width, at / width);
        let rows = (0..=2 * r).map(|k| (y + k).saturating_sub(r).min(height - 1));
        let sum: f64 = rows.map(|row| f64::from(input[row * width + x])).sum();
        (sum / (2 * r + 1) as f64) as f32
    };
    let mut output = side.sampled(&vec![f32::NAN; width * height], expected, 1e-4)?;
    let d_input = side.upload(&input)?;
    let blocks = width.div_ceil(64) as u32;
    let (w, h) = (width as i32, height as i32);
    let arguments = arguments![&d_input, &output.buffer, w, h, r as i32];
    // SAFETY: two images, their size, and half of the window.
    let twin = unsafe { Call::new("boxfilter_y", blocks, 64, arguments) };
    side.kernel("boxfilter_y", vec![twin], &mut output, |stream, output| {
        let (shape, output) = (Launch::new(blocks, 64), &mut output.buffer);
        Ok(boxfilter_y::launch(
            stream, shape, width, height, r, &d_input, output,
        )?)
    })
}
