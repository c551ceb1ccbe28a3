//! Which lane holds which element, and how fragments are made and read.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use warploom::device_std::mma::{
    A, B, B1, D, E4m3, E5m2, Element, Holds, HoldsSums, M8N8, M8N8K4, M16N8, M16N8K4, M16N8K8,
    M16N8K16, M16N8K32, M16N8K64, M16N8K128, M16N8K256, Registers, S4, Shape, SumElement, Tf32, U4,
};
use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;

/// The places of a matrix of `rows` rows that `coords` gives to 32 lanes with `elements` elements: each once.
#[track_caller]
fn covers(rows: u32, columns: u32, elements: u32, coords: impl Fn(u32, u32) -> (u32, u32)) {
    let places = (0..32).flat_map(|lane| (0..elements).map(move |i| (lane, i)));
    let places: BTreeSet<_> = places.map(|(lane, i)| coords(lane, i)).collect();
    let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    assert_eq!(places, all.collect());
    assert_eq!(elements * 32, rows * columns);
}

#[track_caller]
fn factors_cover<S: Holds<T>, T: Element>(registers: (u32, u32)) {
    covers(S::M, S::K, A::<S, T>::ELEMENTS, A::<S, T>::coords);
    covers(S::K, S::N, B::<S, T>::ELEMENTS, B::<S, T>::coords);
    assert_eq!(
        (<S::A as Registers>::COUNT, <S::B as Registers>::COUNT),
        registers
    );
}

#[track_caller]
fn sums_cover<S: HoldsSums<T>, T: SumElement>() {
    covers(S::M, S::N, D::<S, T>::ELEMENTS, D::<S, T>::coords);
}

#[test]
fn each_element_is_in_one_register_of_one_lane() {
    factors_cover::<M16N8K8, F16>((2, 1));
    factors_cover::<M16N8K16, Bf16>((4, 2));
    factors_cover::<M16N8K4, Tf32>((2, 1));
    factors_cover::<M16N8K8, Tf32>((4, 2));
    factors_cover::<M8N8K4, f64>((1, 1));
    factors_cover::<M16N8K4, f64>((2, 1));
    factors_cover::<M16N8K8, f64>((4, 2));
    factors_cover::<M16N8K16, f64>((8, 4));
    factors_cover::<M16N8K16, i8>((2, 1));
    factors_cover::<M16N8K32, u8>((4, 2));
    factors_cover::<M16N8K32, E4m3>((4, 2));
    factors_cover::<M16N8K32, E5m2>((4, 2));
    factors_cover::<M16N8K32, S4>((2, 1));
    factors_cover::<M16N8K64, U4>((4, 2));
    factors_cover::<M16N8K128, B1>((2, 1));
    factors_cover::<M16N8K256, B1>((4, 2));
    sums_cover::<M16N8, F16>();
    sums_cover::<M16N8, f32>();
    sums_cover::<M16N8, i32>();
    sums_cover::<M16N8, f64>();
    sums_cover::<M8N8, f64>();
}

/// Places that the tables of the PTX manual give.
#[test]
fn places_are_those_of_the_manual() {
    assert_eq!(A::<M16N8K16, F16>::coords(5, 2), (9, 2));
    assert_eq!(A::<M16N8K16, F16>::coords(5, 5), (1, 11));
    assert_eq!(B::<M16N8K16, F16>::coords(5, 3), (11, 1));
    assert_eq!(A::<M16N8K8, Tf32>::coords(6, 2), (1, 6));
    assert_eq!(B::<M16N8K8, Tf32>::coords(6, 1), (6, 1));
    assert_eq!(A::<M16N8K32, i8>::coords(7, 9), (1, 29));
    assert_eq!(A::<M16N8K16, f64>::coords(7, 5), (9, 11));
    assert_eq!(A::<M16N8K256, B1>::coords(2, 100), (8, 196));
    assert_eq!(D::<M16N8, f32>::coords(31, 3), (15, 7));
}

#[test]
fn floats_of_8_bits_are_rounded_to_nearest_and_saturate() {
    for bits in (0..=255u8).filter(|bits| bits & 0x7f != 0x7f) {
        assert_eq!(
            E4m3::from_f32(E4m3::from_bits(bits).to_f32()).to_bits(),
            bits
        );
    }
    for bits in (0..=255u8).filter(|bits| bits & 0x7f < 0x7c) {
        assert_eq!(
            E5m2::from_f32(E5m2::from_bits(bits).to_f32()).to_bits(),
            bits
        );
    }
    let e4m3 = |x: f32| E4m3::from_f32(x).to_f32();
    assert_eq!(
        [e4m3(17.0), e4m3(19.0), e4m3(-1e9), e4m3(f32::INFINITY)],
        [16.0, 20.0, -448.0, 448.0]
    );
    assert_eq!(
        [e4m3(2f32.powi(-10)), e4m3(1.5 * 2f32.powi(-9)), e4m3(1e-40)],
        [0.0, 2f32.powi(-8), 0.0]
    );
    let e5m2 = |x: f32| E5m2::from_f32(x).to_f32();
    assert_eq!(
        [e5m2(9.0), e5m2(11.0), e5m2(-1e9), e5m2(2f32.powi(-17))],
        [8.0, 12.0, -57344.0, 0.0]
    );
    assert_eq!(E4m3::from_f32(f32::NAN).to_bits(), 0x7f);
    assert!(e4m3(f32::NAN).is_nan() && e5m2(f32::NAN).is_nan());
}

