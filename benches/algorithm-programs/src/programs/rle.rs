//! HeCBench's `rle`: the elements and lengths of all runs, of inputs with runs of several lengths.

use warploom_algorithms::input::Fetch;
use warploom_algorithms::prelude::*;
use warploom_algorithms::{ByKeyPlan, constant};

use crate::bench::{Bench, Done, same};
use crate::noise::noise;

pub(crate) fn run(bench: &Bench, n: usize) -> Done {
    program(bench, "one run", constant(1, n), &vec![1; n])?;
    for (fewer, longest) in [1usize, 16, 256, 4096, 65_536].into_iter().enumerate() {
        let input = runs_up_to(longest, fewer, n);
        let x = bench.device.upload(&input)?;
        program(bench, &format!("runs up to {longest}"), &x, &input)?;
    }
    Ok(())
}

fn program<'a, I: IntoInput<'a, Fetch: Fetch<I::Memory, Item = i32>>>(
    bench: &Bench,
    case: &str,
    x: I,
    input: &[i32],
) -> Done {
    let (device, stream, n) = (&bench.device, &bench.stream, input.len());
    let (x, mut count) = (x.input(), device.zeroed(1)?);
    let (mut elements, mut lengths) = (device.zeroed(n)?, device.zeroed(n)?);
    // ANCHOR: algorithm
    let mut plan = ByKeyPlan::new(device, n)?;
    // ANCHOR_END: algorithm
    bench.time(case, || {
        // ANCHOR: algorithm
        let encoding = stream.run_lengths(x).plan(&mut plan);
        encoding.reduce(&mut elements, &mut lengths, &mut count)
        // ANCHOR_END: algorithm
    })?;

    let count = count.get(0, stream)? as usize;
    let runs = || input.chunk_by(|a, b| a == b);
    let expected: Vec<i32> = runs().map(|run| run[0]).collect();
    let elements = elements.slice(..count)?.to_vec(stream)?;
    same("elements", &elements, &expected)?;
    let expected: Vec<u32> = runs().map(|run| run.len() as u32).collect();
    let lengths = lengths.slice(..count)?.to_vec(stream)?;
    same("lengths", &lengths, &expected)
}

/// Runs of random lengths up to half of `longest`; the larger `fewer`, the rarer are long ones.
fn runs_up_to(longest: usize, fewer: usize, n: usize) -> Vec<i32> {
    let mut words = noise((fewer + 1) * n).map(|x| x >> 1);
    let mut elements = Vec::with_capacity(n);
    for key in 0.. {
        let word = words.by_ref().take(fewer + 1).fold(u32::MAX, |a, b| a & b);
        let length = (word as usize * longest) >> 32;
        elements.resize((elements.len() + length.max(1)).min(n), key);
        if elements.len() == n {
            break;
        }
    }
    elements
}
