//! A recursive Gaussian filter: a thread per column of pixels, once down and once up.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::uniform;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "recursive_gaussian",
    run,
};

/// The filter's coefficients.
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Coefficients {
    a: [f32; 4],
    b1: f32,
    b2: f32,
    first: f32,
    last: f32,
}

/// A thread per column; pixels are four floats.
#[kernel(fma)]
fn recursive_gaussian_rgba(
    x: Index1D,
    width: usize,
    height: usize,
    with: Coefficients,
    input: &[[f32; 4]],
    mut output: DisjointSlice<[f32; 4]>,
) {
    let x = x.get();
    if x >= width {
        return;
    }
    let Coefficients {
        a,
        b1,
        b2,
        first,
        last,
    } = with;
    let output = output.raw();
    // Down; what comes before the first pixel is like it.
    let mut before = input[x];
    let mut y1 = before.map(|c| first * c);
    let mut y2 = y1;
    for y in 0..height {
        let here = input[y * width + x];
        let mut new = [0.0; 4];
        for c in 0..4 {
            new[c] = a[0] * here[c] + a[1] * before[c] - b1 * y1[c] - b2 * y2[c];
        }
        // SAFETY: the image has `width` columns, and this one is the thread's alone. No output type is a column per thread.
        unsafe { *output.add(y * width + x) = new };
        before = here;
        (y2, y1) = (y1, new);
    }
    // Up; the sum of both.
    let mut after1 = input[(height - 1) * width + x];
    let mut after2 = after1;
    y1 = after1.map(|c| last * c);
    y2 = y1;
    for y in (0..height).rev() {
        let here = input[y * width + x];
        let mut new = [0.0; 4];
        for c in 0..4 {
            new[c] = a[2] * after1[c] + a[3] * after2[c] - b1 * y1[c] - b2 * y2[c];
        }
        (after2, after1) = (after1, here);
        (y2, y1) = (y1, new);
        for c in 0..4 {
            // SAFETY: as above.
            unsafe { (*output.add(y * width + x))[c] += new[c] };
        }
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (width, height) = [(70, 50), (8192, 1024)][scale as usize];
    let numbers = uniform(4 * width * height, 1);
    let input = numbers.as_chunks::<4>().0.to_vec();
    // Order 0, sigma 10.
    let (sigma, constant) = (10.0f32, 1.695f32);
    let alpha = constant / sigma;
    let (e, e2) = ((-alpha).exp(), (-2.0 * alpha).exp());
    let k = (1.0 - e) * (1.0 - e) / (1.0 + 2.0 * alpha * e - e2);
    let a = [k, k * (alpha - 1.0) * e, k * (alpha + 1.0) * e, -k * e2];
    let (b1, b2) = (-2.0 * e, e2);
    let first = (a[0] + a[1]) / (1.0 + b1 + b2);
    let last = (a[2] + a[3]) / (1.0 + b1 + b2);
    let with = Coefficients {
        a,
        b1,
        b2,
        first,
        last,
    };
    let mut expected = vec![[0.0f32; 4]; width * height];
    for x in 0..width {
        for c in 0..4 {
            let pixel = |y: usize| f64::from(input[y * width + x][c]);
            let [a0, a1, a2, a3] = a.map(f64::from);
            let (b1, b2) = (f64::from(b1), f64::from(b2));
            let (mut y1, mut before) = (f64::from(first) * pixel(0), pixel(0));
            let mut y2 = y1;
            let mut down = vec![0.0; height];
            for (y, down) in down.iter_mut().enumerate() {
                *down = a0 * pixel(y) + a1 * before - b1 * y1 - b2 * y2;
                before = pixel(y);
                (y2, y1) = (y1, *down);
            }
            let (mut near, mut far) = (pixel(height - 1), pixel(height - 1));
            y1 = f64::from(last) * near;
            y2 = y1;
            for y in (0..height).rev() {
                let up = a2 * near + a3 * far - b1 * y1 - b2 * y2;
                (far, near) = (near, pixel(y));
                (y2, y1) = (y1, up);
                expected[y * width + x][c] = (down[y] + up) as f32;
            }
        }
    }
    let mut output = side.output(&vec![[f32::NAN; 4]; width * height], expected, 1e-3)?;
    let d_input = side.upload(&input)?;
    let blocks = width.div_ceil(64) as u32;
    let [a0, a1, a2, a3] = a;
    let (w, h, out) = (width as i32, height as i32, &output.buffer);
    let arguments = arguments![w, h, a0, a1, a2, a3, b1, b2, first, last, &d_input, out];
    // SAFETY: extents, eight coefficients, and two images of four floats per pixel.
    let twin = unsafe { Call::new("recursive_gaussian_rgba", blocks, 64, arguments) };
    side.kernel(
        "recursive_gaussian_rgba",
        vec![twin],
        &mut output,
        |stream, output| {
            let (shape, out) = (Launch::new(blocks, 64), &mut output.buffer);
            Ok(recursive_gaussian_rgba::launch(
                stream, shape, width, height, with, &d_input, out,
            )?)
        },
    )
}
