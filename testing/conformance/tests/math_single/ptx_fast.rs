//! Fast forms are approximations of the hardware and nothing more.

use warploom::device_std::math::fast;
use warploom::prelude::*;

macro_rules! kernels {
    ($($name:ident |$x:ident| $value:expr;)*) => {$(
        #[kernel]
        #[allow(dead_code, reason = "never launched")]
        fn $name(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
            if let (Some(y), Some(&$x)) = (y.get_mut(i), x.get(i.get())) {
                *y = $value;
            }
        }
    )*};
}
kernels! {
    sine |x| fast::sin(x);
    cosine |x| fast::cos(x);
    both |x| { let (s, c) = fast::sincos(x); s - c };
    tangent |x| fast::tan(x);
    exponential |x| fast::exp(x);
    power_of_ten |x| fast::exp10(x);
    natural |x| fast::log(x);
    binary |x| fast::log2(x);
    decimal |x| fast::log10(x);
    power |x| fast::pow(x, 1.5);
    quotient |x| fast::divide(1.5, x);
}

//@ rows: C2-__sinf, C2-__cosf, C2-__sincosf, C2-__tanf, C2-__expf, C2-__exp10f, C2-__logf, C2-__log2f, C2-__log10f, C2-__powf, C2-__fdividef, GPFI-2
#[test]
fn fast_forms_are_approximations_of_the_hardware() {
    let Some(images) = warploom_harness::ptx::images() else {
        return;
    };
    for (kernel, wanted) in [
        ("sine", &["sin.approx"][..]),
        ("cosine", &["cos.approx"]),
        ("both", &["sin.approx", "cos.approx"]),
        ("tangent", &["sin.approx", "cos.approx", "rcp.approx"]),
        ("exponential", &["ex2.approx"]),
        ("power_of_ten", &["ex2.approx"]),
        ("natural", &["lg2.approx"]),
        ("binary", &["lg2.approx"]),
        ("decimal", &["lg2.approx"]),
        ("power", &["lg2.approx", "ex2.approx"]),
        ("quotient", &[".approx"]),
    ] {
        let codes =
            warploom_harness::ptx::instances(&images, &format!("{}::{kernel}", module_path!()));
        assert!(!codes.is_empty(), "no PTX of {kernel}");
        for code in codes {
            for instruction in wanted {
                let count = code.own.lines().filter(|l| l.contains(instruction)).count();
                assert_eq!(count, 1, "{instruction} in {kernel}:\n{}", code.own);
            }
            assert!(
                !code.own.contains("call"),
                "{kernel} calls a function:\n{}",
                code.own
            );
        }
    }
}
