//! Copies from device memory to an array and back: typed views against the driver's call.

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};
use warploom_harness::record::Measured;

use super::data::mixed_on_device;
use super::session::{BenchError, Session, copied};
use super::{HOST, Run};

pub(crate) const TO_ARRAY: Benchmark<Run> = Benchmark {
    name: "array_copy",
    group: HOST,
    twin: Twin {
        file: "touch",
        function: "touch",
        peer: "cuMemcpy3DAsync, twice",
    },
    unit: "elements through an array",
    sizes: &[1 << 18, 1 << 26],
    small: 1 << 8,
    // Elements of 4 bytes are read and written twice.
    traffic: |n| Traffic::Bytes(16 * n),
    bound: Bound::Bandwidth,
    prediction: "0.99 or more at 256 MiB, where the copies hide the host's part; 0.90 or more at 1 MiB, where each copy takes a few microseconds",
    run,
};

fn run(session: &Session, size: u64) -> Result<Measured, BenchError> {
    let stream = &session.stream;
    let side = size.isqrt() as usize;
    let given = mixed_on_device(session, side * side, 1)?;
    let mut back: DeviceBuffer<u32> = session.device.zeroed(side * side)?;
    let mut array = session.device.array_uninit::<u32>((side, side))?;
    let memory = [given.raw_ptr(), back.raw_ptr()];
    let (raw_array, raw_stream) = (array.raw_array(), session.raw_stream());
    let (given, extents) = (given.as_slice(), (side, side, 1));
    let mut ours = || -> Result<(), BenchError> {
        let to = &mut array.as_slice_mut();
        to.copy_from_device(given.shaped(extents)?, stream)?;
        let mut rows = back.as_slice_mut().shaped(extents)?;
        Ok(rows.copy_from_device(array.as_slice(), stream)?)
    };
    ours()?;
    let times = match &session.gpu {
        None => None,
        Some(gpu) => Some(session.interleave(&mut ours, || {
            // SAFETY: the array and both buffers have `side` rows of `side` elements of 4 bytes; they stay valid until the last measurement.
            unsafe { gpu.through_array(memory, raw_array, [4 * side, side], raw_stream) }
        })?),
    };
    let (found, expected) = (back.to_vec(stream)?, given.to_vec(stream)?);
    copied((TO_ARRAY.name, size), (&found, &expected), times)
}
