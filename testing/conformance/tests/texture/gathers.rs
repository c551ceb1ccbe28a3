//! Four elements at once.

use warploom::ArrayShape;
use warploom::device_std::texture::{Texture2d, Texture2dLayered, TextureCube, TextureCubeLayered};
use warploom::prelude::*;
use warploom::texture::Sampler;
use warploom_harness::device_test::check;

use super::compared::{noise, numbers, same_everywhere};

/// All channels at one place.
#[kernel]
fn gathered(i: Index1D, image: Texture2d<[u16; 4]>, at: [f32; 2], mut y: DisjointSlice<[u16; 4]>) {
    let [u, v] = at;
    if let Some(y) = y.get_mut(i) {
        *y = match i.get() {
            0 => image.gather::<0>(u, v),
            1 => image.gather::<1>(u, v),
            2 => image.gather::<2>(u, v),
            _ => image.gather::<3>(u, v),
        };
    }
}

#[test]
fn a_gather_goes_round_from_below_left() {
    let element = |x: u16, y: u16| [100 * y + x, 1000 + x, 2000 + y, 3000];
    let given: Vec<_> = (0..5)
        .flat_map(|y| (0..7).map(move |x| element(x, y)))
        .collect();
    // Between the elements 2 and 3 of a row, 1 and 2 of a column.
    let four = [element(2, 2), element(3, 2), element(3, 1), element(2, 1)];
    let expected: Vec<[u16; 4]> = (0..4)
        .map(|channel| four.map(|element| element[channel]))
        .collect();
    check(&expected, |device, stream| {
        let shape = ArrayShape::Plane {
            width: 7,
            height: 5,
        };
        let image = device.array_from(shape.with_gather(), &given)?;
        let mut y = device.zeroed::<[u16; 4]>(4)?;
        gathered::launch(
            stream,
            (1, 4),
            &image.texture(Sampler::new())?,
            [3.1, 2.2],
            &mut y,
        )?;
        Ok(y.to_vec(stream)?)
    });
}

/// With each offset along y, and the same along x.
#[kernel]
fn gathered_beside(
    i: Index1D,
    plane: Texture2d<f32>,
    planes: Texture2dLayered<f32>,
    mut y: DisjointSlice<[f32; 8]>,
) {
    let by = i.get() as i32 - 8;
    if let Some(y) = y.get_mut(i) {
        let [a, b, c, d] = plane.gather_offset::<0>(10.0, 11.0, [by, by]);
        let [e, f, g, h] = planes.gather_offset::<0>(10.0, 11.0, 1, [by, -by]);
        *y = [a, b, c, d, e, f, g, h];
    }
}

