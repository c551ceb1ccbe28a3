//! Faces of cubes, by direction.

use warploom::ArrayShape;
use warploom::device_std::texture::{TextureCube, TextureCubeLayered};
use warploom::prelude::*;
use warploom::texture::{Filter, Sampler};

use super::compared::{noise, numbers, same_numbers};

#[kernel]
fn towards(i: Index1D, image: TextureCube<f32>, at: &[[f32; 3]], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(&[u, v, w])) = (y.get_mut(i), at.get(i.get())) {
        *y = image.sample(u, v, w);
    }
}

#[kernel]
fn in_layers(
    i: Index1D,
    image: TextureCubeLayered<f32>,
    at: &[[f32; 3]],
    mut y: DisjointSlice<f32>,
) {
    if let (Some(y), Some(&[u, v, w])) = (y.get_mut(i), at.get(i.get())) {
        *y = image.sample(u, v, w, i.get() as u32 % 2);
    }
}

/// Along each axis, then directions that look random, then those of edges and corners.
fn directions() -> Vec<[f32; 3]> {
    let axis = |k: usize| {
        std::array::from_fn(|c| {
            if c == k / 2 {
                1.0 - 2.0 * (k % 2) as f32
            } else {
                0.0
            }
        })
    };
    let random = |k: usize| std::array::from_fn(|c| noise(3 * k + c) as i32 as f32 / 1e9);
    let edge = |k: usize| [k % 3, k / 3 % 3, k / 9].map(|c| c as f32 - 1.0);
    (0..6)
        .map(axis)
        .chain((0..2000).map(random))
        .chain((0..27).filter(|&k| k != 13).map(edge))
        .collect()
}

#[test]
fn a_direction_finds_its_face() {
    let faces: Vec<f32> = (0..6 * 9).map(|k| (k / 9) as f32).collect();
    let at = directions();
    let read = same_numbers(|device, stream| {
        let image = device.array_from(ArrayShape::Cube { side: 3 }, &faces)?;
        let mut y = device.zeroed(at.len())?;
        towards::launch(
            stream,
            Launch::covering(at.len()),
            &image.texture(Sampler::new())?,
            &device.upload(&at)?,
            &mut y,
        )?;
        stream.synchronize()?;
        Ok(y)
    });
    assert_eq!(read[..6], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn faces_of_layers_are_filtered() {
    let at = directions();
    same_numbers(|device, stream| {
        let image =
            device.array_from(ArrayShape::Cubes { side: 5, layers: 2 }, &numbers(12 * 25))?;
        let linear = Sampler::new().filter(Filter::Linear);
        let mut y = device.zeroed(at.len())?;
        in_layers::launch(
            stream,
            Launch::covering(at.len()),
            &image.texture(linear)?,
            &device.upload(&at)?,
            &mut y,
        )?;
        stream.synchronize()?;
        Ok(y)
    });
}
