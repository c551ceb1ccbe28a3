//! Reductions and stores that convert, of surfaces.

use warploom::ArrayElement;
use warploom::device_std::surface::{Reduced, ReducedTexel, Surface1d, Surface2d, Surface3d};
use warploom::device_std::texture::Texel;
use warploom::prelude::*;
use warploom::{ArrayShape, Result};
use warploom_harness::device_test::check;

use super::compared::{noise, same_everywhere};

/// Each thread changes elements in a circle, also outside, by all operations.
#[kernel]
fn changes<T: ReducedTexel>(
    i: Index1D,
    values: &[T],
    sums: Surface2d<T, Reduced>,
    least: Surface2d<T, Reduced>,
    most: Surface2d<T, Reduced>,
    common: Surface2d<T, Reduced>,
    any: Surface2d<T, Reduced>,
) {
    if let Some(&value) = values.get(i.get()) {
        let k = i.get() as i32;
        let (x, y) = (k % 7 - 1, k / 7 % 5 - 1); // of 5 by 3 elements
        sums.add(x, y, value);
        least.min(x, y, value);
        most.max(x, y, value);
        common.and(x, y, value);
        any.or(x, y, value);
    }
}

const PLANE: ArrayShape = ArrayShape::Plane {
    width: 5,
    height: 3,
};

fn changed<T: ReducedTexel + ArrayElement>(
    device: &Device,
    stream: &Stream,
    values: &[T],
    start: [T; 5],
) -> Result<Vec<Vec<T>>> {
    let shape = PLANE.with_surface();
    let [mut a, mut b, mut c, mut d, mut e] =
        start.map(|start| device.array_from(shape, &[start; 15]));
    let [a, b, c, d, e] = [&mut a, &mut b, &mut c, &mut d, &mut e];
    let values = device.upload(values)?;
    changes::<T>::launch(
        stream,
        Launch::covering(values.len()),
        &values,
        &mut a.as_mut().map_err(|e| e.clone())?.surface_mut()?,
        &mut b.as_mut().map_err(|e| e.clone())?.surface_mut()?,
        &mut c.as_mut().map_err(|e| e.clone())?.surface_mut()?,
        &mut d.as_mut().map_err(|e| e.clone())?.surface_mut()?,
        &mut e.as_mut().map_err(|e| e.clone())?.surface_mut()?,
    )?;
    [a, b, c, d, e]
        .into_iter()
        .map(|array| Ok(array.as_ref().map_err(|e| e.clone())?.to_vec(stream)?))
        .collect()
}

/// The same, one change after the other.
macro_rules! expected {
    ($values:expr, $start:expr) => {{
        let mut arrays = $start.map(|start| vec![start; 15]);
        for (k, &value) in (0i32..).zip($values) {
            let (x, y) = (k % 7 - 1, k / 7 % 5 - 1);
            if !(0..5).contains(&x) || !(0..3).contains(&y) {
                continue;
            }
            let at = (5 * y + x) as usize;
            let [sums, least, most, common, any] = &mut arrays;
            sums[at] = sums[at].wrapping_add(value);
            least[at] = least[at].min(value);
            most[at] = most[at].max(value);
            common[at] &= value;
            any[at] |= value;
        }
        arrays.to_vec()
    }};
}

#[test]
fn unsigned_elements_are_reduced_by_all_threads() {
    let values: Vec<u32> = (0..3000).map(noise).collect();
    let start = [5, u32::MAX, 0, u32::MAX, 1];
    let expected: Vec<Vec<u32>> = expected!(&values, start);
    check(&expected, |device, stream| {
        changed(device, stream, &values, start)
    });
}

#[test]
fn signed_elements_are_reduced_by_all_threads() {
    let values: Vec<i32> = (0..3000).map(|k| noise(k).cast_signed()).collect();
    let start = [-5, i32::MAX, i32::MIN, -1, 1];
    let expected: Vec<Vec<i32>> = expected!(&values, start);
    check(&expected, |device, stream| {
        changed(device, stream, &values, start)
    });
}

#[kernel]
fn counts(i: Index1D, line: Surface1d<u32, Reduced>, space: Surface3d<u32, Reduced>) {
    let k = i.get() as i32;
    line.add(k % 9, 1);
    space.add(k % 3, k % 2, k % 4 - 1, 1);
}

