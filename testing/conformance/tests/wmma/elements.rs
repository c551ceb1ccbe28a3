//! What is done with the elements of a fragment, and the rounding of `Tf32`.

use warploom::device_std::wmma::{
    Accumulator, B1, ColMajor, Fragment, M8N8K4, M8N8K128, M16N16K8, M16N16K16, MatrixA, MatrixB,
    RowMajor, Tf32,
};
use warploom::prelude::*;
use warploom_harness::device_test::{check, check_map};

use crate::model::Noise;

type Sums = Fragment<Accumulator, M16N16K16, f32>;

/// `alpha · (A · B) + beta · C`, of one fragment in each warp.
#[kernel]
fn scaled(
    warp: Warp,
    a: &[F16],
    b: &[F16],
    c: &[f32],
    alpha: f32,
    beta: f32,
    mut d: DisjointSlice2D<f32, WarpPatches<16, 16>>,
) {
    if let Some(mut patch) = d.get_mut(warp) {
        let a = Fragment::<MatrixA, M16N16K16, F16, RowMajor>::load(warp, a, 16);
        let b = Fragment::<MatrixB, M16N16K16, F16, ColMajor>::load(warp, b, 16);
        let c = Sums::load(warp, &c[patch.row() * 16..], 16, RowMajor);
        let product = Sums::filled(0.0).mma(warp, &a.map(|x| x + F16::ONE), &b);
        let sums = product.zip_map(c, |x, c| alpha * x + beta * c);
        sums.store(warp, &mut patch, (0, 0), RowMajor);
    }
}

//@ rows: WX-1, WX-5
#[test]
fn elements_are_scaled_and_added() {
    let a: Vec<F16> = (0..256)
        .map(|i| F16::from_f32((i % 7) as f32 - 3.0))
        .collect();
    let b: Vec<F16> = (0..256)
        .map(|i| F16::from_f32((i % 5) as f32 - 2.0))
        .collect();
    let c: Vec<f32> = (0..6 * 256).map(|i| i as f32).collect();
    let expected: Vec<f32> = (0..c.len())
        .map(|at| {
            let (row, column) = (at / 16 % 16, at % 16);
            let terms =
                (0..16).map(|k| (a[row * 16 + k].to_f32() + 1.0) * b[column * 16 + k].to_f32());
            0.5 * terms.sum::<f32>() - 2.0 * c[at]
        })
        .collect();
    check(&expected, |device, stream| {
        let (a, b, c) = (device.upload(&a)?, device.upload(&b)?, device.upload(&c)?);
        let mut d = device.zeroed(expected.len())?;
        let rows = d.view_2d_mut(16)?;
        scaled::launch(stream, Launch::new(2, 96), &a, &b, &c, 0.5, -2.0, rows)?;
        Ok(d.to_vec(stream)?)
    });
}

/// A factor, whose elements some lanes have twice, filled with a number.
#[kernel]
fn filled(warp: Warp, value: F16, mut d: DisjointSlice2D<f32, WarpPatches<16, 16>>) {
    if let Some(mut patch) = d.get_mut(warp) {
        let a = Fragment::<MatrixA, M16N16K16, F16, RowMajor>::filled(value);
        let b = Fragment::<MatrixB, M16N16K16, F16, RowMajor>::filled(F16::ONE);
        let sums = Sums::filled(1.0).mma(warp, &a, &b);
        sums.store(warp, &mut patch, (0, 0), RowMajor);
    }
}

//@ rows: WX-5
#[test]
fn factors_are_filled() {
    check(&[41.0; 256], |device, stream| {
        let mut d = device.zeroed::<f32>(256)?;
        let value = F16::from_f32(2.5);
        filled::launch(stream, Launch::new(1, 32), value, d.view_2d_mut(16)?)?;
        Ok(d.to_vec(stream)?)
    });
}

//@ rows: WX-1
#[test]
fn lanes_have_so_many_elements() {
    assert_eq!(Fragment::<MatrixA, M16N16K16, F16, ColMajor>::ELEMENTS, 16);
    assert_eq!(Fragment::<Accumulator, M16N16K16, F16>::ELEMENTS, 8);
    assert_eq!(Fragment::<Accumulator, M8N8K4, f64>::ELEMENTS, 2);
    let bits = Fragment::<MatrixA, M8N8K128, B1, RowMajor>::ELEMENTS;
    let words = Fragment::<MatrixA, M8N8K128, B1, RowMajor>::VALUES;
    assert_eq!((bits, words), (32, 1));
}

/// Sums of every kind, without a product.
#[kernel]
fn saturated(
    warp: Warp,
    c: &[f32],
    half: &[F16],
    mut d: DisjointSlice2D<f32, WarpPatches<16, 16>>,
    mut e: DisjointSlice2D<F16, WarpPatches<16, 16>>,
) {
    if let (Some(mut to), Some(mut to_half)) = (d.get_mut(warp), e.get_mut(warp)) {
        let sums = Sums::load(warp, c, 16, RowMajor).saturated();
        sums.store(warp, &mut to, (0, 0), RowMajor);
        let sums = Fragment::<Accumulator, M16N16K16, F16>::load(warp, half, 16, ColMajor);
        sums.saturated().store(warp, &mut to_half, (0, 0), ColMajor);
    }
}

