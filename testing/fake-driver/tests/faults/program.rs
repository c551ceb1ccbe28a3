//! A program that uses most of what the runtime does with the driver, and checks every result.

use std::error::Error as _;
use std::sync::atomic::Ordering::Relaxed;

use warploom_runtime::interop::external::ExternalError;
use warploom_runtime::{Device, Error, Launch, MemoryError, StreamError};

use crate::carried::{COUNT, SCALE, TOTAL, bare, count_attributes, saxpy, shared, waits};
use crate::features;

/// Elements of the buffers.
const N: usize = 33;

/// A part of the program, for a device that may have done it before, whatever went wrong then.
///
/// # Errors
/// The first that the runtime reports.
///
/// # Panics
/// If a result is wrong although no error said so.
pub(crate) type Part = fn(&Device) -> Result<(), Error>;

/// All parts.
pub(crate) const PARTS: [Part; 13] = [
    buffers,
    statics,
    launches,
    a_panic,
    features::streams,
    features::pinned,
    features::graphs,
    features::kinds,
    features::facts,
    features::tensors,
    features::textures,
    features::external,
    features::graphics,
];

/// Opens the driver's first GPU, does one part, and lets go of all that it took.
pub(crate) fn run_part(part: Part) -> Result<(), Error> {
    let device = Device::cuda(0)?;
    assert_eq!(device.compute_capability(), (9, 0));
    device.set_print_buffer(1024)?;
    part(&device)
}

/// The same with all parts.
pub(crate) fn run() -> Result<(), Error> {
    run_part(|device| PARTS.iter().try_for_each(|part| part(device)))
}

fn buffers(device: &Device) -> Result<(), Error> {
    let (one, two) = (device.stream()?, device.stream()?);
    let (start, end) = (device.event()?, device.event()?);
    let x = device.upload(&[2.0f32; N])?;
    let mut y = device.zeroed::<f32>(N)?;
    let mut z = device.alloc_uninit::<f32>(N)?;
    one.record(&start)?;
    saxpy(&one, Launch::new(3, 16), 3.0, &x, &mut y)?;
    // The second stream waits for the first, on the device.
    saxpy(&two, Launch::new(3, 16), 1.0, &x, &mut y)?;
    z.copy_from_device(0, &y, &two)?;
    z.copy_from(1, &[0.5, 0.25], &one)?;
    one.record(&end)?;
    two.wait(&end)?;
    let mut wanted = [8.0f32; N];
    wanted[1..3].copy_from_slice(&[0.5, 0.25]);
    assert_eq!(z.to_vec(&two)?, wanted);
    assert!(start.elapsed_ms(&end)? >= 0.0);
    let heap = device.heap_limit()?;
    device.set_heap_limit(heap)?;
    // Each time another size: the ring changes, and the next kernels have the new one.
    device.set_print_buffer(if device.print_buffer() == 4096 {
        2048
    } else {
        4096
    })?;
    bare(&two, Launch::new(1, 1), "faults::count", false)?;
    // Work in flight at the end.
    saxpy(&one, Launch::new(3, 16), 1.0, &x, &mut y)?;
    drop((x, y));
    one.synchronize()?;
    Ok(())
}

fn statics(device: &Device) -> Result<(), Error> {
    let stream = device.stream()?;
    let (count, scale, total) = (
        device.symbol(&COUNT)?,
        device.symbol(&SCALE)?,
        device.managed(&TOTAL)?,
    );
    count.write(&stream, &40)?;
    total.store(10, Relaxed);
    bare(&stream, Launch::new(2, 3), "faults::count", false)?;
    assert_eq!(count.read(&stream)?, 46);
    assert_eq!(total.load(Relaxed), 16);
    count.write(&stream, &7)?;
    scale.write(&stream, &5)?;
    assert_eq!((count.read(&stream)?, scale.read(&stream)?), (7, 5));
    Ok(())
}

fn launches(device: &Device) -> Result<(), Error> {
    let stream = device.stream()?;
    let mut bytes = device.zeroed::<u32>(1)?;
    shared(
        &stream,
        Launch::new(1, 1).dynamic_shared(60_000),
        &mut bytes,
    )?;
    assert_eq!(bytes.to_vec(&stream)?, [60_000]);
    waits(&stream, &mut bytes)?;
    assert_eq!(bytes.to_vec(&stream)?, [7]);
    let count = device.symbol(&COUNT)?;
    count.write(&stream, &0)?;
    bare(&stream, Launch::new(4, 2), "faults::count", true)?;
    let pairs = Launch::new(16, 1).cluster(16).large_clusters();
    bare(&stream, pairs, "faults::count", false)?;
    assert_eq!(count.read(&stream)?, 24);
    assert_eq!(count_attributes(device)?.map(|a| a.max_threads), Some(1024));
    Ok(())
}

/// A kernel panics, is reported once, and the device goes on.
fn a_panic(device: &Device) -> Result<(), Error> {
    let stream = device.stream()?;
    let x = device.upload(&[1.0f32; 5])?;
    let mut y = device.zeroed::<f32>(8)?;
    for _ in 0..2 {
        saxpy(&stream, Launch::new(2, 4), 1.0, &x, &mut y)?;
        match stream.synchronize() {
            Err(StreamError::Panic(panic)) => {
                // Its line and file are read from the module: where one of these calls fails that is unknown, and the panic is reported all the same.
                assert!(matches!(panic.line, 0 | 12), "{panic}");
                assert!(matches!(&*panic.file, "" | "k.rs"), "{panic}");
                assert_eq!(panic.block, [1, 0, 0]);
            }
            Err(error) => return Err(error.into()),
            Ok(()) => panic!("the kernel's panic is lost"),
        }
        stream.synchronize()?;
    }
    assert_eq!(y.to_vec(&stream)?, [2.0, 2.0, 2.0, 2.0, 2.0, 0.0, 0.0, 0.0]);
    Ok(())
}

/// An error with all that caused it.
pub(crate) fn whole_text(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

/// Whether an error says what went wrong: the code's name, or, where the device has no room, that.
pub(crate) fn names(error: &Error, name: &str) -> bool {
    let full = matches!(
        error,
        Error::Memory(MemoryError::OutOfMemory { .. })
            | Error::External(ExternalError::Memory(MemoryError::OutOfMemory { .. }))
    );
    whole_text(error).contains(name) || full && name == "CUDA_ERROR_OUT_OF_MEMORY"
}
