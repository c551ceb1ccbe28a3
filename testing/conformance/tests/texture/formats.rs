//! Elements of all formats, as they are and as numbers of 0 to 1.

use warploom::ArrayElement;
use warploom::device_std::texture::{Normalized, NormalizedTexel, Texel, Texture2d};
use warploom::device_std::vector::{Float2, Float4, UChar4};
use warploom::device_std::{F16, F16x2};
use warploom::prelude::*;
use warploom::texture::Sampler;
use warploom_harness::device_test::check;

use super::compared::noise;

const WIDTH: usize = 37;
const HEIGHT: usize = 23;
const N: usize = WIDTH * HEIGHT;

#[kernel]
fn elements<T: Texel>(i: Index1D, image: Texture2d<T>, mut y: DisjointSlice<T::Value>) {
    let (column, row) = (i.get() % WIDTH, i.get() / WIDTH);
    if let Some(y) = y.get_mut(i) {
        *y = image.sample(column as f32, row as f32 + 0.75);
    }
}

#[kernel]
fn fractions<T: NormalizedTexel>(
    i: Index1D,
    image: Texture2d<T, Normalized>,
    mut y: DisjointSlice<T::Float>,
) {
    let (column, row) = (i.get() % WIDTH, i.get() / WIDTH);
    if let Some(y) = y.get_mut(i) {
        *y = image.sample(column as f32 + 0.5, row as f32 + 0.5);
    }
}

/// The array holds `given(k)`, and a read gives `expected(k)`.
fn elements_are<T>(given: impl Fn(usize) -> T, expected: impl Fn(usize) -> T::Value)
where
    T: Texel<Value: PartialEq + std::fmt::Debug> + ArrayElement,
{
    let given: Vec<T> = (0..N).map(given).collect();
    let expected: Vec<T::Value> = (0..N).map(expected).collect();
    check(&expected, |device, stream| {
        let image = device.array_from((WIDTH, HEIGHT), &given)?;
        let mut y = device.zeroed::<T::Value>(N)?;
        let texture = image.texture(Sampler::new())?;
        elements::<T>::launch(stream, Launch::covering(N), &texture, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// Each channel of a read differs from what it stands for by no more than `error`.
fn fractions_are<T, const C: usize>(
    error: f64,
    given: impl Fn(usize) -> T,
    expected: impl Fn(usize) -> [f64; C],
) where
    T: NormalizedTexel<Float: Into<[f32; C]>> + ArrayElement,
{
    let given: Vec<T> = (0..N).map(given).collect();
    super::compared::same_everywhere(|device, stream| {
        let image = device.array_from((WIDTH, HEIGHT), &given)?;
        let mut y = device.zeroed::<T::Float>(N)?;
        let texture = image.texture(Sampler::new())?;
        fractions::<T>::launch(stream, Launch::covering(N), &texture, &mut y)?;
        let y = y.to_vec(stream)?;
        for (k, y) in y.iter().enumerate() {
            for (y, expected) in Into::<[f32; C]>::into(*y).into_iter().zip(expected(k)) {
                assert!(
                    (f64::from(y) - expected).abs() <= error,
                    "{k}: {y} {expected}"
                );
            }
        }
        Ok(y.into_iter()
            .flat_map(|y| y.into().map(f32::to_bits))
            .collect())
    });
}

macro_rules! formats {
    ($($test:ident: $number:ty, |$k:ident| $given:expr;)*) => {$(
        #[test]
        fn $test() {
            let number = |$k: usize| -> $number { $given };
            elements_are::<$number>(number, number);
            elements_are::<[$number; 2]>(|k| [number(k), number(k + 7)], |k| [number(k), number(k + 7)]);
            let four = |k| [number(k), number(k + 7), number(k + 1), number(3 * k)];
            elements_are::<[$number; 4]>(four, four);
        }
    )*};
}

formats! {
    elements_of_u8: u8, |k| noise(k) as u8;
    elements_of_u16: u16, |k| noise(k) as u16;
    elements_of_u32: u32, |k| noise(k);
    elements_of_i8: i8, |k| noise(k) as i8;
    elements_of_i16: i16, |k| noise(k) as i16;
    elements_of_i32: i32, |k| noise(k) as i32;
    elements_of_f32: f32, |k| noise(k) as f32 - 2e9;
}

//@ rows: GTEX-1, GTEX-2, GTEX-7, GTEX-15, GTEX-22
#[test]
fn elements_of_f16_are_read_as_f32() {
    let wide = |k: usize| noise(k) as i8 as f32 / 16.0;
    let half = |k| F16::from_f32(wide(k));
    elements_are::<F16>(half, wide);
    elements_are::<[F16; 2]>(|k| [half(k), half(k + 1)], |k| [wide(k), wide(k + 1)]);
    elements_are::<F16x2>(
        |k| F16x2::new(half(k), half(k + 1)),
        |k| Float2::new(wide(k), wide(k + 1)),
    );
    elements_are::<[F16; 4]>(
        |k| [half(k), half(k + 1), half(k + 2), half(k)],
        |k| [wide(k), wide(k + 1), wide(k + 2), wide(k)],
    );
}

#[test]
fn elements_of_vectors() {
    let four = |k| Float4::new(k as f32, 1.0, -1.0, 0.5 * k as f32);
    elements_are::<Float4>(four, four);
    let four = |k| UChar4::from(noise(k).to_le_bytes());
    elements_are::<UChar4>(four, four);
}

/// Half a step of 24 bits.
const ROUNDED: f64 = 3e-8;

/// What a signed number stands for: the two least are both −1.
fn signed(value: i32, greatest: i32) -> f64 {
    (f64::from(value) / f64::from(greatest)).max(-1.0)
}

//@ rows: GTEX-4
#[test]
fn unsigned_numbers_are_read_as_0_to_1() {
    fractions_are::<[u8; 4], 4>(
        ROUNDED,
        |k| noise(k).to_le_bytes(),
        |k| noise(k).to_le_bytes().map(|byte| f64::from(byte) / 255.0),
    );
    fractions_are::<[u8; 2], 2>(
        ROUNDED,
        |k| [k as u8, !k as u8],
        |k| [k as u8, !k as u8].map(|byte| f64::from(byte) / 255.0),
    );
    let two = |k| [noise(k) as u16, u16::MAX * (k % 2) as u16];
    fractions_are::<[u16; 2], 2>(ROUNDED, two, |k| {
        two(k).map(|number| f64::from(number) / 65535.0)
    });
}

//@ rows: GTEX-4
#[test]
fn signed_numbers_are_read_as_minus_1_to_1() {
    let four = |k| noise(k).to_le_bytes().map(|byte| byte as i8);
    fractions_are::<[i8; 4], 4>(ROUNDED, four, |k| {
        four(k).map(|number| signed(number.into(), 127))
    });
    let two = |k: usize| [noise(k) as i16, i16::MIN + (k % 3) as i16];
    fractions_are::<[i16; 2], 2>(ROUNDED, two, |k| {
        two(k).map(|number| signed(number.into(), 32767))
    });
}
