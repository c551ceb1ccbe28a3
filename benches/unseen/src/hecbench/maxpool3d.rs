//! HeCBench `maxpool3d`: the largest element of each window, in a launch whose third dimension counts images.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "maxpool3d",
    run,
};

const SIZE: usize = 2;
const STRIDE: usize = 2;

// The output is raw: no output takes an index of three dimensions.
#[kernel(block(16, 16))]
fn max_pool(
    i: Index3D,
    width: u32,
    height: u32,
    pooled_width: u32,
    pooled_height: u32,
    images: &[f32],
    mut pooled: DisjointSlice<f32>,
) {
    let (width, height) = (width as usize, height as usize);
    let (pooled_width, pooled_height) = (pooled_width as usize, pooled_height as usize);
    if i.x() >= pooled_width || i.y() >= pooled_height {
        return;
    }
    let image = &images[i.z() * width * height..(i.z() + 1) * width * height];
    let mut largest = f32::NEG_INFINITY;
    for y in i.y() * STRIDE..i.y() * STRIDE + SIZE {
        for x in i.x() * STRIDE..i.x() * STRIDE + SIZE {
            if x < width && y < height {
                largest = largest.max(image[y * width + x]);
            }
        }
    }
    let place = (i.z() * pooled_height + i.y()) * pooled_width + i.x();
    assert!(place < pooled.len());
    // SAFETY: within the slice; each thread has an element of its own.
    unsafe { pooled.raw().add(place).write(largest) };
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (width, height, count) = [(37usize, 50usize, 3), (2048, 2048, 8)][scale as usize];
    let (pooled_width, pooled_height) = (width.div_ceil(STRIDE), height.div_ceil(STRIDE));
    let images = noise(width * height * count, 1);
    let expected = |at: usize| {
        let (x, y) = (at % pooled_width, at / pooled_width % pooled_height);
        let image =
            &images[at / (pooled_width * pooled_height) * width * height..][..width * height];
        let rows = image.chunks(width).skip(y * STRIDE).take(SIZE);
        rows.flat_map(|row| row.iter().skip(x * STRIDE).take(SIZE))
            .fold(f32::MIN, |a, b| a.max(*b))
    };
    let n = pooled_width * pooled_height * count;
    let mut pooled = side.sampled(&vec![f32::NAN; n], expected, 0.0)?;
    let d_images = side.upload(&images)?;
    let grid = (
        pooled_width.div_ceil(16) as u32,
        pooled_height.div_ceil(16) as u32,
        count as u32,
    );
    let (w, h) = (width as u32, height as u32);
    let (pw, ph) = (pooled_width as u32, pooled_height as u32);
    let arguments = arguments![
        w as i32,
        h as i32,
        pw as i32,
        ph as i32,
        &d_images,
        &pooled.buffer
    ];
    // SAFETY: width and height of images, and of the results, and as many of both as the grid has along z.
    let twin = unsafe { Call::new("max_pool", grid, (16, 16), arguments) };
    side.kernel("max_pool", vec![twin], &mut pooled, |stream, pooled| {
        let shape = Launch::new(grid, (16, 16));
        Ok(max_pool::launch(
            stream,
            shape,
            w,
            h,
            pw,
            ph,
            &d_images,
            &mut pooled.buffer,
        )?)
    })
}
