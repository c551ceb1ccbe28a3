//! Levels of detail: chosen by number, by gradients, and their sizes.

use warploom::MipmappedArray;
use warploom::Result;
use warploom::device_std::texture::Texture2d;
use warploom::prelude::*;
use warploom::texture::{Filter, Sampler};
use warploom_harness::device_test::check;

use super::compared::same_numbers;

#[kernel]
fn by_level(i: Index1D, image: Texture2d<f32>, levels: &[f32], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(&level)) = (y.get_mut(i), levels.get(i.get())) {
        *y = image.sample_level(0.25, 0.75, level);
    }
}

#[kernel]
fn by_gradients(
    i: Index1D,
    image: Texture2d<f32>,
    changes: &[[f32; 4]],
    mut y: DisjointSlice<f32>,
) {
    if let (Some(y), Some(&[a, b, c, d])) = (y.get_mut(i), changes.get(i.get())) {
        *y = image.sample_grad(0.25, 0.75, [a, b], [c, d]);
    }
}

#[kernel]
fn sizes(i: Index1D, image: Texture2d<f32>, mut y: DisjointSlice<[u32; 2]>) {
    if let Some(y) = y.get_mut(i) {
        *y = image.size_of_level(i.get() as u32);
    }
}

/// Seven levels; all elements of a level are its number, plus 10.
fn pyramid(device: &Device, stream: &Stream) -> Result<MipmappedArray<f32>> {
    let mut image = device.mipmapped_uninit::<f32>((64, 64), 7)?;
    for level in 0..7 {
        let n = 64 >> level;
        image
            .level_mut(level)?
            .as_slice_mut()
            .copy_from(&vec![level as f32 + 10.0; n * n], stream)?;
    }
    Ok(image)
}

fn at_levels(sampler: Sampler, levels: &[f32]) -> Vec<f32> {
    same_numbers(|device, stream| {
        let image = pyramid(device, stream)?;
        let mut y = device.zeroed(levels.len())?;
        by_level::launch(
            stream,
            Launch::covering(levels.len()),
            &image.texture(sampler)?,
            &device.upload(levels)?,
            &mut y,
        )?;
        stream.synchronize()?;
        Ok(y)
    })
}

#[test]
fn a_level_is_chosen_by_number() {
    let levels = [-1.0, 0.0, 0.4, 0.6, 1.0, 2.0, 5.9, 6.0, 9.0, f32::INFINITY];
    let expected = [10.0, 10.0, 10.0, 11.0, 11.0, 12.0, 16.0, 16.0, 16.0, 16.0];
    assert_eq!(at_levels(Sampler::new().normalized(), &levels), expected);
}

#[test]
fn levels_are_filtered_between() {
    let levels = [0.0, 0.5, 1.25, 3.75];
    let sampler = Sampler::new().normalized().mip_filter(Filter::Linear);
    assert_eq!(at_levels(sampler, &levels), [10.0, 10.5, 11.25, 13.75]);
}

//@ rows: GTEX-10
#[test]
fn bias_and_bounds_change_the_level() {
    let levels = [0.0, 1.0, 5.0];
    let sampler = Sampler::new().normalized().mip_filter(Filter::Linear);
    assert_eq!(
        at_levels(sampler.lod_bias(0.5), &levels),
        [10.5, 11.5, 15.5]
    );
    assert_eq!(
        at_levels(sampler.lod_clamp(0.5, 3.0), &levels),
        [10.5, 11.0, 13.0]
    );
}

/// Along the axes, and by powers of two. How long a slope is in another direction, and the logarithm of other lengths, are approximations of the hardware.
#[test]
fn gradients_choose_a_level() {
    let changes: Vec<_> = (0..7)
        .map(|level| {
            let step = (1 << level) as f32 / 64.0;
            [step, 0.0, 0.0, step]
        })
        .collect();
    let read = same_numbers(|device, stream| {
        let image = pyramid(device, stream)?;
        let sampler = Sampler::new().normalized().mip_filter(Filter::Linear);
        let mut y = device.zeroed(changes.len())?;
        by_gradients::launch(
            stream,
            Launch::covering(changes.len()),
            &image.texture(sampler)?,
            &device.upload(&changes)?,
            &mut y,
        )?;
        stream.synchronize()?;
        Ok(y)
    });
    assert_eq!(read, [10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]);
}

#[test]
fn levels_have_their_own_size() {
    let expected: Vec<_> = (0..7).map(|level| [64 >> level; 2]).collect();
    check(&expected, |device, stream| {
        let image = pyramid(device, stream)?;
        let mut y = device.zeroed::<[u32; 2]>(7)?;
        sizes::launch(
            stream,
            (1, 7),
            &image.texture(Sampler::new().normalized())?,
            &mut y,
        )?;
        Ok(y.to_vec(stream)?)
    });
}
