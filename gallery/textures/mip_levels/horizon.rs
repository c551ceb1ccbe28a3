//! The picture: a floor to the horizon, without levels of detail on the left, with them on the right.

use warploom::ArrayOptions;
use warploom::prelude::*;
use warploom::texture::{Address, Filter, Sampler};
use warploom_gallery::Result;

use super::generate;

/// One row of the picture: how far a step along it goes, where it is, and the level of detail there.
type Row = [f32; 3];

#[kernel]
fn floor(
    at: Index2D,
    image: Texture2d<[u8; 4], Normalized>,
    rows: &[Row],
    mut y: DisjointSlice2D<[u8; 4]>,
) {
    let middle = y.width() as f32 / 2.0;
    if let (Some(y), Some(&[step, place, level])) = (y.get_mut(at), rows.get(at.y())) {
        let x = at.x() as f32 + 0.5 - middle;
        let level = if x < 0.0 { 0.0 } else { level };
        let colour = image.sample_level(x * step, place, level);
        *y = colour.map(|c| (c * 255.0 + 0.5) as u8);
    }
}

/// Squares with thin lines around them.
fn tile(side: usize, i: usize) -> [u8; 4] {
    let (x, y) = (i % side, i / side);
    let line = |at: usize| at % (side / 2) < side / 16;
    if line(x) || line(y) {
        return [20, 30, 60, 255];
    }
    match (x * 2 / side + y * 2 / side) % 2 {
        0 => [230, 220, 200, 255],
        _ => [190, 80, 50, 255],
    }
}

pub(super) fn horizon(device: &Device, [width, height]: [usize; 2]) -> Result<Vec<[u8; 3]>> {
    const SIDE: usize = 128;
    let stream = device.stream()?;
    let shape = ArrayOptions::new((SIDE, SIDE)).with_surface();
    let mut image = device.mipmapped_uninit::<[u8; 4]>(shape, 8)?;
    let texels: Vec<[u8; 4]> = (0..SIDE * SIDE).map(|i| tile(SIDE, i)).collect();
    let finest = &mut image.level_mut(0)?;
    finest.as_slice_mut().copy_from(&texels, &stream)?;
    generate(&stream, &mut image)?;
    let rows: Vec<Row> = (0..height)
        .map(|row| {
            let distance = height as f32 / (row as f32 + 1.0);
            let step = distance / width as f32 * 2.0;
            // From one row to the next the floor goes on by the square of the distance.
            let texels = SIDE as f32 * (distance * distance / height as f32).max(step);
            [step, distance * 2.0, texels.log2().max(0.0)]
        })
        .collect();
    let sampler = Sampler::new()
        .normalized()
        .address_all(Address::Wrap)
        .filter(Filter::Linear)
        .mip_filter(Filter::Linear)
        .lod_clamp(0.0, 7.0);
    let mut y = device.zeroed::<[u8; 4]>(width * height)?;
    floor::launch(
        &stream,
        Launch::covering_2d(width, height),
        &image.texture(sampler)?,
        &device.upload(&rows)?,
        y.view_2d_mut(width)?,
    )?;
    let pixels = y.to_vec(&stream)?.into_iter();
    Ok(pixels.map(|[r, g, b, _]| [r, g, b]).collect())
}
