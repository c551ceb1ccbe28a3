//! The device's math bodies give what the host's library gives, to a few units in the last place.
#[path = "../src/math/symbols.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "written for the device crate; checked by sample"
)]
mod math;
use math::*;
use warploom_device_std::math::{double, single};

const SAMPLES: [f64; 12] = [
    -31.4, -3.0, -1.5, -1.0, -0.3, 0.0, 1e-9, 0.5, 1.0, 2.0, 7.25, 88.0,
];

fn close(name: &str, x: f64, found: f64, expected: f64, digits: f64) {
    let same = found == expected || (found.is_nan() && expected.is_nan());
    assert!(
        same || (found - expected).abs() <= expected.abs() * digits,
        "{name}({x}) = {found}, host: {expected}"
    );
}

macro_rules! agree {
    ($($host:ident: $f32:ident $f64:ident;)*) => {$(
        for x in SAMPLES {
            close(stringify!($f64), x, $f64(x), x.$host(), 1e-14);
            close(stringify!($f32), x, $f32(x as f32).into(), (x as f32).$host().into(), 1e-6);
        }
    )*};
}

#[test]
fn functions_of_one_argument() {
    agree! {
        sin: __warploom_math_sin_f32 __warploom_math_sin_f64;
        cos: __warploom_math_cos_f32 __warploom_math_cos_f64;
        tan: __warploom_math_tan_f32 __warploom_math_tan_f64;
        asin: __warploom_math_asin_f32 __warploom_math_asin_f64;
        acos: __warploom_math_acos_f32 __warploom_math_acos_f64;
        atan: __warploom_math_atan_f32 __warploom_math_atan_f64;
        sinh: __warploom_math_sinh_f32 __warploom_math_sinh_f64;
        cosh: __warploom_math_cosh_f32 __warploom_math_cosh_f64;
        tanh: __warploom_math_tanh_f32 __warploom_math_tanh_f64;
        exp: __warploom_math_exp_f32 __warploom_math_exp_f64;
        exp2: __warploom_math_exp2_f32 __warploom_math_exp2_f64;
        exp_m1: __warploom_math_expm1_f32 __warploom_math_expm1_f64;
        ln: __warploom_math_log_f32 __warploom_math_log_f64;
        log2: __warploom_math_log2_f32 __warploom_math_log2_f64;
        log10: __warploom_math_log10_f32 __warploom_math_log10_f64;
        ln_1p: __warploom_math_log1p_f32 __warploom_math_log1p_f64;
        cbrt: __warploom_math_cbrt_f32 __warploom_math_cbrt_f64;
        round: __warploom_math_round_f32 __warploom_math_round_f64;
        round_ties_even: __warploom_math_roundeven_f32 __warploom_math_roundeven_f64;
        trunc: __warploom_math_trunc_f32 __warploom_math_trunc_f64;
        floor: __warploom_math_floor_f32 __warploom_math_floor_f64;
        ceil: __warploom_math_ceil_f32 __warploom_math_ceil_f64;
    }
}

#[test]
fn functions_of_two_arguments() {
    for (x, y) in SAMPLES.iter().flat_map(|x| SAMPLES.map(|y| (*x, y))) {
        close(
            "atan2",
            x,
            __warploom_math_atan2_f64(x, y),
            x.atan2(y),
            1e-14,
        );
        close("pow", x, __warploom_math_pow_f64(x, y), x.powf(y), 1e-13);
        close(
            "hypot",
            x,
            __warploom_math_hypot_f64(x, y),
            x.hypot(y),
            1e-14,
        );
        close("fmod", x, __warploom_math_fmod_f64(x, y), x % y, 0.0);
        close(
            "fmodf",
            x,
            __warploom_math_fmod_f32(x as f32, y as f32).into(),
            (x as f32 % y as f32).into(),
            0.0,
        );
    }
}

#[test]
fn integer_powers() {
    for x in SAMPLES {
        for n in [0, 1, 2, 3, 7, -1, -2, -5, 31, i32::MAX, i32::MIN] {
            close("powi", x, __warploom_math_powi_f64(x, n), x.powi(n), 1e-13);
            close(
                "powif",
                x,
                __warploom_math_powi_f32(x as f32, n).into(),
                (x as f32).powi(n).into(),
                1e-5,
            );
        }
    }
}

#[test]
fn byte_strings_compare_like_slices() {
    for (a, b) in [
        ("", ""),
        ("a", "b"),
        ("same", "same"),
        ("same\u{ff}", "same\u{1}"),
        ("abcdefgh0", "abcdefgh1"),
    ] {
        let n = a.len().min(b.len());
        // SAFETY: both strings have at least `n` bytes.
        let order = unsafe { __warploom_memcmp(a.as_ptr(), b.as_ptr(), n) };
        assert_eq!(
            order.cmp(&0),
            a.as_bytes()[..n].cmp(&b.as_bytes()[..n]),
            "{a:?} and {b:?}"
        );
    }
}

/// `f32::sin_cos` on a device.
#[test]
fn sine_and_cosine_come_together() {
    for x in SAMPLES.map(|x| x as f32) {
        let both = __warploom_math_sincos_f32(x);
        let (sine, cosine) = x.sin_cos();
        let found = __warploom_math_sine_of_f32(both);
        close("sin", x.into(), found.into(), sine.into(), 1e-6);
        let found = __warploom_math_cosine_of_f32(both);
        close("cos", x.into(), found.into(), cosine.into(), 1e-6);
    }
}
