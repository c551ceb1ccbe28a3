//! A matrix and a volume of floats with gaps behind their rows, walked over by a fixed number of threads.
//!
//! The CUDA programming guide, sections 3.2.1 (EX-6) and 3.3.4 (EX-5): 100 blocks of 512 threads, whatever the size. Note: rows are
//! found by `row_elements`, planes by `row_elements * height`; a thread takes every 51200th element, so each element has exactly one
//! thread. The kernel adds 1 to all, and the gaps stay as they were.
//!
//! `cargo run --release -p warploom-gallery --example pitched_loops`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// How the elements lie; by value.
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Extent {
    width: u32,
    /// Elements from row to row.
    row: u32,
    height: u32,
    depth: u32,
}

/// Adds all elements to `sum`, and 1 to each.
#[kernel]
fn walk(i: Index1D, extent: Extent, mut rows: DisjointSlice<f32, GridStride>, sum: &[AtomicU64]) {
    let (width, row) = (extent.width as usize, extent.row as usize);
    let inside = extent.height as usize * extent.depth as usize * row;
    let mut own = 0;
    for (at, element) in rows.iter_mut(i) {
        if at < inside && at % row < width {
            own += *element as u64;
            *element += 1.0;
        }
    }
    sum[0].fetch_add(own, Relaxed);
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (device, stream) = (program.device(), program.device().stream()?);
    // A matrix and a volume.
    for (width, height, depth) in [(75, 64, 1), (64, 64, 64)] {
        let host: Vec<f32> = (0..width * height * depth)
            .map(|i| (i % 100) as f32)
            .collect();
        let mut memory = device.pitched_zeroed::<f32>((width, height, depth))?;
        memory.copy_from(&host, &stream)?;
        let mut sum = device.zeroed::<u64>(1)?;
        let [w, r, h, d] = [width, memory.row_elements(), height, depth].map(|n| n as u32);
        println!(
            "{width} x {height} x {depth}: {} bytes from row to row, {} from plane to plane",
            memory.pitch(),
            memory.pitch() * height
        );
        let extent = Extent {
            width: w,
            row: r,
            height: h,
            depth: d,
        };
        let shape = program.sized(Launch::new(10, 64), Launch::new(100, 512));
        walk::launch(&stream, shape, extent, memory.padded_mut(), sum.as_atomic())?;
        let total: u64 = host.iter().map(|v| *v as u64).sum();
        program.equal("the sum of all elements", &sum.to_vec(&stream)?, &[total]);
        let one_more: Vec<f32> = host.iter().map(|v| v + 1.0).collect();
        program.equal("each element once", &memory.to_vec(&stream)?, &one_more);
        let padded: f32 = memory.padded().to_vec(&stream)?.iter().sum();
        program.is(
            "the gaps",
            f64::from(padded),
            one_more.iter().map(|v| f64::from(*v)).sum(),
        );
    }
    Ok(())
}
