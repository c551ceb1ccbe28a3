//! Kernels with thousands of bounds checks: the device linker treats functions of this size otherwise, and they compute the same.

use crate::support::Outside;

const CHECKS: usize = 3000;

/// A program whose kernel reads as many checked elements, at indices that differ; the host computes the same.
fn program() -> String {
    let mut state = 1_u32;
    let mut next = |end: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % end
    };
    let lines: String = (0..CHECKS)
        .map(|_| {
            let (step, first) = (1 + next(8), next(100_000));
            format!("    s = s.rotate_left(3) ^ x[n * {step} + {first}];\n")
        })
        .collect();
    format!(
        r#"use warploom::prelude::*;

#[kernel]
fn many(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {{
    let (n, mut s) = (i.get(), 0_u32);
{lines}    if let Some(y) = y.get_mut(i) {{
        *y = s;
    }}
}}

fn expected(n: usize, x: &[u32]) -> u32 {{
    let mut s = 0_u32;
{lines}    s
}}

fn main() -> warploom::Result<()> {{
    let device = Device::open()?;
    let stream = device.stream()?;
    let x: Vec<u32> = (0..102_100_u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let from = device.upload(&x)?;
    let mut y = device.zeroed::<u32>(100)?;
    many::launch(&stream, Launch::covering(100), &from, &mut y)?;
    let y = y.to_vec(&stream)?;
    let wrong = (0..100).filter(|n| y[*n] != expected(*n, &x)).count();
    let too_short = device.upload(&x[..90_000])?;
    let mut y = device.zeroed::<u32>(100)?;
    many::launch(&stream, Launch::covering(100), &too_short, &mut y)?;
    let panicked = stream.synchronize().is_err();
    println!("wrong: {{wrong}}, panicked: {{panicked}}");
    Ok(())
}}
"#
    )
}

#[test]
fn thousands_of_checks_are_all_made() {
    let program = Outside::program("large-kernel", &program());
    program.builds();
    let said = program.prints("debug/large-kernel");
    assert!(said.contains("wrong: 0, panicked: true"), "{said}");
}
