//! llm.c `crossentropy_forward` and the gradient through softmax: a loss per position, a gradient per position and word.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{below, noise, uniform};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "llm_c",
    name: "crossentropy",
    run,
};

#[kernel]
fn crossentropy_forward(
    i: Index1D,
    vocabulary: u32,
    probabilities: &[f32],
    targets: &[i32],
    mut losses: DisjointSlice<f32>,
) {
    if let (Some(loss), Some(&target)) = (losses.get_mut(i), targets.get(i.get())) {
        let row = &probabilities[i.get() * vocabulary as usize..][..vocabulary as usize];
        *loss = -row[target as usize].ln();
    }
}

#[kernel(fma)]
fn crossentropy_softmax_backward(
    i: Index1D,
    vocabulary: u32,
    d_losses: &[f32],
    probabilities: &[f32],
    targets: &[i32],
    mut d_logits: DisjointSlice<f32>,
) {
    if let Some(d_logit) = d_logits.get_mut(i) {
        let (position, word) = (i.get() / vocabulary as usize, i.get() % vocabulary as usize);
        let indicator = if targets[position] == word as i32 {
            1.0
        } else {
            0.0
        };
        *d_logit += (probabilities[i.get()] - indicator) * d_losses[position];
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (positions, vocabulary) = [(30, 70), (4096, 2048)][scale as usize];
    let n = positions * vocabulary;
    let probabilities: Vec<f32> = uniform(n, 1).iter().map(|p| 0.001 + 0.999 * p).collect();
    let targets: Vec<i32> = below(positions, vocabulary as u32, 2)
        .iter()
        .map(|&t| t as i32)
        .collect();
    let (d_losses, start) = (noise(positions, 3), noise(n, 4));
    let loss = |at: usize| -probabilities[at * vocabulary + targets[at] as usize].ln();
    let gradient = |at: usize| {
        let (position, word) = (at / vocabulary, at % vocabulary);
        let own = if targets[position] == word as i32 {
            1.0
        } else {
            0.0
        };
        start[at] + (probabilities[at] - own) * d_losses[position]
    };
    let (d_probabilities, d_targets) = (side.upload(&probabilities)?, side.upload(&targets)?);
    let (v, p) = (vocabulary as u32, positions as i32);

    let mut losses = side.sampled(&vec![f32::NAN; positions], loss, 1e-5)?;
    let blocks = positions.div_ceil(128) as u32;
    let arguments = arguments![&losses.buffer, &d_probabilities, &d_targets, p, v as i32];
    // SAFETY: a loss, a row and a target for each position, how many positions, and how long rows are.
    let twin = unsafe { Call::new("crossentropy_forward", blocks, 128, arguments) };
    side.kernel(
        "crossentropy_forward",
        vec![twin],
        &mut losses,
        |stream, losses| {
            let shape = Launch::new(blocks, 128);
            let losses = &mut losses.buffer;
            Ok(crossentropy_forward::launch(
                stream,
                shape,
                v,
                &d_probabilities,
                &d_targets,
                losses,
            )?)
        },
    )?;

    let mut d_logits = side.sampled(&start, gradient, 1e-5)?;
    let d_d_losses = side.upload(&d_losses)?;
    let blocks = n.div_ceil(256) as u32;
    let arguments = arguments![
        &d_logits.buffer,
        &d_d_losses,
        &d_probabilities,
        &d_targets,
        p,
        v as i32
    ];
    // SAFETY: a row, a number, a row and a target for each position, how many positions, and how long rows are.
    let twin = unsafe { Call::new("crossentropy_softmax_backward", blocks, 256, arguments) };
    side.kernel(
        "crossentropy_softmax_backward",
        vec![twin],
        &mut d_logits,
        |stream, d_logits| {
            let shape = Launch::new(blocks, 256);
            let d_logits = &mut d_logits.buffer;
            Ok(crossentropy_softmax_backward::launch(
                stream,
                shape,
                v,
                &d_d_losses,
                &d_probabilities,
                &d_targets,
                d_logits,
            )?)
        },
    )
}
