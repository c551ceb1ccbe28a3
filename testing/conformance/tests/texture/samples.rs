//! Coordinates, what lies outside, and filters.

use warploom::device_std::texture::{
    Texture1d, Texture1dLayered, Texture2d, Texture2dLayered, Texture3d,
};
use warploom::prelude::*;
use warploom::texture::{Address, Filter, Sampler};
use warploom::{ArrayShape, Result};

use super::compared::{numbers, same_numbers};

#[kernel]
fn line(i: Index1D, image: Texture1d<f32>, x: &[f32], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(&x)) = (y.get_mut(i), x.get(i.get())) {
        *y = image.sample(x);
    }
}

#[kernel]
fn plane(i: Index1D, image: Texture2d<f32>, at: &[[f32; 2]], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(&[u, v])) = (y.get_mut(i), at.get(i.get())) {
        *y = image.sample(u, v);
    }
}

#[kernel]
fn space(i: Index1D, image: Texture3d<f32>, at: &[[f32; 3]], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(&[u, v, w])) = (y.get_mut(i), at.get(i.get())) {
        *y = image.sample(u, v, w);
    }
}

#[kernel]
fn layered_line(
    i: Index1D,
    image: Texture1dLayered<f32>,
    x: &[f32],
    layer: u32,
    mut y: DisjointSlice<f32>,
) {
    if let (Some(y), Some(&x)) = (y.get_mut(i), x.get(i.get())) {
        *y = image.sample(x, layer);
    }
}

#[kernel]
fn layered_plane(
    i: Index1D,
    image: Texture2dLayered<f32>,
    at: &[[f32; 2]],
    layer: u32,
    mut y: DisjointSlice<f32>,
) {
    if let (Some(y), Some(&[u, v])) = (y.get_mut(i), at.get(i.get())) {
        *y = image.sample(u, v, layer);
    }
}

fn sampled_line(
    device: &Device,
    stream: &Stream,
    image: &[f32],
    sampler: Sampler,
    x: &[f32],
) -> Result<DeviceBuffer<f32>> {
    let image = device.array_from(image.len(), image)?;
    let texture = image.texture(sampler)?;
    let mut y = device.zeroed(x.len())?;
    line::launch(
        stream,
        Launch::covering(x.len()),
        &texture,
        &device.upload(x)?,
        &mut y,
    )?;
    stream.synchronize()?;
    Ok(y)
}

fn sampled_plane(
    device: &Device,
    stream: &Stream,
    [width, height]: [usize; 2],
    sampler: Sampler,
    at: &[[f32; 2]],
) -> Result<DeviceBuffer<f32>> {
    let image = device.array_from((width, height), &numbers(width * height))?;
    let texture = image.texture(sampler)?;
    let mut y = device.zeroed(at.len())?;
    plane::launch(
        stream,
        Launch::covering(at.len()),
        &texture,
        &device.upload(at)?,
        &mut y,
    )?;
    stream.synchronize()?;
    Ok(y)
}

/// A row of four, without a filter.
fn nearest(sampler: Sampler, x: &[f32]) -> Vec<f32> {
    same_numbers(|device, stream| {
        sampled_line(device, stream, &[10.0, 11.0, 12.0, 13.0], sampler, x)
    })
}

/// Points in an image and around it, finer than the weights of a filter.
fn points([width, height]: [usize; 2]) -> Vec<[f32; 2]> {
    let steps = |n: usize, k: usize| (k as f32 / 90.0 * 3.0 - 1.0) * n as f32 + k as f32 / 1777.0;
    let all = (0..91 * 91).map(|k| [steps(width, k % 91), steps(height, k / 91)]);
    all.collect()
}

//@ rows: GTEX-12, GTEX-15, GTEX-21
#[test]
fn coordinates_outside_mean_the_edge() {
    let x = [
        -5.0,
        -0.1,
        0.0,
        0.9,
        1.0,
        3.9,
        4.0,
        11.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
    ];
    let expected = [10.0, 10.0, 10.0, 10.0, 11.0, 13.0, 13.0, 13.0, 13.0, 10.0];
    assert_eq!(nearest(Sampler::new(), &x), expected);
}