#[test]
fn nibbles_wrap_or_saturate() {
    assert_eq!([7, 8, -9].map(|x| S4::wrapping(x).get()), [7, -8, 7]);
    assert_eq!([7, 8, -9].map(|x| S4::saturating(x).get()), [7, 7, -8]);
    assert_eq!([15, 16, 255].map(|x| U4::wrapping(x).get()), [15, 0, 15]);
    assert_eq!([15, 16, 255].map(|x| U4::saturating(x).get()), [15, 15, 15]);
}

/// Multiplies matrices of 48 x 40 and 40 x 24, a fragment of D for each warp: loads with strides, sums over several steps, a store.
#[kernel(block(96))]
fn matmul(warp: Warp, block: Block, a: &[Bf16], b: &[Bf16], d: &[AtomicU32]) {
    const INNER: usize = 48;
    let (row, column) = (16 * warp.index() as usize, 8 * block.index());
    let mut sum = D::<M16N8, f32>::zero();
    for k in (0..INNER).step_by(16) {
        let a = A::<M16N8K16, Bf16>::from_rows(warp, &a[row * INNER + k..], INNER);
        let b = B::<M16N8K16, Bf16>::from_rows(warp, &b[k * 24 + column..], 24);
        sum = warp.mma(a, b, sum);
    }
    // Half of the sums is taken back, and all are negated.
    let sum = sum.map(|x| -x);
    sum.for_each(warp, |r, c, value| {
        d[(row + r) * 24 + column + c].store(value.to_bits(), Relaxed)
    });
}

#[test]
fn fragments_make_a_product_of_larger_matrices() {
    let a: Vec<_> = (0..48 * 48)
        .map(|i| Bf16::from_f32((i % 13) as f32 - 6.0))
        .collect();
    let b: Vec<_> = (0..48 * 24)
        .map(|i| Bf16::from_f32((i % 7) as f32 - 3.0))
        .collect();
    on_each_device(|device, stream| {
        let mut d = device.zeroed::<u32>(48 * 24)?;
        matmul::launch(
            stream,
            (3, 96),
            &device.upload(&a)?,
            &device.upload(&b)?,
            d.as_atomic(),
        )?;
        for (at, found) in d.to_vec(stream)?.into_iter().enumerate() {
            let product = |k: usize| a[at / 24 * 48 + k].to_f32() * b[k * 24 + at % 24].to_f32();
            let expected: f32 = (0..48).map(product).sum();
            assert_eq!(
                f32::from_bits(found),
                -expected,
                "element {at} on {}",
                device.name()
            );
        }
        Ok(())
    });
}

/// The same matrices, from columns; stored through a pointer.
#[kernel(block(32))]
fn transposed(warp: Warp, a: &[f32], b: &[f32], d: &[AtomicU32]) {
    let of = |x: &[f32], at: usize| Tf32::from_f32(x[at]);
    let a_columns = A::<M16N8K8, Tf32>::from_fn(warp, |row, k| of(a, k * 16 + row));
    let b_columns = B::<M16N8K8, Tf32>::from_fn(warp, |k, column| of(b, column * 8 + k));
    let c = D::<M16N8, f32>::from_columns(warp, a, 16);
    let sum = warp.mma(a_columns, b_columns, c);
    // SAFETY: room for 16 rows of 8, which this warp alone writes.
    unsafe { sum.store_rows(warp, d.as_ptr().cast::<f32>().cast_mut(), 8) };
}

#[test]
fn columns_are_rows_of_the_transposed_matrix() {
    let a: Vec<f32> = (0..128).map(|i| (i * 5 % 17) as f32).collect();
    let b: Vec<f32> = (0..64).map(|i| (i * 3 % 11) as f32).collect();
    on_each_device(|device, stream| {
        let mut d = device.zeroed::<u32>(128)?;
        transposed::launch(
            stream,
            (1, 32),
            &device.upload(&a)?,
            &device.upload(&b)?,
            d.as_atomic(),
        )?;
        for (at, found) in d.to_vec(stream)?.into_iter().enumerate() {
            let (row, column) = (at / 8, at % 8);
            let sum: f32 = (0..8).map(|k| a[k * 16 + row] * b[column * 8 + k]).sum();
            assert_eq!(
                f32::from_bits(found),
                sum + a[column * 16 + row],
                "element {at} on {}",
                device.name()
            );
        }
        Ok(())
    });
}

#[kernel(block(32))]
fn beyond(warp: Warp, a: &[F16], stride: usize) {
    let _ = A::<M16N8K8, F16>::from_rows(warp, a, stride);
}

#[test]
fn a_slice_that_is_too_short_is_refused() {
    on_each_device(|device, stream| {
        let short = device.zeroed::<F16>(15 * 9 + 7)?;
        let enough = device.zeroed::<F16>(15 * 9 + 8)?;
        beyond::launch(stream, (1, 32), &enough, 9)?;
        stream.synchronize()?;
        for (buffer, stride) in [(&short, 9), (&enough, 10), (&enough, usize::MAX / 4)] {
            beyond::launch(stream, (1, 32), buffer, stride)?;
            let why = stream.synchronize().unwrap_err().to_string();
            assert!(
                why.contains("a matrix fragment reaches beyond the end of the slice"),
                "{why}"
            );
        }
        Ok(())
    });
}

#[test]
fn shapes_name_their_sizes() {
    assert_eq!(
        [M16N8K4::K, M16N8K64::K, M16N8K128::K, M8N8K4::M],
        [4, 64, 128, 8]
    );
}