#[test]
fn an_offset_of_a_gather_counts_elements() {
    let given: Vec<f32> = (0..2 * 20 * 19)
        .map(|k| (k % 20 + 100 * (k / 20 % 19) + 10_000 * (k / 380)) as f32)
        .collect();
    let four = |layer: i32, x: i32, y: i32| {
        let element =
            |x: i32, y: i32| (10_000 * layer + 100 * y.clamp(0, 18) + x.clamp(0, 19)) as f32;
        [
            element(x - 1, y),
            element(x, y),
            element(x, y - 1),
            element(x - 1, y - 1),
        ]
    };
    let expected: Vec<[f32; 8]> = (-8..8)
        .map(|by| {
            let [a, b, c, d] = four(0, 10 + by, 11 + by);
            let [e, f, g, h] = four(1, 10 + by, 11 - by);
            [a, b, c, d, e, f, g, h]
        })
        .collect();
    check(&expected, |device, stream| {
        let plane = ArrayShape::Plane {
            width: 20,
            height: 19,
        };
        let planes = ArrayShape::Planes {
            width: 20,
            height: 19,
            layers: 2,
        };
        let plane = device.array_from(plane.with_gather(), &given[..380])?;
        let planes = device.array_from(planes, &given)?;
        let mut y = device.zeroed::<[f32; 8]>(16)?;
        gathered_beside::launch(
            stream,
            (1, 16),
            &plane.texture(Sampler::new())?,
            &planes.texture(Sampler::new())?,
            &mut y,
        )?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn of_layers(i: Index1D, image: Texture2dLayered<[u8; 4]>, mut y: DisjointSlice<[u8; 4]>) {
    if let Some(y) = y.get_mut(i) {
        *y = image.gather::<2>(1.9, 2.2, i.get() as u32);
    }
}

#[test]
fn the_last_layer_is_gathered_for_those_behind_it() {
    let given: Vec<[u8; 4]> = (0..3 * 4 * 5)
        .map(|k: u8| [1, 2, 50 * (k / 20) + k % 20, 3])
        .collect();
    let expected = [0, 50, 100, 100].map(|layer: u8| [9, 10, 6, 5].map(|element| layer + element));
    check(&expected, |device, stream| {
        let shape = ArrayShape::Planes {
            width: 4,
            height: 5,
            layers: 3,
        };
        let image = device.array_from(shape, &given)?;
        let mut y = device.zeroed::<[u8; 4]>(4)?;
        of_layers::launch(stream, (1, 4), &image.texture(Sampler::new())?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn towards(
    i: Index1D,
    cube: TextureCube<f32>,
    cubes: TextureCubeLayered<f32>,
    at: &[[f32; 3]],
    mut y: DisjointSlice<[f32; 8]>,
) {
    if let (Some(y), Some(&[u, v, w])) = (y.get_mut(i), at.get(i.get())) {
        let [a, b, c, d] = cube.gather::<0>(u, v, w);
        let [e, f, g, h] = cubes.gather::<0>(u, v, w, 1);
        *y = [a, b, c, d, e, f, g, h];
    }
}

/// Directions whose longest component is 1, many of them at edges and corners of faces.
fn directions() -> Vec<[f32; 3]> {
    (0..6000)
        .map(|k| {
            let component = |c: usize| match noise(5 * k + c) % 4 {
                0 => 1.0 - (noise(7 * k + c) % 8) as f32 / 64.0,
                1 => (noise(7 * k + c) % 8) as f32 / 64.0 - 1.0,
                _ => noise(7 * k + c) as i32 as f32 / 2_147_483_648.0,
            };
            let mut at: [f32; 3] = std::array::from_fn(component);
            at[noise(11 * k) as usize % 3] = if k % 2 == 0 { 1.0 } else { -1.0 };
            at
        })
        .collect()
}

/// What is gathered from cubes whose elements are all different.
#[track_caller]
fn from_cubes(sampler: Sampler) -> Vec<u32> {
    let at = directions();
    same_everywhere(|device, stream| {
        let given = numbers(18 * 36);
        let cube = device.array_from(ArrayShape::Cube { side: 6 }, &given[..6 * 36])?;
        let cubes = device.array_from(ArrayShape::Cubes { side: 6, layers: 3 }, &given)?;
        let mut y = device.zeroed::<[f32; 8]>(at.len())?;
        towards::launch(
            stream,
            Launch::covering(at.len()),
            &cube.texture(sampler)?,
            &cubes.texture(sampler)?,
            &device.upload(&at)?,
            &mut y,
        )?;
        let all = y.to_vec(stream)?;
        Ok(all.into_iter().flatten().map(f32::to_bits).collect())
    })
}

#[test]
fn a_gather_stays_on_its_face_or_goes_across_edges() {
    let apart = from_cubes(Sampler::new().normalized());
    let seamless = from_cubes(Sampler::new().normalized().seamless_cube());
    assert_ne!(apart, seamless);
}

#[test]
fn a_gather_at_an_edge_has_elements_of_two_faces() {
    // Face k has the number k. Between +z (4) and +x (0), in the middle of the edge.
    let at = [[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]];
    let expected = [[4.0, 0.0, 0.0, 4.0, 4.0, 0.0, 0.0, 4.0], [4.0; 8]];
    check(&expected, |device, stream| {
        let faces: Vec<f32> = (0..12 * 16).map(|k| (k / 16 % 6) as f32).collect();
        let cube = device.array_from(ArrayShape::Cube { side: 4 }, &faces[..6 * 16])?;
        let cubes = device.array_from(ArrayShape::Cubes { side: 4, layers: 2 }, &faces)?;
        let sampler = Sampler::new().normalized().seamless_cube();
        let mut y = device.zeroed::<[f32; 8]>(2)?;
        towards::launch(
            stream,
            (1, 2),
            &cube.texture(sampler)?,
            &cubes.texture(sampler)?,
            &device.upload(&at)?,
            &mut y,
        )?;
        Ok(y.to_vec(stream)?)
    });
}
