//! HeCBench `adam`: steps of the optimiser Adam, all with the same gradients.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{noise, uniform};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "adam",
    run,
};

/// The optimiser's constants.
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Settings {
    b1: f32,
    b2: f32,
    eps: f32,
    scale: f32,
    step: f32,
    decay: f32,
}

#[kernel(fma)]
fn adam(
    i: Index1D,
    settings: Settings,
    steps: u32,
    gradients: &[f32],
    mut parameters: DisjointSlice<f32, GridStride>,
    mut m: DisjointSlice<f32, GridStride>,
    mut v: DisjointSlice<f32, GridStride>,
) {
    let Settings {
        b1,
        b2,
        eps,
        scale,
        step,
        decay,
    } = settings;
    for (((at, p), (_, m)), (_, v)) in parameters.iter_mut(i).zip(m.iter_mut(i)).zip(v.iter_mut(i))
    {
        for t in 1..=steps {
            let gradient = gradients[at] / scale;
            *m = b1 * *m + (1.0 - b1) * gradient;
            *v = b2 * *v + (1.0 - b2) * gradient * gradient;
            let m_corrected = *m / (1.0 - b1.powf(t as f32));
            let v_corrected = *v / (1.0 - b2.powf(t as f32));
            let update = m_corrected / (v_corrected.sqrt() + eps) + decay * *p;
            *p -= step * update;
        }
    }
}

const SETTINGS: Settings = Settings {
    b1: 0.9,
    b2: 0.999,
    eps: 1e-8,
    scale: 256.0,
    step: 1e-3,
    decay: 0.5,
};
const STEPS: u32 = 10;

fn reference(gradient: f32, [p, m, v]: [f32; 3]) -> [f64; 3] {
    let [mut p, mut m, mut v] = [p, m, v].map(f64::from);
    let Settings {
        b1,
        b2,
        eps,
        scale,
        step,
        decay,
    } = SETTINGS;
    let [b1, b2, eps, scale, step, decay] = [b1, b2, eps, scale, step, decay].map(f64::from);
    for t in 1..=STEPS {
        let gradient = f64::from(gradient) / scale;
        m = b1 * m + (1.0 - b1) * gradient;
        v = b2 * v + (1.0 - b2) * gradient * gradient;
        let m_corrected = m / (1.0 - b1.powi(t as i32));
        let v_corrected = v / (1.0 - b2.powi(t as i32));
        p -= step * (m_corrected / (v_corrected.sqrt() + eps) + decay * p);
    }
    [p, m, v]
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [1500, 1 << 22][scale as usize];
    let (gradients, parameters) = (noise(n, 1), noise(n, 2));
    let (m, v) = (noise(n, 3), uniform(n, 4));
    let after = |at: usize| reference(gradients[at], [parameters[at], m[at], v[at]]);
    let mut outputs = (
        side.sampled(&parameters, |at| after(at)[0] as f32, 1e-5)?,
        side.sampled(&m, |at| after(at)[1] as f32, 1e-5)?,
        side.sampled(&v, |at| after(at)[2] as f32, 1e-5)?,
    );
    let gradients = side.upload(&gradients)?;
    let blocks = n.div_ceil(256) as u32;
    let Settings {
        b1,
        b2,
        eps,
        scale,
        step,
        decay,
    } = SETTINGS;
    let (p, m, v) = (&outputs.0.buffer, &outputs.1.buffer, &outputs.2.buffer);
    let arguments = arguments![
        b1,
        b2,
        eps,
        scale,
        step,
        decay,
        STEPS as i32,
        &gradients,
        p,
        m,
        v,
        n as i32
    ];
    // SAFETY: six factors, a number of steps, four vectors, their length.
    let twin = unsafe { Call::new("adam", blocks, 256, arguments) };
    side.kernel("adam", vec![twin], &mut outputs, |stream, (p, m, v)| {
        let shape = Launch::new(blocks, 256);
        let (p, m, v) = (&mut p.buffer, &mut m.buffer, &mut v.buffer);
        Ok(adam::launch(
            stream, shape, SETTINGS, STEPS, &gradients, p, m, v,
        )?)
    })
}
