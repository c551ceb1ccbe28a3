//! Intrinsics of the instructions that every AArch64 has, as generic IR. Most of what `core::arch` has there is generic IR already.

use super::Generic;

pub(super) const PREFIX: &str = "llvm.aarch64.";

pub(super) fn table() -> Vec<Generic> {
    let sum = |name: &str, result, param, body: &str| Generic {
        name: format!("neon.faddv.{name}"),
        result,
        params: vec![param],
        body: body.to_owned(),
    };
    // Sums of neighbours, then the sum of these: `faddp` twice.
    vec![
        sum(
            "f32.v4f32",
            "float",
            "<4 x float>",
            "  %x = shufflevector <4 x float> %a, <4 x float> poison, <2 x i32> <i32 0, i32 2>\n  %y = shufflevector <4 x float> %a, <4 x float> poison, <2 x i32> <i32 1, i32 3>\n  %s = fadd <2 x float> %x, %y\n  %l = extractelement <2 x float> %s, i64 0\n  %h = extractelement <2 x float> %s, i64 1\n  %r = fadd float %l, %h\n  ret float %r\n",
        ),
        sum(
            "f32.v2f32",
            "float",
            "<2 x float>",
            "  %l = extractelement <2 x float> %a, i64 0\n  %h = extractelement <2 x float> %a, i64 1\n  %r = fadd float %l, %h\n  ret float %r\n",
        ),
        sum(
            "f64.v2f64",
            "double",
            "<2 x double>",
            "  %l = extractelement <2 x double> %a, i64 0\n  %h = extractelement <2 x double> %a, i64 1\n  %r = fadd double %l, %h\n  ret double %r\n",
        ),
    ]
}