//@ rows: GTEX-11, GTEX-12, GTEX-19
#[test]
fn normalised_coordinates_span_the_image() {
    let x = [-0.5, 0.0, 0.24, 0.25, 0.5, 0.76, 0.99, 1.0, 1.5];
    let expected = [10.0, 10.0, 10.0, 11.0, 12.0, 13.0, 13.0, 13.0, 13.0];
    assert_eq!(nearest(Sampler::new().normalized(), &x), expected);
}

//@ rows: GTEX-13
#[test]
fn repeated_coordinates_start_again_at_1() {
    let x = [1.25, -1.25, 0.25, 0.75, 2.0, -0.25, -1.0];
    let expected = [11.0, 13.0, 11.0, 13.0, 10.0, 13.0, 10.0];
    assert_eq!(
        nearest(Sampler::new().normalized().address_all(Address::Wrap), &x),
        expected
    );
}

//@ rows: GTEX-13
#[test]
fn reflected_coordinates_go_back_at_1() {
    let x = [1.1, 1.3, 1.9, 2.1, -0.1, -0.3];
    let expected = [13.0, 12.0, 10.0, 10.0, 10.0, 11.0];
    assert_eq!(
        nearest(Sampler::new().normalized().address_all(Address::Mirror), &x),
        expected
    );
}

#[test]
fn a_border_has_its_own_value() {
    let sampler = Sampler::new()
        .address_all(Address::Border)
        .border([-7.0; 4]);
    assert_eq!(
        nearest(sampler, &[-0.5, 0.5, 3.5, 4.5]),
        [-7.0, 10.0, 13.0, -7.0]
    );
}

//@ rows: GTEX-16, GTEX-17, GTEX-18, GTEX-21
#[test]
fn a_filter_weighs_two_neighbours() {
    let linear = Sampler::new().filter(Filter::Linear);
    let x = [0.5, 1.0, 1.25, 2.5, 3.75, 0.0];
    assert_eq!(nearest(linear, &x), [10.0, 10.5, 10.75, 12.0, 13.0, 10.0]);
}

//@ rows: GTEX-24
#[test]
fn a_table_is_read_between_its_entries() {
    // TL(x) = tex((N - 1) / R * x + 0.5), for N = 4 and R = 4 and 1.
    for range in [4.0, 1.0] {
        let at = |x: f32| 3.0 / range * x + 0.5;
        let x = [at(0.0), at(range), at(range / 3.0), at(range / 2.0)];
        let read = nearest(Sampler::new().filter(Filter::Linear), &x);
        assert_eq!(read, [10.0, 13.0, 11.0, 11.5], "{range}");
    }
}

//@ rows: GTEX-10, GTEX-14
#[test]
fn each_axis_has_its_own_mode() {
    let modes = [Address::Clamp, Address::Wrap, Address::Clamp];
    let sampler = Sampler::new().normalized().address(modes);
    let at = [[1.2, 1.2], [0.9, 0.2], [-0.3, -0.8], [0.1, 0.2]];
    let read = same_numbers(|device, stream| sampled_plane(device, stream, [5, 4], sampler, &at));
    assert_eq!(read[0], read[1]);
    assert_eq!(read[2], read[3]);
}

/// Every point of an image and around it, whose coordinates count elements or span the image.
#[track_caller]
fn all_points(filter: Filter, mode: Address, normalised: bool) {
    let sampler = Sampler::new()
        .filter(filter)
        .address_all(mode)
        .border([3.5; 4]);
    let (sampler, at) = match normalised {
        true => (sampler.normalized(), points([1, 1])),
        false => (sampler, points([37, 23])),
    };
    same_numbers(|device, stream| sampled_plane(device, stream, [37, 23], sampler, &at));
}

macro_rules! planes {
    ($($test:ident: $filter:ident $mode:ident $normalised:literal;)*) => {$(
        #[test]
        fn $test() {
            all_points(Filter::$filter, Address::$mode, $normalised);
        }
    )*};
}

