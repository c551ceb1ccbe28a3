//! Memory that one side allocates, another uses under its address, and the first frees when the other is done.
//!
//! The CUDA programming guide, section 3.4 (EX-26): memory of the runtime interface in the driver's, and back. Here an address leaves one
//! buffer and enters another, as it would from another library. Note: taking in an address is `unsafe`, because it cannot be checked; what
//! is to happen at the end is handed over with it, and happens once, after all work that uses the memory. Context and stream leave as the
//! driver's handles, too.
//!
//! `cargo run --release -p warploom-gallery --example raw_handles`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

#[kernel]
fn double(i: Index1D, mut x: DisjointSlice<f32>) {
    if let Some(x) = x.get_mut(i) {
        *x *= 2.0;
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (device, stream, n) = (program.device(), program.device().stream()?, 1000);
    let host: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let theirs = device.upload(&host)?;
    let address = theirs.raw_ptr();
    let freed = Arc::new(AtomicBool::new(false));
    let tell = Arc::clone(&freed);
    let at_the_end = move || {
        drop(theirs); // the owner frees it
        tell.store(true, SeqCst);
    };
    // SAFETY: the memory has `n` floats, and its owner does nothing with it but free it at the end.
    let mut ours = unsafe { DeviceBuffer::<f32>::from_raw_parts(device, address, n, at_the_end)? };
    double::launch(&stream, Launch::covering(n), &mut ours)?;
    let doubled: Vec<f32> = host.iter().map(|v| 2.0 * v).collect();
    program.equal(
        "in place, under the address of the other",
        &ours.to_vec(&stream)?,
        &doubled,
    );
    program.is("the same address", ours.raw_ptr(), address);
    program.is("freed before the end", freed.load(SeqCst), false);
    drop(ours);
    program.is("freed at the end", freed.load(SeqCst), true);

    println!(
        "context {:?}, device {:?}, stream {:?}",
        device.raw_context(),
        device.raw_device(),
        stream.raw()
    );
    program.is(
        "a GPU has a context",
        !device.raw_context().is_null(),
        device.is_gpu(),
    );
    if device.is_gpu() {
        // SAFETY: a stream of the driver that is valid to the end of this function.
        let same = unsafe { Stream::from_raw(device, stream.raw())? };
        let mut x = device.upload(&host)?;
        double::launch(&same, Launch::covering(n), &mut x)?;
        program.equal("on an adopted stream", &x.to_vec(&same)?, &doubled);
    }
    Ok(())
}
