//! `as` from floats to integers is one conversion, which saturates itself; where one side has 64 bits, NaN takes a comparison more.
//@ release

use warploom::prelude::*;

#[kernel]
fn bytes_of_f32(i: Index1D, x: &[[f32; 4]], mut y: DisjointSlice<[u8; 4]>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = x.map(|x| x as u8);
    }
}
// ptx-count: 4 cvt.rzi.u8.f32
// ptx-not: max.f32
// ptx-not: min.f32

#[kernel]
fn words_of_f32(i: Index1D, x: &[f32], mut y: DisjointSlice<i32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = *x as i32;
    }
}
// ptx: cvt.rzi.s32.f32
// ptx-not: selp
// ptx-not: setp.nan

#[kernel]
fn words_of_f64(i: Index1D, x: &[f64], mut y: DisjointSlice<u32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = *x as u32;
    }
}
// ptx: cvt.rzi.u32.f64
// ptx: selp
// ptx-not: max.f64

#[test]
fn casts_saturate_by_themselves() {
    warploom_harness::ptx_file!("casts.rs");
}
