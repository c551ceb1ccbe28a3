//! HeCBench `keogh`: a lower bound of the distance of a query to each window of a series: what leaves the band around the query.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "keogh",
    run,
};

const LEN: usize = 128;

#[kernel(fma)]
fn lower_bound(
    i: Index1D,
    subject: &[f32],
    averages: &[f32],
    deviations: &[f32],
    lower: &[f32],
    upper: &[f32],
    mut bounds: DisjointSlice<f32>,
) {
    if let Some(bound) = bounds.get_mut(i) {
        let (average, deviation) = (averages[i.get()], deviations[i.get()]);
        let window = &subject[i.get()..i.get() + LEN];
        *bound = window
            .iter()
            .zip(lower.iter().zip(upper))
            .fold(0.0, |sum, (value, (lo, hi))| {
                let value = (value - average) / deviation;
                let away = if value < *lo {
                    lo - value
                } else if value > *hi {
                    value - hi
                } else {
                    0.0
                };
                sum + away * away
            });
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [1000, 1 << 20][scale as usize];
    let subject = noise(n + LEN - 1, 1);
    let (averages, deviations): (Vec<f32>, Vec<f32>) =
        noise(n, 2).iter().map(|x| (0.1 * x, 0.6 + 0.1 * x)).unzip();
    let (lower, upper): (Vec<f32>, Vec<f32>) =
        noise(LEN, 3).iter().map(|x| (x - 0.3, x + 0.3)).unzip();
    let expected = |at: usize| {
        let away = |k: usize| {
            let value =
                (f64::from(subject[at + k]) - f64::from(averages[at])) / f64::from(deviations[at]);
            (f64::from(lower[k]) - value)
                .max(value - f64::from(upper[k]))
                .max(0.0)
        };
        (0..LEN).map(|k| away(k).powi(2)).sum::<f64>() as f32
    };
    let mut bounds = side.sampled(&vec![f32::NAN; n], expected, 1e-4)?;
    let (d_subject, d_averages) = (side.upload(&subject)?, side.upload(&averages)?);
    let d_deviations = side.upload(&deviations)?;
    let (d_lower, d_upper) = (side.upload(&lower)?, side.upload(&upper)?);
    let blocks = n.div_ceil(256) as u32;
    let arguments = arguments![
        &d_subject,
        &d_averages,
        &d_deviations,
        &d_lower,
        &d_upper,
        &bounds.buffer,
        LEN as i32,
        n as i32
    ];
    // SAFETY: a series, two numbers for each window in it, two for each place in a window, a number for each window, length and count of windows.
    let twin = unsafe { Call::new("lower_bound", blocks, 256, arguments) };
    side.kernel("lower_bound", vec![twin], &mut bounds, |stream, bounds| {
        let shape = Launch::new(blocks, 256);
        let bounds = &mut bounds.buffer;
        Ok(lower_bound::launch(
            stream,
            shape,
            &d_subject,
            &d_averages,
            &d_deviations,
            &d_lower,
            &d_upper,
            bounds,
        )?)
    })
}
