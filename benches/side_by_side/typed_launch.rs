//! What the host pays for one launch: the typed launch against a single ready-made call of `cuLaunchKernel`.

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Times, Traffic, Twin, interleave};
use warploom_harness::record::Measured;

use super::driver::{Argument, Shape};
use super::session::{BenchError, Compared, Session, Verdict, only_verified};
use super::touch::{THREADS, touch};
use super::{HOST, Run};

pub(crate) const TYPED_LAUNCH: Benchmark<Run> = Benchmark {
    name: "typed_launch",
    group: HOST,
    twin: Twin {
        file: "touch",
        function: "touch",
        peer: "cuLaunchKernel",
    },
    unit: "launches in a row",
    // Below the depth of the driver's queue, or the host would wait for the device.
    sizes: &[256],
    small: 3,
    traffic: |_| Traffic::None,
    bound: Bound::Host("launches by the driver; the kernels do nothing"),
    prediction: "0.91 or more (at most 1.10 of the raw time): the checks of shape and arguments take well under 0.2 µs",
    run,
};

const A: f32 = 0.5;
const ELEMENTS: usize = THREADS as usize;

fn run(session: &Session, size: u64) -> Result<Measured, BenchError> {
    let stream = &session.stream;
    let x = session
        .device
        .upload(&(0..ELEMENTS).map(|i| i as f32).collect::<Vec<f32>>())?;
    let mut y = session.device.zeroed::<f32>(ELEMENTS)?;
    let shape = Launch::covering(ELEMENTS);
    let verdict = Verdict {
        kernel: TYPED_LAUNCH.name,
        size,
        limit: 0.0,
    };
    let compared = |values: Vec<f32>| {
        values.into_iter().enumerate().map(|(i, value)| Compared {
            value: f64::from(value),
            reference: i as f64 + f64::from(A),
            scale: 1.0,
        })
    };
    for _ in 0..size {
        touch::launch(stream, shape, A, &x, &mut y)?;
    }
    let error = verdict.check("ours", compared(y.to_vec(stream)?))?;
    let Some(gpu) = &session.gpu else {
        return Ok(only_verified(error));
    };

    let twin = gpu.load(TYPED_LAUNCH.twin)?;
    let arguments = vec![
        Argument::Float(A),
        Argument::Pointer(x.raw_ptr()),
        Argument::Length(ELEMENTS as u64),
        Argument::Pointer(y.raw_ptr()),
        Argument::Length(ELEMENTS as u64),
    ];
    let one_block = Shape::new(1, THREADS);
    // SAFETY: the twin takes a float and two buffers of `ELEMENTS` floats with their lengths, and checks its index against both.
    // Buffers and stream stay valid until the last measurement.
    let mut peer = unsafe { twin.prepare(session.raw_stream(), one_block, arguments) };
    y.copy_from(0, &[0.0; ELEMENTS], stream)?;
    peer.launch()?;
    let peer_error = verdict.check("peer", compared(y.to_vec(stream)?))?;
    let times: Times = interleave::<BenchError>(
        session.often(),
        || session.time_host(size, || touch::launch(stream, shape, A, &x, &mut y)),
        || session.time_host(size, || peer.launch()),
    )?;
    Ok(Measured {
        times,
        max_error: error.max(peer_error),
    })
}
