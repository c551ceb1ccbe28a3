//! llm.c `adamw` and `matmul_backward_bias`: a step of the optimiser, and sums of columns by a block for each column.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{noise, uniform};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "llm_c",
    name: "optimizer",
    run,
};

/// A step of AdamW.
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Step {
    learning_rate: f32,
    beta1: f32,
    beta2: f32,
    correction1: f32,
    correction2: f32,
    eps: f32,
    decay: f32,
}

/// `b` where `t` is 1, `a` where it is 0, in two fused operations.
fn lerp(a: f32, b: f32, t: f32) -> f32 {
    t.mul_add(b, (-t).mul_add(a, a))
}

#[kernel(fma)]
fn adamw(
    i: Index1D,
    step: Step,
    gradients: &[f32],
    mut parameters: DisjointSlice<f32>,
    mut m: DisjointSlice<f32>,
    mut v: DisjointSlice<f32>,
) {
    let (Some(parameter), Some(m), Some(v)) = (parameters.get_mut(i), m.get_mut(i), v.get_mut(i))
    else {
        return;
    };
    let gradient = gradients[i.get()];
    *m = lerp(gradient, *m, step.beta1);
    *v = lerp(gradient * gradient, *v, step.beta2);
    let (m, v) = (*m / step.correction1, *v / step.correction2);
    *parameter -= step.learning_rate * (m / (v.sqrt() + step.eps) + step.decay * *parameter);
}

/// A block adds the rows of one column, by halves.
#[kernel(block(256))]
fn sum_of_column(
    block: Block,
    columns: u32,
    matrix: &[f32],
    mut tile: SharedTile<f32, 256>,
    mut sums: DisjointSlice<f32, PerBlock>,
) {
    let column = block.index();
    let rows = matrix.chunks_exact(columns as usize);
    let mut own: f32 = rows
        .skip(block.thread())
        .step_by(256)
        .map(|row| row[column])
        .sum();
    let mut half = 128;
    while half > 0 {
        tile.set_own(0, own);
        let all = tile.publish(&block);
        if block.thread() < half {
            own += all[block.thread() + half];
        }
        tile = all.reclaim(&block);
        half /= 2;
    }
    if let Some(leader) = block.leader()
        && let Some(sum) = sums.get_mut(leader)
    {
        *sum += own;
    }
}

const STEP: Step = Step {
    learning_rate: 1e-3,
    beta1: 0.9,
    beta2: 0.999,
    correction1: 0.271,
    correction2: 0.002_997,
    eps: 1e-8,
    decay: 0.1,
};

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [1000, 1 << 23][scale as usize];
    let (gradients, parameters, m) = (noise(n, 1), noise(n, 2), noise(n, 3));
    let v: Vec<f32> = uniform(n, 4).iter().map(|x| 0.1 + x).collect();
    let Step {
        learning_rate,
        beta1,
        beta2,
        correction1,
        correction2,
        eps,
        decay,
    } = STEP;
    let after = |at: usize| {
        let [g, p, m, v, b1, b2] =
            [gradients[at], parameters[at], m[at], v[at], beta1, beta2].map(f64::from);
        let (m, v) = (b1 * m + (1.0 - b1) * g, b2 * v + (1.0 - b2) * g * g);
        let root = (v / f64::from(correction2)).sqrt() + f64::from(eps);
        let change = m / f64::from(correction1) / root + f64::from(decay) * p;
        [p - f64::from(learning_rate) * change, m, v].map(|x| x as f32)
    };
    let mut outputs = (
        side.sampled(&parameters, |at| after(at)[0], 1e-6)?,
        side.sampled(&m, |at| after(at)[1], 1e-6)?,
        side.sampled(&v, |at| after(at)[2], 1e-6)?,
    );
    let d_gradients = side.upload(&gradients)?;
    let blocks = n.div_ceil(512) as u32;
    let (p, d_m, d_v) = (&outputs.0.buffer, &outputs.1.buffer, &outputs.2.buffer);
    let arguments = arguments![
        p,
        &d_gradients,
        d_m,
        d_v,
        n as i32,
        learning_rate,
        beta1,
        beta2,
        correction1,
        correction2,
        eps,
        decay
    ];
    // SAFETY: four vectors, their length, seven factors.
    let twin = unsafe { Call::new("adamw", blocks, 512, arguments) };
    side.kernel("adamw", vec![twin], &mut outputs, |stream, (p, m, v)| {
        let shape = Launch::new(blocks, 512);
        let (p, m, v) = (&mut p.buffer, &mut m.buffer, &mut v.buffer);
        Ok(adamw::launch(stream, shape, STEP, &d_gradients, p, m, v)?)
    })?;

    let (rows, columns) = [(700, 30), (8192, 768)][scale as usize];
    let (matrix, start) = (noise(rows * columns, 5), noise(columns, 6));
    let sum = |c: usize| {
        let column = matrix
            .iter()
            .skip(c)
            .step_by(columns)
            .map(|&x| f64::from(x));
        (f64::from(start[c]) + column.sum::<f64>()) as f32
    };
    let mut sums = side.sampled(&start, sum, 1e-4)?;
    let d_matrix = side.upload(&matrix)?;
    let (blocks, c) = (columns as u32, columns as u32);
    let arguments = arguments![&sums.buffer, &d_matrix, rows as i32, c as i32];
    // SAFETY: a number for each column, a matrix, rows and columns.
    let twin = unsafe { Call::new("sum_of_column", blocks, 256, arguments) };
    side.kernel("sum_of_column", vec![twin], &mut sums, |stream, sums| {
        let shape = Launch::new(blocks, 256);
        Ok(sum_of_column::launch(
            stream,
            shape,
            c,
            &d_matrix,
            &mut sums.buffer,
        )?)
    })
}
