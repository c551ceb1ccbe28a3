//! The rounding stands in the instruction, and nothing is fused or approximated.

use warploom::device_std::round::{Rd, Rn, Rounding, Ru, Rz};
use warploom::prelude::*;

macro_rules! arithmetic {
    ($($name:ident: $mode:ident $float:ident;)*) => {$(
        #[kernel]
        #[allow(dead_code, reason = "never launched")]
        fn $name(i: Index1D, x: &[[$float; 3]], mut y: DisjointSlice<[$float; 6]>) {
            if let Some(y) = y.get_mut(i) {
                let [a, b, c] = x[i.get()];
                *y = [
                    $mode::add($mode::mul(a, b), c),
                    $mode::mul_add(a, b, c),
                    $mode::div(a, b),
                    $mode::recip(a),
                    $mode::sqrt(a),
                    $mode::sub(a, c),
                ];
            }
        }
    )*};
}
arithmetic! {
    rn_f32: Rn f32;
    rz_f32: Rz f32;
    ru_f32: Ru f32;
    rd_f32: Rd f32;
    rn_f64: Rn f64;
    rz_f64: Rz f64;
    ru_f64: Ru f64;
    rd_f64: Rd f64;
}

macro_rules! to_integers {
    ($($name:ident: $mode:ident $float:ident;)*) => {$(
        #[kernel]
        #[allow(dead_code, reason = "never launched")]
        fn $name(i: Index1D, x: &[$float], mut y: DisjointSlice<[u64; 4]>) {
            if let Some(y) = y.get_mut(i) {
                let x = x[i.get()];
                *y = [
                    $mode::to_integer::<i32, _>(x) as u64,
                    $mode::to_integer::<u32, _>(x).into(),
                    $mode::to_integer::<i64, _>(x) as u64,
                    $mode::to_integer(x),
                ];
            }
        }
    )*};
}
to_integers! {
    rn_integers_f32: Rn f32;
    rz_integers_f32: Rz f32;
    ru_integers_f32: Ru f32;
    rd_integers_f32: Rd f32;
    rn_integers_f64: Rn f64;
    rz_integers_f64: Rz f64;
    ru_integers_f64: Ru f64;
    rd_integers_f64: Rd f64;
}

macro_rules! of_integers {
    ($($name:ident: $mode:ident;)*) => {$(
        #[kernel]
        #[allow(dead_code, reason = "never launched")]
        fn $name(i: Index1D, x: &[u64], mut y: DisjointSlice<[f32; 5]>, mut z: DisjointSlice<[f64; 4]>) {
            if let (Some(y), Some(z)) = (y.get_mut(i), z.get_mut(i)) {
                let x = x[i.get()];
                *y = [
                    $mode::from_integer(x as i32),
                    $mode::from_integer(x as u32),
                    $mode::from_integer(x as i64),
                    $mode::from_integer(x),
                    $mode::narrow(f64::from_bits(x)),
                ];
                *z = [
                    $mode::from_integer(x as i32),
                    $mode::from_integer(x as u32),
                    $mode::from_integer(x as i64),
                    $mode::from_integer(x),
                ];
            }
        }
    )*};
}
of_integers! {
    rn_of_integers: Rn;
    rz_of_integers: Rz;
    ru_of_integers: Ru;
    rd_of_integers: Rd;
}

/// CUDA's name of each mode, and PTX's.
const MODES: [(&str, &str); 4] = [("rn", "rn"), ("rz", "rz"), ("ru", "rp"), ("rd", "rm")];

/// Checks kernel `name`: each of these instructions once, and the other directives.
fn check(name: &str, once: &[String], others: &str) {
    let once: Vec<_> = once
        .iter()
        .map(|instruction| format!("// ptx-count: 1 {instruction}\n"))
        .collect();
    let source = format!("#[kernel]\nfn {name}\n{}{others}", once.concat());
    warploom_harness::ptx::check(module_path!(), &source);
}

//@ rows: C2-__fadd, C2-__fmul, C2-__fmaf, C2-__frcp, C2-__fsqrt, C2-__fdiv, C2-__dadd, C2-__dmul, C2-__fma, C2-__drcp, C2-__dsqrt, C2-__ddiv
//@ rows: C2-__float2int, C2-__float2uint, C2-__float2ll, C2-__float2ull, C2-__double2int, C2-__double2uint, C2-__double2ll, C2-__double2ull, C2-__int2float, C2-__uint2float, C2-__ll2float, C2-__ull2float, C2-__int2double, C2-__uint2double, C2-__ll2double, C2-__ull2double, C2-__double2float
//@ rows: GPFI-1
#[test]
fn the_rounding_stands_in_the_instruction() {
    for (cuda, ptx) in MODES {
        for float in ["f32", "f64"] {
            check(
                &format!("{cuda}_{float}"),
                &["mul", "fma", "div", "rcp", "sqrt"].map(|op| format!("{op}.{ptx}.{float}")),
                &format!("// ptx-module: add.{ptx}.{float}\n// ptx-not: approx\n"),
            );
            check(
                &format!("{cuda}_integers_{float}"),
                &["s32", "u32", "s64", "u64"].map(|int| format!("cvt.{ptx}i.{int}.{float}")),
                "",
            );
        }
        // Every 32-bit integer is an `f64`: these two conversions have nothing to round.
        let mut of_integers = vec!["cvt.rn.f64.s32".to_owned(), "cvt.rn.f64.u32".to_owned()];
        of_integers.extend(
            [
                "f32.s32", "f32.u32", "f32.s64", "f32.u64", "f32.f64", "f64.s64", "f64.u64",
            ]
            .map(|types| format!("cvt.{ptx}.{types}")),
        );
        check(&format!("{cuda}_of_integers"), &of_integers, "");
    }
}
