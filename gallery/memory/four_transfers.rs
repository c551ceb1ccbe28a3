//! The same work on four kinds of host memory: pageable, page-locked, mapped and managed.
//!
//! The study notes' section 1.4.3 (E3-12). Note: pageable memory is copied in two steps (the driver has page-locked memory of its own
//! between); page-locked memory is copied at once, and beside other work; mapped memory is not copied, the kernel reads it over the bus;
//! managed memory moves by itself, page by page, on access. On a GPU the table shows what each costs, from the host's
//! numbers to the host's results.
//!
//! `cargo run --release -p warploom-gallery --example four_transfers`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;
use std::time::Instant;

use warploom::PinnedOptions;
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

#[kernel]
fn scale(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 2.0 * x[i.get()] + 1.0;
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let n = if device.is_gpu() { 1 << 24 } else { 4000 };
    let host: Vec<f32> = (0..n).map(|i| (i % 1021) as f32).collect();
    let expected: Vec<f32> = host.iter().map(|v| 2.0 * v + 1.0).collect();
    let kinds: [(&str, Way); 4] = [
        ("pageable", pageable),
        ("page-locked", pinned),
        ("mapped", mapped),
        ("managed", managed),
    ];
    println!("{:12} {:>10} {:>10}", "memory", "ms", "GB/s");
    for (name, way) in kinds {
        way(device, &host, &mut |_| {})?; // loads the code, and wakes the device
        let (mut seconds, mut equal) = (f64::INFINITY, true);
        for _ in 0..3 {
            let took = way(device, &host, &mut |found| equal &= found == expected)?;
            seconds = seconds.min(took);
        }
        program.holds(&format!("{name} memory: y = 2 x + 1"), equal);
        println!(
            "{name:12} {:10.3} {:10.2}",
            seconds * 1e3,
            8.0 * n as f64 / seconds / 1e9
        );
    }
    Ok(())
}

/// Seconds from the numbers of the host to the results at the host, which it reads.
type Way = fn(&Device, &[f32], &mut dyn FnMut(&[f32])) -> warploom::Result<f64>;

fn pageable(device: &Device, host: &[f32], look: &mut dyn FnMut(&[f32])) -> warploom::Result<f64> {
    let (stream, n) = (device.stream()?, host.len());
    let (mut x, mut y) = (device.alloc_uninit(n)?, device.alloc_uninit(n)?);
    let mut result = vec![0.0; n];
    let start = Instant::now();
    x.copy_from(0, host, &stream)?;
    scale::launch(&stream, Launch::covering(n), &x, &mut y)?;
    y.copy_to(0, &mut result, &stream)?;
    let seconds = start.elapsed().as_secs_f64();
    look(&result);
    Ok(seconds)
}

fn pinned(device: &Device, host: &[f32], look: &mut dyn FnMut(&[f32])) -> warploom::Result<f64> {
    let (stream, n) = (device.stream()?, host.len());
    let (mut x, mut y) = (device.alloc_uninit(n)?, device.alloc_uninit(n)?);
    let (source, mut result) = (device.pinned_from(host)?, device.pinned(n)?);
    let start = Instant::now();
    x.copy_from_pinned(0, &source, &stream)?; // returns at once, as the two that follow
    scale::launch(&stream, Launch::covering(n), &x, &mut y)?;
    y.copy_to_pinned(0, &mut result, &stream)?;
    let found = result.as_slice()?; // waits
    let seconds = start.elapsed().as_secs_f64();
    look(found);
    Ok(seconds)
}

fn mapped(device: &Device, host: &[f32], look: &mut dyn FnMut(&[f32])) -> warploom::Result<f64> {
    let (stream, n) = (device.stream()?, host.len());
    let mut x = device.pinned_with(n, PinnedOptions::new().mapped())?;
    let mut y = device.pinned_with(n, PinnedOptions::new().mapped())?;
    x.as_mut_slice()?.copy_from_slice(host);
    let start = Instant::now();
    scale::launch(
        &stream,
        Launch::covering(n),
        x.device_slice()?,
        y.device_slice_mut()?,
    )?;
    let found = y.as_slice()?;
    let seconds = start.elapsed().as_secs_f64();
    look(found);
    Ok(seconds)
}

fn managed(device: &Device, host: &[f32], look: &mut dyn FnMut(&[f32])) -> warploom::Result<f64> {
    let (stream, n) = (device.stream()?, host.len());
    let (x, mut y) = (device.managed_from(host)?, device.managed_zeroed(n)?);
    y.as_mut_slice()?.fill(0.0); // the host has its pages
    let start = Instant::now();
    scale::launch(&stream, Launch::covering(n), &x, &mut y)?;
    let found = y.as_slice()?; // waits; the pages come back as the host reads them
    let last = found.iter().step_by(1024).fold(0.0, |sum, v| sum + v);
    let seconds = start.elapsed().as_secs_f64();
    std::hint::black_box(last);
    look(found);
    Ok(seconds)
}
