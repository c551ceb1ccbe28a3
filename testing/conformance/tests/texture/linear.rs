//! Linear memory, by index and in rows.

use warploom::device_std::texture::{Normalized, Texture2d, TextureLinear};
use warploom::prelude::*;
use warploom::texture::{Filter, Sampler};
use warploom_harness::device_test::check;

use super::compared::{noise, numbers, same_numbers};

#[kernel]
fn fetched(i: Index1D, x: TextureLinear<[i16; 2]>, first: i32, mut y: DisjointSlice<[i16; 2]>) {
    if let Some(y) = y.get_mut(i) {
        *y = x.fetch(first + i.get() as i32);
    }
}

#[kernel]
fn fractions(i: Index1D, x: TextureLinear<[u8; 4], Normalized>, mut y: DisjointSlice<[f32; 4]>) {
    if let Some(y) = y.get_mut(i) {
        *y = x.fetch(i.get() as i32);
    }
}

#[kernel]
fn rows(i: Index1D, x: Texture2d<f32>, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x.sample((i.get() % 90) as f32 / 3.0, (i.get() / 90) as f32 / 7.0);
    }
}

//@ rows: GTEX-5, GTEX-6, GTEX-20
#[test]
fn an_index_outside_of_linear_memory_gives_zeros() {
    let element = |k: i32| [noise(k as usize) as i16, k as i16];
    let given: Vec<_> = (0..1000).map(element).collect();
    let expected: Vec<_> = (-100..1100)
        .map(|k| {
            if (0..1000).contains(&k) {
                element(k)
            } else {
                [0, 0]
            }
        })
        .collect();
    check(&expected, |device, stream| {
        let x = device.upload(&given)?;
        let mut y = device.zeroed::<[i16; 2]>(1200)?;
        fetched::launch(stream, Launch::covering(1200), &x.texture()?, -100, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

//@ rows: GTEX-4, GTEX-20
#[test]
fn linear_memory_is_read_as_fractions() {
    let given: Vec<_> = (0..256).map(|k| [k as u8, 0, 255, 255 - k as u8]).collect();
    let expected: Vec<_> = given
        .iter()
        .map(|four| four.map(|byte| f32::from(byte) / 255.0))
        .collect();
    check(&expected, |device, stream| {
        let x = device.upload(&given)?;
        let mut y = device.zeroed::<[f32; 4]>(256)?;
        fractions::launch(stream, Launch::covering(256), &x.texture()?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

//@ rows: GTEX-6, GTEX-22
#[test]
fn rows_in_linear_memory_are_a_plane() {
    let linear = Sampler::new().filter(Filter::Linear);
    let from = |pitched: bool| {
        same_numbers(|device, stream| {
            let (image, mut y) = (numbers(29 * 13), device.zeroed(90 * 100)?);
            if pitched {
                let mut x = device.pitched_zeroed::<f32>((29, 13))?;
                x.copy_from(&image, stream)?;
                rows::launch(
                    stream,
                    Launch::covering(90 * 100),
                    &x.texture(linear)?,
                    &mut y,
                )?;
            } else {
                let x = device.array_from((29, 13), &image)?;
                rows::launch(
                    stream,
                    Launch::covering(90 * 100),
                    &x.texture(linear)?,
                    &mut y,
                )?;
            }
            stream.synchronize()?;
            Ok(y)
        })
    };
    assert_eq!(from(true), from(false));
}