//@ rows: WX-6
#[test]
fn what_is_infinite_becomes_the_greatest_number() {
    let some = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1.5, -0.0];
    let kept = [f32::MAX, f32::MIN, 0.0, 1.5, -0.0];
    let kept_half = [65504.0, -65504.0, 0.0, 1.5, -0.0];
    let of = |from: [f32; 5]| Vec::from_iter((0..256).map(|i| from[i % 5]));
    let mut expected = of(kept);
    expected.extend(of(kept_half));
    let expected: Vec<u32> = expected.into_iter().map(f32::to_bits).collect();
    check(&expected, |device, stream| {
        let c = device.upload(&of(some))?;
        let half: Vec<F16> = of(some).into_iter().map(F16::from_f32).collect();
        let half = device.upload(&half)?;
        let (mut d, mut e) = (device.zeroed::<f32>(256)?, device.zeroed::<F16>(256)?);
        let (rows, rows_half) = (d.view_2d_mut(16)?, e.view_2d_mut(16)?);
        saturated::launch(stream, Launch::new(1, 32), &c, &half, rows, rows_half)?;
        let mut found: Vec<u32> = d.to_vec(stream)?.into_iter().map(f32::to_bits).collect();
        found.extend(e.to_vec(stream)?.into_iter().map(|x| x.to_f32().to_bits()));
        Ok(found)
    });
}

/// The nearest number with 10 bits of fraction, ties away from zero, in exact arithmetic.
fn to_tf32(x: f32) -> u32 {
    if !x.is_finite() {
        return x.to_bits() & !0x1fff;
    }
    let exponent = ((x.to_bits() >> 23 & 0xff) as i32).max(1) - 127;
    let unit = 2f64.powi(exponent - 10);
    // `round` is away from zero; the double has room for all.
    let rounded = (f64::from(x) / unit).round() * unit;
    (rounded as f32).to_bits()
}

fn numbers() -> Vec<f32> {
    let mut noise = Noise(5);
    let special = [
        0x0000_0000,
        0x0000_0001,
        0x0000_0fff,
        0x0000_1000,
        0x007f_ffff,
        0x3f80_0fff,
        0x3f80_1000,
        0x7f7f_efff,
        0x7f7f_f000,
        0x7f80_0000,
        0x7f80_0001,
        0x7fff_ffff,
    ];
    let both = special.into_iter().flat_map(|x| [x, x | 0x8000_0000]);
    let many = (0..1 << 16).map(|_| noise.next() as u32);
    both.chain(many).map(f32::from_bits).collect()
}

/// In the image for sm_75, which has no instruction for it.
#[kernel]
fn rounded(i: Index1D, x: &[f32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = Tf32::from_f32(x[i.get()]).to_bits();
    }
}

/// By the instruction, which asks for sm_80.
#[kernel]
fn rounded_by_instruction(i: Index1D, x: &[f32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = warploom::device_std::intrinsics::f32_to_tf32_rna(x[i.get()]);
    }
}

//@ rows: WX-8
#[test]
fn floats_are_rounded_to_tf32() {
    let x = numbers();
    check_map(
        &x,
        |stream, x, y| rounded::launch(stream, Launch::covering(x.len()), x, y),
        |i| to_tf32(x[i]),
    );
}

//@ rows: WX-8
#[test]
fn the_instruction_rounds_to_tf32() {
    let x = numbers();
    check_map(
        &x,
        |stream, x, y| rounded_by_instruction::launch(stream, Launch::covering(x.len()), x, y),
        |i| to_tf32(x[i]),
    );
}

/// Numbers that are rounded behind their load.
#[kernel]
fn product_of_rounded(
    warp: Warp,
    a: &[f32],
    b: &[f32],
    mut d: DisjointSlice2D<f32, WarpPatches<16, 16>>,
) {
    if let Some(mut patch) = d.get_mut(warp) {
        let a = Fragment::<MatrixA, M16N16K8, Tf32, RowMajor>::load_rounded(warp, a, 8);
        let b = Fragment::<MatrixB, M16N16K8, Tf32, ColMajor>::load_rounded(warp, b, 8);
        let sums = Fragment::<Accumulator, M16N16K8, f32>::filled(0.0).mma(warp, &a, &b);
        sums.store(warp, &mut patch, (0, 0), RowMajor);
    }
}

//@ rows: WX-8, WX-6
#[test]
fn products_take_what_was_rounded() {
    // One factor of each sum is not 0, so that sums are the rounded numbers.
    let a: Vec<f32> = (0..128)
        .map(|i| (i / 8) as f32 + 1.0 / 2048.0 + 0.1)
        .collect();
    let b: Vec<f32> = (0..128)
        .map(|i| if i % 8 == i / 8 % 8 { 1.0 } else { 0.0 })
        .collect();
    let expected: Vec<u32> = (0..256)
        .map(|at| to_tf32(a[at / 16 * 8 + at % 16 % 8]))
        .collect();
    check(&expected, |device, stream| {
        let (a, b) = (device.upload(&a)?, device.upload(&b)?);
        let mut d = device.zeroed::<f32>(256)?;
        product_of_rounded::launch(stream, Launch::new(1, 32), &a, &b, d.view_2d_mut(16)?)?;
        Ok(d.to_vec(stream)?.into_iter().map(f32::to_bits).collect())
    });
}
