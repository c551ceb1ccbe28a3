//! Views of arrays: elements of another type, and some of the layers and levels.

use warploom::device_std::F16x2;
use warploom::device_std::texture::{Texture2d, Texture2dLayered};
use warploom::prelude::*;
use warploom::texture::{Filter, Sampler};
use warploom::{ArrayShape, Result};
use warploom_harness::device_test::check;

use super::compared::{noise, same_everywhere};

#[kernel]
fn words(i: Index1D, image: Texture2d<u32>, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = image.sample((i.get() % 5) as f32, (i.get() / 5) as f32);
    }
}

#[kernel]
fn colours(i: Index1D, image: Texture2d<[u8; 4], Normalized>, mut y: DisjointSlice<[f32; 4]>) {
    if let Some(y) = y.get_mut(i) {
        *y = image.sample((i.get() % 5) as f32, (i.get() / 5) as f32);
    }
}

#[kernel]
fn mixed_halves(i: Index1D, image: Texture2d<F16x2>, mut y: DisjointSlice<[f32; 2]>) {
    if let Some(y) = y.get_mut(i) {
        let value = image.sample((i.get() % 5) as f32 + 0.75, (i.get() / 5) as f32 + 0.25);
        *y = value.into();
    }
}

const PLANE: (usize, usize) = (5, 3);

#[test]
fn a_view_of_floats_has_their_bits() {
    let x: Vec<f32> = (0..15).map(|k| noise(k) as f32 - 1e9).collect();
    let expected: Vec<u32> = x.iter().map(|x| x.to_bits()).collect();
    check(&expected, |device, stream| {
        let image = device.array_from(PLANE, &x)?;
        let mut y = device.zeroed(15)?;
        let texture = image.view().elements::<u32>()?.texture(Sampler::new())?;
        words::launch(stream, (1, 32), &texture, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn a_view_of_words_has_four_bytes_from_0_to_1() {
    let x: Vec<u32> = (0..15).map(noise).collect();
    same_everywhere(|device, stream| {
        let image = device.array_from(PLANE, &x)?;
        let mut y = device.zeroed::<[f32; 4]>(15)?;
        let view = image.view().elements::<[u8; 4]>()?;
        colours::launch(stream, (1, 32), &view.texture(Sampler::new())?, &mut y)?;
        Ok(y.to_vec(stream)?
            .as_flattened()
            .iter()
            .map(|x| x.to_bits())
            .collect())
    });
}

#[test]
fn a_filter_of_a_view_mixes_what_is_seen() {
    let halves = (0..15).map(|k| {
        let [a, b] = [k, k + 50].map(|k| F16::from_f32(noise(k) as u8 as f32).to_bits());
        u32::from(a) | u32::from(b) << 16
    });
    let x: Vec<u32> = halves.collect();
    same_everywhere(|device, stream| {
        let image = device.array_from(PLANE, &x)?;
        let mut y = device.zeroed::<[f32; 2]>(15)?;
        let view = image.view().elements::<F16x2>()?;
        let sampler = Sampler::new().filter(Filter::Linear);
        mixed_halves::launch(stream, (1, 32), &view.texture(sampler)?, &mut y)?;
        Ok(y.to_vec(stream)?
            .as_flattened()
            .iter()
            .map(|x| x.to_bits())
            .collect())
    });
}

#[kernel]
fn each_layer(i: Index1D, image: Texture2dLayered<f32>, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        let layers = image.layers();
        // The last takes those behind it.
        *y = match i.get() as u32 {
            7 => layers as f32,
            layer => image.sample(1.0, 1.0, layer),
        };
    }
}

#[test]
fn the_first_layer_of_a_view_is_layer_0() {
    let expected = [2.0, 3.0, 4.0, 4.0, 4.0, 4.0, 4.0, 3.0];
    check(&expected, |device, stream| {
        let shape = ArrayShape::Planes {
            width: 4,
            height: 2,
            layers: 6,
        };
        let x: Vec<f32> = (0..48).map(|k| (k / 8) as f32).collect();
        let image = device.array_from(shape, &x)?;
        let mut y = device.zeroed(8)?;
        let texture = image.view().layers(2..5)?.texture(Sampler::new())?;
        each_layer::launch(stream, (1, 8), &texture, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn each_level(
    i: Index1D,
    image: Texture2d<f32>,
    mut widths: DisjointSlice<u32>,
    mut y: DisjointSlice<f32>,
) {
    let level = i.get() as u32;
    if let Some(y) = y.get_mut(i) {
        *y = image.sample_level(0.5, 0.5, level as f32 / 2.0);
    }
    if let Some(width) = widths.get_mut(i) {
        *width = image.size_of_level(level)[0];
    }
}

#[test]
fn the_first_level_of_a_view_is_level_0() {
    let seen = |device: &Device, stream: &Stream| -> Result<(Vec<u32>, Vec<f32>)> {
        let mut image = device.mipmapped_uninit::<f32>((32, 16), 5)?;
        for level in 0..5 {
            let elements = vec![level as f32 * 10.0; (32 >> level) * (16 >> level)];
            image
                .level_mut(level)?
                .as_slice_mut()
                .copy_from(&elements, stream)?;
        }
        let (mut widths, mut y) = (device.zeroed(8)?, device.zeroed(8)?);
        let sampler = Sampler::new().normalized().mip_filter(Filter::Linear);
        let sampler = sampler.lod_clamp(0.0, 9.0);
        let view = image.view().levels(1..4)?;
        each_level::launch(stream, (1, 8), &view.texture(sampler)?, &mut widths, &mut y)?;
        Ok((widths.to_vec(stream)?, y.to_vec(stream)?))
    };
    let widths = [16, 8, 4, 0, 0, 0, 0, 0];
    check(&widths, |device, stream| Ok(seen(device, stream)?.0));
    let values = [10.0, 15.0, 20.0, 25.0, 30.0, 30.0, 30.0, 30.0];
    check(&values, |device, stream| Ok(seen(device, stream)?.1));
}

/// Of one level, with elements of another type.
#[test]
fn a_level_is_viewed_by_itself() {
    let expected: Vec<u32> = (0..8u32).map(|k| (k as f32).to_bits()).collect();
    check(&expected, |device, stream| {
        let mut image = device.mipmapped_uninit::<f32>((10, 6), 2)?;
        let elements: Vec<f32> = (0..15).map(|k| k as f32).collect();
        image
            .level_mut(1)?
            .as_slice_mut()
            .copy_from(&elements, stream)?;
        let mut y = device.zeroed(8)?;
        let view = image.level(1)?.view().elements::<u32>()?;
        words::launch(stream, (1, 8), &view.texture(Sampler::new())?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
