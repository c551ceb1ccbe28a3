//! HeCBench `chi2`: for each position of a genome, how its three variants are distributed among cases and controls, by Pearson's test. A thread has a position.

use core::ops::Range;

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::mix;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "chi2",
    run,
};

#[kernel(fma)]
fn chi_squared(
    i: Index1D,
    cases: u32,
    controls: u32,
    variants: &[u8],
    mut results: DisjointSlice<f32>,
) {
    let (cases, controls) = (cases as usize, controls as usize);
    let columns = results.len();
    if let Some(result) = results.get_mut(i) {
        let count = |rows: Range<usize>| {
            let mut counts = [1; 3];
            for row in rows {
                match variants[row * columns + i.get()] {
                    b'0' => counts[0] += 1,
                    b'1' => counts[1] += 1,
                    b'2' => counts[2] += 1,
                    _ => {}
                }
            }
            counts
        };
        *result = statistic(count(0..cases), count(cases..cases + controls));
    }
}

/// The statistic of two rows of counts.
fn statistic(cases: [i32; 3], controls: [i32; 3]) -> f32 {
    let (mut of_cases, mut of_controls) = (1, 1);
    for (cases, controls) in cases.iter().zip(controls) {
        of_cases += cases;
        of_controls += controls;
    }
    let all = (of_cases + of_controls) as f32;
    let mut sum = 0.0;
    for (cases, controls) in cases.into_iter().zip(controls) {
        let both = (cases + controls) as f32;
        let expected_cases = of_cases as f32 * both / all;
        let expected_controls = of_controls as f32 * both / all;
        let off_cases = cases as f32 - expected_cases;
        let off_controls = controls as f32 - expected_controls;
        sum += off_cases * off_cases / expected_cases
            + off_controls * off_controls / expected_controls;
    }
    sum
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (columns, cases, controls) = [(300, 37, 30), (1 << 16, 600, 400)][scale as usize];
    // Three variants, and a few that are not known.
    let variants: Vec<u8> = (0..columns * (cases + controls))
        .map(|at| b"0011122N"[mix(at, 1) as usize >> 29])
        .collect();
    let expected = |column: usize| {
        let count = |rows: Range<usize>| {
            let of = |variant: u8| {
                let all = rows.clone().map(|row| variants[row * columns + column]);
                1 + all.filter(|v| *v == variant).count() as i32
            };
            [of(b'0'), of(b'1'), of(b'2')]
        };
        statistic(count(0..cases), count(cases..cases + controls))
    };
    let mut results = side.sampled(&vec![f32::NAN; columns], expected, 1e-4)?;
    let d_variants = side.upload(&variants)?;
    let (cases, controls) = (cases as u32, controls as u32);
    let arguments = arguments![
        cases as i32,
        controls as i32,
        columns as i32,
        &d_variants,
        &results.buffer
    ];
    let blocks = columns.div_ceil(256) as u32;
    // SAFETY: how many rows of each kind there are, how long they are, the rows, a number for each column.
    let twin = unsafe { Call::new("chi_squared", blocks, 256, arguments) };
    side.kernel(
        "chi_squared",
        vec![twin],
        &mut results,
        |stream, results| {
            let shape = Launch::new(blocks, 256);
            Ok(chi_squared::launch(
                stream,
                shape,
                cases,
                controls,
                &d_variants,
                &mut results.buffer,
            )?)
        },
    )
}
