//! In kernels with `fast_math` std's functions of `f32` become approximations of the hardware, those that nvcc's `-use_fast_math` replaces.

use warploom::prelude::*;

macro_rules! kernels {
    ($($name:ident |$x:ident| $value:expr;)*) => {$(
        #[kernel(fast_math)]
        fn $name(i: Index1D, mut y: DisjointSlice<f32>) {
            if let Some(y) = y.get_mut(i) {
                let $x = *y;
                *y = $value;
            }
        }
    )*};
}

kernels! {
    sine |x| x.sin();
    cosine |x| x.cos();
    both |x| { let (s, c) = x.sin_cos(); s * c };
    tangent |x| x.tan();
    hyperbolic_tangent |x| x.tanh();
    exponential |x| x.exp();
    power_of_two |x| x.exp2();
    natural_logarithm |x| x.ln();
    logarithm_to_base_2 |x| x.log2();
    logarithm_to_base_10 |x| x.log10();
    power |x| x.powf(2.5);
    // The device library's: no instruction is near enough.
    arc_tangent |x| x.atan();
}

/// As nvcc 13.0 makes them, in their order.
const EXPECTED: &[(&str, &[&str])] = &[
    ("sine", &["sin.approx.ftz.f32"]),
    ("cosine", &["cos.approx.ftz.f32"]),
    (
        "both",
        &["sin.approx.ftz.f32", "cos.approx.ftz.f32", "mul.ftz.f32"],
    ),
    (
        "tangent",
        &[
            "sin.approx.ftz.f32",
            "cos.approx.ftz.f32",
            "div.approx.ftz.f32",
        ],
    ),
    ("hyperbolic_tangent", &["tanh.approx.f32"]),
    ("exponential", &["mul.ftz.f32", "ex2.approx.ftz.f32"]),
    ("power_of_two", &["ex2.approx.ftz.f32"]),
    ("natural_logarithm", &["lg2.approx.ftz.f32", "mul.ftz.f32"]),
    ("logarithm_to_base_2", &["lg2.approx.ftz.f32"]),
    (
        "logarithm_to_base_10",
        &["lg2.approx.ftz.f32", "mul.ftz.f32"],
    ),
    (
        "power",
        &["lg2.approx.ftz.f32", "mul.ftz.f32", "ex2.approx.ftz.f32"],
    ),
];

//@ rows: GPFI-8
#[test]
fn functions_become_approximations_of_the_hardware() {
    let Some(images) = warploom_harness::ptx::images() else {
        return;
    };
    let codes = |kernel: &str| {
        let codes =
            warploom_harness::ptx::instances(&images, &format!("{}::{kernel}", module_path!()));
        assert!(!codes.is_empty(), "no PTX of {kernel}");
        codes.into_iter().map(|code| code.own)
    };
    for (kernel, instructions) in EXPECTED {
        for code in codes(kernel) {
            let floats = code
                .lines()
                .filter_map(|line| line.split_whitespace().next());
            let floats: Vec<&str> = floats.filter(|word| word.ends_with(".f32")).collect();
            let mut expected = instructions.to_vec();
            let mut found = floats.clone();
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{kernel}:\n{code}");
            assert!(!code.contains("call"), "{kernel} calls a function:\n{code}");
        }
    }
    for code in codes("arc_tangent") {
        assert!(code.contains("fma.rn"), "{code}");
    }
}
