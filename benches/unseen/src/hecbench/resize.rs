//! HeCBench `resize`: an image in another size, by linear interpolation along both axes, three channels that lie apart.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "resize",
    run,
};

#[kernel(fma)]
fn resize_linear(
    i: Index1D,
    input_width: u32,
    input_height: u32,
    output_width: u32,
    output_height: u32,
    input: &[f32],
    mut output: DisjointSlice<f32, GridStride>,
) {
    let (width, height) = (input_width as usize, input_height as usize);
    let scale_x = input_width as f32 / output_width as f32;
    let scale_y = input_height as f32 / output_height as f32;
    for (at, output) in output.iter_mut(i) {
        let x = at % output_width as usize;
        let y = at / output_width as usize % output_height as usize;
        let channel = at / (output_width as usize * output_height as usize);
        let in_x = ((x as f32 + 0.5) * scale_x - 0.5).max(0.0);
        let in_y = ((y as f32 + 0.5) * scale_y - 0.5).max(0.0);
        let (x0, y0) = (in_x as usize, in_y as usize);
        let (x1, y1) = ((x0 + 1).min(width - 1), (y0 + 1).min(height - 1));
        let image = &input[channel * width * height..];
        let pixel = |x: usize, y: usize| image[y * width + x];
        let (part_x, part_y) = (in_x - x0 as f32, in_y - y0 as f32);
        let above = pixel(x0, y0) + part_x * (pixel(x1, y0) - pixel(x0, y0));
        let below = pixel(x0, y1) + part_x * (pixel(x1, y1) - pixel(x0, y1));
        *output = above + part_y * (below - above);
    }
}

const CHANNELS: usize = 3;

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    // Scales that are powers of two, so that places between pixels are exact.
    let (width, height) = [(32, 24), (1024, 1024)][scale as usize];
    let (out_width, out_height) = (4 * width, 2 * height);
    let input = noise(CHANNELS * width * height, 1);
    let expected = |at: usize| {
        let (x, y) = (at % out_width, at / out_width % out_height);
        let channel = at / (out_width * out_height);
        let in_x = ((x as f64 + 0.5) / 4.0 - 0.5).max(0.0);
        let in_y = ((y as f64 + 0.5) / 2.0 - 0.5).max(0.0);
        let pixel = |dx: usize, dy: usize| {
            let (x, y) = (
                (in_x as usize + dx).min(width - 1),
                (in_y as usize + dy).min(height - 1),
            );
            f64::from(input[(channel * height + y) * width + x])
        };
        let (px, py) = (in_x.fract(), in_y.fract());
        let above = pixel(0, 0) * (1.0 - px) + pixel(1, 0) * px;
        let below = pixel(0, 1) * (1.0 - px) + pixel(1, 1) * px;
        (above * (1.0 - py) + below * py) as f32
    };
    let n = CHANNELS * out_width * out_height;
    let mut output = side.sampled(&vec![f32::NAN; n], expected, 1e-5)?;
    let d_input = side.upload(&input)?;
    let [w, h, ow, oh] = [width, height, out_width, out_height].map(|x| x as u32);
    let blocks = n.div_ceil(256).min(8192) as u32;
    let arguments = arguments![
        w as i32,
        h as i32,
        ow as i32,
        oh as i32,
        n as i32,
        &d_input,
        &output.buffer
    ];
    // SAFETY: widths and heights, how many elements the output has, both images.
    let twin = unsafe { Call::new("resize_linear", blocks, 256, arguments) };
    side.kernel(
        "resize_linear",
        vec![twin],
        &mut output,
        |stream, output| {
            let shape = Launch::new(blocks, 256);
            let output = &mut output.buffer;
            Ok(resize_linear::launch(
                stream, shape, w, h, ow, oh, &d_input, output,
            )?)
        },
    )
}
