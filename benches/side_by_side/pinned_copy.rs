//! Copies between page-locked memory of the host and the device: typed buffers against the driver's call.

use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};
use warploom_harness::record::Measured;

use super::session::{BenchError, Session, copied};
use super::{HOST, Run};

pub(crate) const PINNED_COPY: Benchmark<Run> = Benchmark {
    name: "pinned_copy",
    group: HOST,
    twin: Twin {
        file: "touch",
        function: "touch",
        peer: "cuMemcpyHtoDAsync and cuMemcpyDtoHAsync",
    },
    unit: "bytes there and back",
    sizes: &[1 << 20, 1 << 28],
    small: 1 << 10,
    // Device memory is written and read once.
    traffic: |bytes| Traffic::Bytes(2 * bytes),
    bound: Bound::Host("the bus between host and device"),
    prediction: "0.98 or more: the same two copies, whose time is the bus's; 1 MiB takes 40 µs, in which the host's part is hidden",
    run,
};

fn run(session: &Session, size: u64) -> Result<Measured, BenchError> {
    let stream = &session.stream;
    let bytes = usize::try_from(size).unwrap_or(usize::MAX);
    let source: Vec<u8> = (0..bytes).map(|i| (i * 7 + i / 251) as u8).collect();
    let there = session.device.pinned_from(&source)?;
    let mut back = session.device.pinned::<u8>(bytes)?;
    let mut x = session.device.zeroed::<u8>(bytes)?;
    let raw = [
        there.as_slice()?.as_ptr().expose_provenance(),
        back.as_slice()?.as_ptr().expose_provenance(),
    ];
    let (device, raw_stream) = (x.raw_ptr(), session.raw_stream());
    let mut ours = || {
        x.copy_from_pinned(0, &there, stream)?;
        x.copy_to_pinned(0, &mut back, stream)
    };
    ours()?;
    let times = match &session.gpu {
        None => None,
        Some(gpu) => Some(session.interleave(&mut ours, || {
            // SAFETY: two pieces of page-locked memory and one of the device, all of `bytes` bytes; they stay valid until the last measurement.
            unsafe { gpu.there_and_back(raw, device, bytes, raw_stream) }
        })?),
    };
    copied((PINNED_COPY.name, size), (back.as_slice()?, &source), times)
}
