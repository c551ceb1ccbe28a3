//! HeCBench `sigmoid focal loss` of detectors: its value for each class of each sample.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{below, noise};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "focal_loss",
    run,
};

#[kernel(fma)]
fn focal_loss(
    i: Index1D,
    classes: u32,
    gamma: f32,
    alpha: f32,
    logits: &[f32],
    targets: &[i32],
    mut losses: DisjointSlice<f32, GridStride>,
) {
    for (at, loss) in losses.iter_mut(i) {
        let (n, class) = (at / classes as usize, (at % classes as usize) as i32);
        let target = targets[n];
        let is_class = if target == class + 1 { 1.0 } else { 0.0 };
        let is_other = if target >= 0 && target != class + 1 {
            1.0
        } else {
            0.0
        };
        let x = logits[at];
        let p = 1.0 / (1.0 + (-x).exp());
        let if_class = (1.0 - p).powf(gamma) * p.max(f32::MIN_POSITIVE).ln();
        let positive = if x >= 0.0 { 1.0 } else { 0.0 };
        let if_other =
            p.powf(gamma) * (-x * positive - (1.0 + (x - 2.0 * x * positive).exp()).ln());
        *loss = -is_class * if_class * alpha - is_other * if_other * (1.0 - alpha);
    }
}

const CLASSES: usize = 80;
const GAMMA: f32 = 2.0;
const ALPHA: f32 = 0.25;

fn reference(logit: f32, target: i32, class: i32) -> f64 {
    let x = f64::from(logit);
    let p = 1.0 / (1.0 + (-x).exp());
    let (gamma, alpha) = (f64::from(GAMMA), f64::from(ALPHA));
    match target {
        t if t == class + 1 => -(1.0 - p).powf(gamma) * p.ln() * alpha,
        t if t >= 0 => -p.powf(gamma) * (1.0 - p).ln() * (1.0 - alpha),
        _ => 0.0,
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let samples = [30, 1 << 16][scale as usize];
    let n = samples * CLASSES;
    let logits: Vec<f32> = noise(n, 1).iter().map(|x| 5.0 * x).collect();
    let targets: Vec<i32> = below(samples, CLASSES as u32 + 2, 2)
        .iter()
        .map(|&t| t as i32 - 1)
        .collect();
    let expected =
        |at: usize| reference(logits[at], targets[at / CLASSES], (at % CLASSES) as i32) as f32;
    let mut losses = side.sampled(&vec![f32::NAN; n], expected, 1e-5)?;
    let (d_logits, d_targets) = (side.upload(&logits)?, side.upload(&targets)?);
    let (blocks, classes) = (n.div_ceil(512).min(4096) as u32, CLASSES as u32);
    let arguments = arguments![
        n as i32,
        &d_logits,
        &d_targets,
        classes as i32,
        GAMMA,
        ALPHA,
        &losses.buffer
    ];
    // SAFETY: elements, a number for each, one for each sample, classes, two factors, as many results.
    let twin = unsafe { Call::new("focal_loss", blocks, 512, arguments) };
    side.kernel("focal_loss", vec![twin], &mut losses, |stream, losses| {
        let shape = Launch::new(blocks, 512);
        let losses = &mut losses.buffer;
        Ok(focal_loss::launch(
            stream, shape, classes, GAMMA, ALPHA, &d_logits, &d_targets, losses,
        )?)
    })
}
