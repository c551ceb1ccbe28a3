//! HeCBench `pool`: the gradient of a mean over windows with padding, which is counted only where the picture is. A thread has an element of the input.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "pool",
    run,
};

/// Sizes of the input, of the output and of a window.
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Sizes {
    height: i32,
    width: i32,
    out_height: i32,
    out_width: i32,
    window: i32,
    stride: i32,
    padding: i32,
}

#[kernel(fma)]
fn mean_gradient(i: Index1D, s: Sizes, out: &[f32], mut gradient: DisjointSlice<f32>) {
    if let Some(gradient) = gradient.get_mut(i) {
        let (height, width) = (s.height as usize, s.width as usize);
        let plane = i.get() / width / height;
        let y = (i.get() / width % height) as i32 + s.padding;
        let x = (i.get() % width) as i32 + s.padding;
        let first = |at: i32| match at < s.window {
            true => 0,
            false => (at - s.window) / s.stride + 1,
        };
        let outputs = (s.out_height * s.out_width) as usize;
        let of_plane = &out[plane * outputs..(plane + 1) * outputs];
        let mut sum = 0.0;
        for row in first(y)..(y / s.stride + 1).min(s.out_height) {
            let top = row * s.stride - s.padding;
            let (top, bottom) = (top.max(0), (top + s.window).min(s.height));
            for column in first(x)..(x / s.stride + 1).min(s.out_width) {
                let left = column * s.stride - s.padding;
                let (left, right) = (left.max(0), (left + s.window).min(s.width));
                let size = (bottom - top) * (right - left);
                sum += of_plane[(row * s.out_width + column) as usize] * (1.0 / size as f32);
            }
        }
        *gradient = sum;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (planes, height, width) = [(3, 13, 17), (1024, 64, 64)][scale as usize];
    let (window, stride, padding) = (5, 2, 2);
    let outputs = |size: usize| (size + 2 * padding - window) / stride + 1;
    let (out_height, out_width) = (outputs(height), outputs(width));
    let out = noise(planes * out_height * out_width, 1);
    // The rows or columns of a window, without padding.
    let inside = |at: usize, size: usize| {
        (at * stride).saturating_sub(padding)..(at * stride + window - padding).min(size)
    };
    let expected = |at: usize| {
        let (plane, y, x) = (at / width / height, at / width % height, at % width);
        let mut sum = 0.0f64;
        for row in 0..out_height {
            for column in 0..out_width {
                let (rows, columns) = (inside(row, height), inside(column, width));
                if rows.contains(&y) && columns.contains(&x) {
                    let value = out[(plane * out_height + row) * out_width + column];
                    sum += f64::from(value) / (rows.len() * columns.len()) as f64;
                }
            }
        }
        sum as f32
    };
    let n = planes * height * width;
    let mut gradient = side.sampled(&vec![f32::NAN; n], expected, 1e-5)?;
    let d_out = side.upload(&out)?;
    let sizes = Sizes {
        height: height as i32,
        width: width as i32,
        out_height: out_height as i32,
        out_width: out_width as i32,
        window: window as i32,
        stride: stride as i32,
        padding: padding as i32,
    };
    let arguments = arguments![
        &d_out,
        &gradient.buffer,
        n as i32,
        sizes.height,
        sizes.width,
        sizes.out_height,
        sizes.out_width,
        sizes.window,
        sizes.stride,
        sizes.padding
    ];
    let blocks = n.div_ceil(256) as u32;
    // SAFETY: gradients of the outputs, room for those of the inputs, how many these are, the sizes.
    let twin = unsafe { Call::new("mean_gradient", blocks, 256, arguments) };
    side.kernel(
        "mean_gradient",
        vec![twin],
        &mut gradient,
        |stream, gradient| {
            let shape = Launch::new(blocks, 256);
            Ok(mean_gradient::launch(
                stream,
                shape,
                sizes,
                &d_out,
                &mut gradient.buffer,
            )?)
        },
    )
}
