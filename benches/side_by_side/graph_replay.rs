//! What the device pays for a graph's nodes: our graph against one that the driver's own functions made.

use warploom::Graph;
use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};
use warploom_harness::record::Measured;

use super::driver::{Argument, Shape};
use super::session::{BenchError, Compared, Session, Verdict, only_verified};
use super::touch::{THREADS, touch};
use super::{HOST, Run};

pub(crate) const GRAPH_REPLAY: Benchmark<Run> = Benchmark {
    name: "graph_replay",
    group: HOST,
    twin: Twin {
        file: "touch",
        function: "touch",
        peer: "cuGraphLaunch",
    },
    unit: "kernels in a row in one graph",
    sizes: &[1, 256],
    small: 3,
    traffic: |_| Traffic::None,
    bound: Bound::Host("launches by the driver; the kernels do nothing"),
    prediction: "0.95 or more (at most 1.05 of the raw time per node): the same nodes in the same order; only the note of the buffers differs",
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
    let verdict = Verdict {
        kernel: GRAPH_REPLAY.name,
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
    let graph = Graph::capture(&session.device, |s| {
        (0..size).try_for_each(|_| touch::launch(s, Launch::covering(ELEMENTS), A, &x, &mut y))
    })?
    .instantiate()?;
    graph.launch(stream)?;
    let error = verdict.check("ours", compared(y.to_vec(stream)?))?;
    let Some(gpu) = &session.gpu else {
        return Ok(only_verified(error));
    };

    let twin = gpu.load(GRAPH_REPLAY.twin)?;
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
    let mut prepared = unsafe { twin.prepare(session.raw_stream(), one_block, arguments) };
    let peer = prepared.graph(size)?;
    y.copy_from(0, &[0.0; ELEMENTS], stream)?;
    peer.launch()?;
    let peer_error = verdict.check("peer", compared(y.to_vec(stream)?))?;
    let times = session.interleave(|| graph.launch(stream), || peer.launch())?;
    Ok(Measured {
        times,
        max_error: error.max(peer_error),
    })
}
