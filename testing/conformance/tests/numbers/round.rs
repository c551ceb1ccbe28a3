//! Arithmetic in four roundings, bit by bit, against the definition.

use warploom::device_std::round::{Mode, Rd, Rn, Rounding, Ru, Rz};
use warploom::prelude::*;
use warploom_harness::device_test::check_map;

use crate::model;
use crate::values::{MANY, triples_f32, triples_f64};

/// What a GPU gives for what is no `f32`.
const NAN: u32 = 0x7fff_ffff;

#[kernel]
fn singles<R: Rounding + 'static>(i: Index1D, x: &[[f32; 3]], mut y: DisjointSlice<[u32; 7]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        let results = [
            R::add(a, b),
            R::sub(a, b),
            R::mul(a, b),
            R::mul_add(a, b, c),
            R::div(a, b),
            R::recip(a),
            R::sqrt(a),
        ];
        let [add, sub, mul, fma, others @ ..] = results;
        let [add, sub, mul, fma] = [add, sub, mul, fma].map(f32::to_bits);
        // Division and roots are several instructions: what is no number may have any payload.
        let [div, rcp, sqrt] = others.map(|x| if x.is_nan() { NAN } else { x.to_bits() });
        *y = [add, sub, mul, fma, div, rcp, sqrt];
    }
}

#[kernel]
fn doubles<R: Rounding + 'static>(i: Index1D, x: &[[f64; 3]], mut y: DisjointSlice<[u64; 7]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        let results = [
            R::add(a, b),
            R::sub(a, b),
            R::mul(a, b),
            R::mul_add(a, b, c),
            R::div(a, b),
            R::recip(a),
            R::sqrt(a),
        ];
        // What is no number may have any payload.
        *y = results.map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() });
    }
}

#[track_caller]
fn singles_agree<R: Rounding + 'static>() {
    let x = triples_f32(MANY);
    check_map(
        &x,
        |stream, x, y| singles::<R>::launch(stream, Launch::covering(x.len()), x, y),
        |i| {
            let [a, b, c] = x[i];
            let expected = model::operations(R::MODE, a, b, c);
            expected.map(|x| if x.is_nan() { NAN } else { x.to_bits() })
        },
    );
}

#[track_caller]
fn doubles_agree<R: Rounding + 'static>() {
    let x = triples_f64(MANY);
    check_map(
        &x,
        |stream, x, y| doubles::<R>::launch(stream, Launch::covering(x.len()), x, y),
        |i| {
            let [a, b, c] = x[i];
            let expected = model::operations(R::MODE, a, b, c);
            expected.map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() })
        },
    );
}

//@ rows: C2-__fadd, C2-__fmul, C2-__fmaf, C2-__frcp, C2-__fsqrt, C2-__fdiv, GFP-2, GFP-3
#[test]
fn singles_round_to_nearest() {
    singles_agree::<Rn>();
}

//@ rows: C2-__fadd, C2-__fmul, C2-__fmaf, C2-__frcp, C2-__fsqrt, C2-__fdiv
#[test]
fn singles_round_toward_zero() {
    singles_agree::<Rz>();
}

//@ rows: C2-__fadd, C2-__fmul, C2-__fmaf, C2-__frcp, C2-__fsqrt, C2-__fdiv
#[test]
fn singles_round_up() {
    singles_agree::<Ru>();
}

//@ rows: C2-__fadd, C2-__fmul, C2-__fmaf, C2-__frcp, C2-__fsqrt, C2-__fdiv
#[test]
fn singles_round_down() {
    singles_agree::<Rd>();
}

//@ rows: C2-__dadd, C2-__dmul, C2-__fma, C2-__drcp, C2-__dsqrt, C2-__ddiv
#[test]
fn doubles_round_to_nearest() {
    doubles_agree::<Rn>();
}

//@ rows: C2-__dadd, C2-__dmul, C2-__fma, C2-__drcp, C2-__dsqrt, C2-__ddiv
#[test]
fn doubles_round_toward_zero() {
    doubles_agree::<Rz>();
}

//@ rows: C2-__dadd, C2-__dmul, C2-__fma, C2-__drcp, C2-__dsqrt, C2-__ddiv
#[test]
fn doubles_round_up() {
    doubles_agree::<Ru>();
}

//@ rows: C2-__dadd, C2-__dmul, C2-__fma, C2-__drcp, C2-__dsqrt, C2-__ddiv
#[test]
fn doubles_round_down() {
    doubles_agree::<Rd>();
}

#[test]
fn the_model_knows_what_it_says() {
    let third = 1.0f32 / 3.0; // rounded up
    assert_eq!(
        model::operations(Mode::Down, 1.0f32, 3.0, 0.0)[4],
        third.next_down()
    );
    assert_eq!(model::operations(Mode::Up, 1.0f32, 3.0, 0.0)[4], third);
    assert_eq!(
        model::operations(Mode::Up, 1.0f64, 1e-300, 0.0)[0],
        1.0f64.next_up()
    );
    let cancelled = model::operations(Mode::Down, 1.0f64, -1.0, 0.0)[0];
    assert!(cancelled == 0.0 && cancelled.is_sign_negative());
    assert_eq!(
        model::operations(Mode::TowardZero, f64::MAX, 2.0, 0.0)[2],
        f64::MAX
    );
    assert_eq!(
        model::operations(Mode::Up, -f32::from_bits(1), 0.5, 0.0)[2].to_bits(),
        0x8000_0000
    );
}
