//! HeCBench-like `page-rank`: a step of the power iteration on a graph in compressed rows: shares of each page, then sums over incoming links.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{below, mix, uniform};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "page_rank",
    run,
};

#[kernel(fma)]
fn shares(i: Index1D, ranks: &[f32], out_degrees: &[u32], mut shares: DisjointSlice<f32>) {
    if let Some(share) = shares.get_mut(i) {
        *share = match out_degrees[i.get()] {
            0 => 0.0,
            degree => ranks[i.get()] / degree as f32,
        };
    }
}

#[kernel(fma)]
fn gather(
    i: Index1D,
    damping: f32,
    starts: &[u32],
    sources: &[u32],
    shares: &[f32],
    mut ranks: DisjointSlice<f32>,
) {
    let pages = ranks.len();
    if let Some(rank) = ranks.get_mut(i) {
        let incoming = &sources[starts[i.get()] as usize..starts[i.get() + 1] as usize];
        let sum: f32 = incoming.iter().map(|&source| shares[source as usize]).sum();
        *rank = (1.0 - damping) / pages as f32 + damping * sum;
    }
}

const DAMPING: f32 = 0.85;

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [1000, 1 << 20][scale as usize];
    let mut starts = vec![0];
    for v in 0..n {
        starts.push(starts[v] + mix(v, 1) % 17);
    }
    let sources = below(starts[n] as usize, n as u32, 2);
    let mut degrees = vec![0u32; n];
    sources
        .iter()
        .for_each(|&source| degrees[source as usize] += 1);
    // Ranks of the size of 1, so that errors are relative.
    let ranks: Vec<f32> = uniform(n, 3).iter().map(|x| 1.0 + x).collect();
    let parts: Vec<f32> = ranks
        .iter()
        .zip(&degrees)
        .map(|(r, &d)| if d == 0 { 0.0 } else { r / d as f32 })
        .collect();
    let after = |v: usize| {
        let incoming = &sources[starts[v] as usize..starts[v + 1] as usize];
        let sum: f64 = incoming.iter().map(|&s| f64::from(parts[s as usize])).sum();
        ((1.0 - f64::from(DAMPING)) / n as f64 + f64::from(DAMPING) * sum) as f32
    };
    let (d_ranks, d_degrees) = (side.upload(&ranks)?, side.upload(&degrees)?);
    let (d_starts, d_sources) = (side.upload(&starts)?, side.upload(&sources)?);
    let blocks = n.div_ceil(256) as u32;
    let shape = Launch::new(blocks, 256);

    let mut d_parts = side.sampled(&vec![f32::NAN; n], |v| parts[v], 1e-6)?;
    let arguments = arguments![&d_ranks, &d_degrees, &d_parts.buffer, n as i32];
    // SAFETY: three numbers for each page, and how many there are.
    let twin = unsafe { Call::new("shares", blocks, 256, arguments) };
    side.kernel("shares", vec![twin], &mut d_parts, |stream, parts| {
        Ok(shares::launch(
            stream,
            shape,
            &d_ranks,
            &d_degrees,
            &mut parts.buffer,
        )?)
    })?;

    let d_parts = &d_parts.buffer;
    let mut result = side.sampled(&vec![f32::NAN; n], after, 1e-5)?;
    let arguments = arguments![
        DAMPING,
        &d_starts,
        &d_sources,
        d_parts,
        &result.buffer,
        n as i32
    ];
    // SAFETY: a factor, links in compressed rows, two numbers for each page, and how many there are.
    let twin = unsafe { Call::new("gather", blocks, 256, arguments) };
    side.kernel("gather", vec![twin], &mut result, |stream, ranks| {
        let ranks = &mut ranks.buffer;
        Ok(gather::launch(
            stream, shape, DAMPING, &d_starts, &d_sources, d_parts, ranks,
        )?)
    })
}