planes! {
    the_nearest_of_a_clamped_plane: Point Clamp false;
    the_nearest_of_a_bordered_plane: Point Border false;
    the_nearest_of_a_clamped_normalised_plane: Point Clamp true;
    the_nearest_of_a_bordered_normalised_plane: Point Border true;
    the_nearest_of_a_repeated_plane: Point Wrap true;
    the_nearest_of_a_reflected_plane: Point Mirror true;
    a_filtered_clamped_plane: Linear Clamp false;
    a_filtered_bordered_plane: Linear Border false;
    a_filtered_clamped_normalised_plane: Linear Clamp true;
    a_filtered_bordered_normalised_plane: Linear Border true;
    a_filtered_repeated_plane: Linear Wrap true;
    a_filtered_reflected_plane: Linear Mirror true;
}

//@ rows: GTEX-16, GTEX-17, GTEX-18, GTEX-22
#[test]
fn a_filter_weighs_four_neighbours() {
    // (2, 1) to (3, 2) by a quarter and a half.
    let at = [[2.75, 2.0], [1.5, 1.5]];
    let linear = Sampler::new().filter(Filter::Linear);
    let read = same_numbers(|device, stream| sampled_plane(device, stream, [5, 4], linear, &at));
    let image = numbers(20);
    let along = |row: usize| 0.75 * image[5 * row + 2] + 0.25 * image[5 * row + 3];
    assert_eq!(read, [0.5 * along(1) + 0.5 * along(2), image[6]]);
}

//@ rows: GTEX-3, GTEX-6, GTEX-18, GTEX-23
#[test]
fn spaces_are_filtered_along_three_axes() {
    let extents = [7, 5, 3];
    let at: Vec<_> = points([7, 5])
        .into_iter()
        .enumerate()
        .map(|(k, [x, y])| [x, y, k as f32 / 2000.0])
        .collect();
    let body = |filter| {
        same_numbers(|device, stream| {
            let image = device.array_from((7, 5, 3), &numbers(extents.iter().product()))?;
            let texture = image.texture(Sampler::new().filter(filter))?;
            let mut y = device.zeroed(at.len())?;
            space::launch(
                stream,
                Launch::covering(at.len()),
                &texture,
                &device.upload(&at)?,
                &mut y,
            )?;
            stream.synchronize()?;
            Ok(y)
        })
    };
    let nearest = body(Filter::Point);
    let expected = |&[x, y, z]: &[f32; 3]| {
        let index = [x, y, z]
            .iter()
            .zip(extents)
            .map(|(&at, n)| (at.max(0.0) as usize).min(n - 1))
            .collect::<Vec<_>>();
        numbers(105)[index[0] + 7 * (index[1] + 5 * index[2])]
    };
    assert_eq!(nearest, at.iter().map(expected).collect::<Vec<_>>());
    body(Filter::Linear);
}

//@ rows: GTEX-3
#[test]
fn layers_are_not_filtered_between() {
    let x: Vec<f32> = (0..40).map(|k| k as f32 / 3.0 - 2.0).collect();
    let at: Vec<_> = x.iter().map(|&x| [x, x / 2.0]).collect();
    for layer in [0, 2, 3] {
        let body = |device: &Device, stream: &Stream| -> Result<_> {
            let linear = Sampler::new().filter(Filter::Linear);
            let lines = device.array_from(
                ArrayShape::Lines {
                    width: 9,
                    layers: 3,
                },
                &numbers(27),
            )?;
            let planes = device.array_from(
                ArrayShape::Planes {
                    width: 9,
                    height: 5,
                    layers: 3,
                },
                &numbers(135),
            )?;
            let (mut a, mut b) = (device.zeroed(40)?, device.zeroed(40)?);
            layered_line::launch(
                stream,
                Launch::covering(40),
                &lines.texture(linear)?,
                &device.upload(&x)?,
                layer,
                &mut a,
            )?;
            layered_plane::launch(
                stream,
                Launch::covering(40),
                &planes.texture(linear)?,
                &device.upload(&at)?,
                layer,
                &mut b,
            )?;
            Ok([a.to_vec(stream)?, b.to_vec(stream)?].concat())
        };
        let read = super::compared::same_everywhere(|device, stream| {
            Ok(body(device, stream)?
                .into_iter()
                .map(f32::to_bits)
                .collect())
        });
        // Behind the last layer is the last.
        let last = 9 * layer.min(2) as usize;
        assert_eq!(f32::from_bits(read[0]), numbers(27)[last]);
    }
}