#[test]
fn lines_and_spaces_are_reduced() {
    let mut expected = vec![0u32; 9 + 3 * 2 * 2];
    for k in 0..1000i32 {
        expected[(k % 9) as usize] += 1;
        let z = k % 4 - 1;
        if (0..2).contains(&z) {
            expected[(9 + (z * 2 + k % 2) * 3 + k % 3) as usize] += 1;
        }
    }
    check(&expected, |device, stream| {
        let mut line = device.array_from(ArrayShape::Line { width: 9 }.with_surface(), &[0; 9])?;
        let shape = ArrayShape::Space {
            width: 3,
            height: 2,
            depth: 2,
        };
        let mut space = device.array_from(shape.with_surface(), &[0; 12])?;
        counts::launch(
            stream,
            (125, 8),
            &mut line.surface_mut()?,
            &mut space.surface_mut()?,
        )?;
        Ok([line.to_vec(stream)?, space.to_vec(stream)?].concat())
    });
}

#[kernel]
fn converts<T: Texel>(i: Index2D, values: &[T::Wide], mut y: Surface2d<T>) {
    // More threads than elements: what is outside is not written.
    let k = i.x() + 5 * i.y();
    if let Some(&value) = values.get(k) {
        y.write_converted(i, value);
    }
}

fn converted<T: Texel + ArrayElement>(values: &[T::Wide], bits: impl Fn(&T) -> Vec<u32>) -> Vec<u32>
where
    T::Wide: Copy,
{
    same_everywhere(|device, stream| {
        let mut y = device.array_uninit::<T>(PLANE.with_surface())?;
        let values = device.upload(values)?;
        converts::<T>::launch(stream, ((2, 2), (4, 4)), &values, &mut y.surface_mut()?)?;
        Ok(y.to_vec(stream)?.iter().flat_map(&bits).collect())
    })
}

/// What is written as the elements of the plane: the 8 columns of the launch are more than the 5 of a row.
fn ends(k: usize) -> i64 {
    let ends = [
        0,
        1,
        -1,
        127,
        128,
        -128,
        -129,
        255,
        256,
        32767,
        32768,
        -32768,
        -32769,
        65535,
        65536,
        i64::from(i32::MIN),
    ];
    ends[k % ends.len()]
}

#[test]
fn integers_saturate() {
    let unsigned: Vec<u32> = (0..15).map(|k| ends(k) as u32).collect();
    let bytes = converted::<u8>(&unsigned, |x| vec![u32::from(*x)]);
    assert_eq!(
        bytes,
        unsigned.iter().map(|x| (*x).min(255)).collect::<Vec<_>>()
    );
    let words = converted::<u16>(&unsigned, |x| vec![u32::from(*x)]);
    assert_eq!(
        words,
        unsigned
            .iter()
            .map(|x| (*x).min(65_535))
            .collect::<Vec<_>>()
    );

    let pairs: Vec<[i32; 2]> = (0..15)
        .map(|k| [ends(k) as i32, ends(k + 1) as i32])
        .collect();
    let bytes = converted::<[i8; 2]>(&pairs, |x| x.map(|x| i32::from(x).cast_unsigned()).to_vec());
    let clamped = pairs
        .as_flattened()
        .iter()
        .map(|x| (*x).clamp(-128, 127).cast_unsigned());
    assert_eq!(bytes, clamped.collect::<Vec<_>>());
    let fours: Vec<[i32; 4]> = (0..15)
        .map(|k| [0, 1, 2, 3].map(|c| ends(k + c) as i32))
        .collect();
    let words = converted::<[i16; 4]>(&fours, |x| x.map(|x| i32::from(x).cast_unsigned()).to_vec());
    let clamped = fours
        .as_flattened()
        .iter()
        .map(|x| (*x).clamp(-32_768, 32_767).cast_unsigned());
    assert_eq!(words, clamped.collect::<Vec<_>>());
}

#[test]
fn floats_are_cut_off_to_halves() {
    let values: Vec<[f32; 4]> = (0..15)
        .map(|k| {
            let any = f32::from_bits(noise(k));
            let any = if any.is_nan() { 1.0 } else { any };
            [
                any,
                noise(k) as u16 as f32 * 1.001,
                1e-7 * k as f32,
                65_519.0 + k as f32,
            ]
        })
        .collect();
    let halves = converted::<[F16; 4]>(&values, |x| x.map(|x| u32::from(x.to_bits())).to_vec());
    assert_eq!(halves[3], 0x7bff);
}

#[test]
fn words_stay_as_they_are() {
    let values: Vec<f32> = (0..15).map(|k| noise(k) as f32 - 2e9).collect();
    let bits = converted::<f32>(&values, |x| vec![x.to_bits()]);
    assert_eq!(bits, values.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
}
