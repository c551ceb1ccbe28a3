//! Listings of the chapter "Textures and surfaces".

// ANCHOR: rotate
use warploom::prelude::*;
use warploom::texture::{Filter, Sampler};
use warploom::{ArrayShape, Result};

/// A picture, turned by an angle around its middle.
#[kernel]
fn rotate(
    i: Index2D,
    image: Texture2d<[u8; 4], Normalized>,
    angle: f32,
    mut y: DisjointSlice2D<[f32; 4]>,
) {
    let [width, height] = image.size().map(|n| n as f32);
    let (u, v) = (
        i.x() as f32 + 0.5 - width / 2.0,
        i.y() as f32 + 0.5 - height / 2.0,
    );
    let (sin, cos) = (angle.sin(), angle.cos());
    if let Some(y) = y.get_mut(i) {
        *y = image.sample(
            u * cos - v * sin + width / 2.0,
            u * sin + v * cos + height / 2.0,
        );
    }
}
// ANCHOR_END: rotate

// ANCHOR: surface
/// Inverts a picture.
#[kernel]
fn invert(i: Index2D, x: Texture2d<[u8; 4]>, mut y: Surface2d<[u8; 4]>) {
    let [r, g, b, a] = x.sample(i.x() as f32 + 0.5, i.y() as f32 + 0.5);
    y.write(i, [255 - r, 255 - g, 255 - b, a]);
}
// ANCHOR_END: surface

fn picture() -> Vec<[u8; 4]> {
    (0..37 * 23)
        .map(|k| [k as u8, (k / 37) as u8, 7, 255])
        .collect()
}

#[test]
fn half_a_turn_gives_the_picture_from_its_end() -> Result<()> {
    let pixels = picture();
    // ANCHOR: host
    let device = Device::open()?;
    let stream = device.stream()?;
    let image = device.array_from((37, 23), &pixels)?;
    let smooth = image.texture(Sampler::new().filter(Filter::Linear))?;
    let mut y = device.zeroed::<[f32; 4]>(37 * 23)?;
    let angle = std::f32::consts::PI;
    rotate::launch(
        &stream,
        Launch::covering_2d(37, 23),
        &smooth,
        angle,
        y.view_2d_mut(37)?,
    )?;
    // ANCHOR_END: host
    for (read, pixel) in y.to_vec(&stream)?.iter().zip(pixels.iter().rev()) {
        for (read, byte) in read.iter().zip(pixel) {
            // The sine of an `f32` next to π is not 0: the filter takes a part of the neighbours.
            assert!(
                (read * 255.0 - f32::from(*byte)).abs() < 1.1,
                "{read} {byte}"
            );
        }
    }
    Ok(())
}

#[test]
fn a_picture_is_inverted_through_a_surface() -> Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let image = device.array_from((37, 23), &picture())?;
    let shape = ArrayShape::from((37, 23));
    let mut inverted = device.array_uninit::<[u8; 4]>(shape.with_surface())?;
    let launch = Launch::covering_2d(37, 23);
    invert::launch(
        &stream,
        launch,
        &image.texture(Sampler::new())?,
        &mut inverted.surface_mut()?,
    )?;
    let expected: Vec<_> = picture()
        .iter()
        .map(|[r, g, b, a]| [255 - r, 255 - g, 255 - b, *a])
        .collect();
    assert_eq!(inverted.to_vec(&stream)?, expected);
    Ok(())
}
