//! What the host pays for memory from the device's pool: a typed buffer that comes and goes, against the driver's two calls.

use warploom_harness::benchmark::{Benchmark, Bound, Times, Traffic, Twin, interleave};
use warploom_harness::record::Measured;

use super::session::{BenchError, Session, only_verified};
use super::{HOST, Run};

pub(crate) const POOL_ALLOCATION: Benchmark<Run> = Benchmark {
    name: "pool_allocation",
    group: HOST,
    twin: Twin {
        file: "touch",
        function: "touch",
        peer: "cuMemAllocFromPoolAsync and cuMemFreeAsync",
    },
    unit: "buffers of 64 KiB, one after the other",
    sizes: &[256],
    small: 3,
    traffic: |_| Traffic::None,
    bound: Bound::Host("bookkeeping on the host"),
    prediction: "0.91 or more (at most 1.10 of the raw time): one allocation on the host, two locks and a count beside the driver's calls",
    run,
};

const BYTES: usize = 64 << 10;

fn run(session: &Session, size: u64) -> Result<Measured, BenchError> {
    let stream = &session.stream;
    let pool = session.device.pool()?;
    let ours = || pool.alloc_uninit::<u8>(BYTES, stream).map(drop);
    ours()?;
    let Some(gpu) = &session.gpu else {
        return Ok(only_verified(0.0));
    };
    let peer = gpu.allocator(session.raw_stream())?;
    let times: Times = interleave::<BenchError>(
        session.often(),
        || session.time_host(size, ours),
        || session.time_host(size, || peer.come_and_go(BYTES)),
    )?;
    Ok(Measured {
        times,
        max_error: 0.0,
    })
}
