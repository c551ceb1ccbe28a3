//! Normal numbers from quasi-random integers, by a rational approximation of the inverse distribution.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::words;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "quasirandom",
    run,
};

const A: [f32; 4] = [2.506_628_3, -18.615, 41.391_196, -25.441_06];
const B: [f32; 4] = [-8.473_511, 23.083_367, -21.062_24, 3.130_829];
const C: [f32; 9] = [
    0.337_475_48,
    0.976_169,
    0.160_797_97,
    2.764_388_e-2,
    3.840_573e-3,
    3.951_897e-4,
    3.217_68e-5,
    2.888_167e-7,
    3.960_315e-7,
];

/// The normal number below which the part `p` of all numbers lies, for `p` of the high 32 bits of a fraction.
fn inverse_normal(x: u32) -> f32 {
    let negative = x >= 0x8000_0000;
    let x = if negative { u32::MAX - x } else { x };
    // Half of a step is added, so that 0 has a value.
    let p = x as f32 * (1.0 / 4_294_967_296.0) + 1.0 / 8_589_934_592.0;
    let y = 0.5 - p;
    let z = if y < 0.42 {
        let z = y * y;
        let above = A.iter().rev().fold(0.0, |sum, a| sum * z + a);
        let below = B.iter().rev().fold(0.0, |sum, b| sum * z + b);
        y * above / (below * z + 1.0)
    } else {
        let z = (-p.ln()).ln();
        C.iter().rev().fold(0.0, |sum, c| sum * z + c)
    };
    if negative { z } else { -z }
}

/// A number per element, by a grid of any size.
#[kernel(fma)]
fn inverse_cnd(i: Index1D, input: &[u32], mut output: DisjointSlice<f32, GridStride>) {
    for (at, output) in output.iter_mut(i) {
        *output = inverse_normal(input[at]);
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [4000, 1 << 24][scale as usize];
    let input = words(n, 1);
    let expected = input.iter().map(|&x| inverse_normal(x)).collect();
    let mut output = side.output(&vec![f32::NAN; n], expected, 1e-4)?;
    let d_input = side.upload(&input)?;
    let arguments = arguments![&d_input, &output.buffer, n as u32];
    // SAFETY: two arrays and their length.
    let twin = unsafe { Call::new("inverse_cnd", 128, 128, arguments) };
    side.kernel("inverse_cnd", vec![twin], &mut output, |stream, output| {
        let shape = Launch::new(128, 128);
        Ok(inverse_cnd::launch(
            stream,
            shape,
            &d_input,
            &mut output.buffer,
        )?)
    })
}
