//! A kernel that promises how large its blocks are, so that the compiler knows how many registers it may use.
//!
//! The CUDA programming guide, section B.14 (EX-34). There the bounds are 512 threads and 3 blocks on newer devices, 256 and 2 on older
//! ones. Note: both directives are in the PTX, a larger block is an error that names the bound, and the host reads the bound from the
//! kernel, so that the two cannot differ. An attribute cannot depend on the architecture: two kernels do, and the host chooses.
//!
//! `cargo run --release -p warploom-gallery --example launch_bounds`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::LaunchError;
use warploom::prelude::*;
use warploom_gallery::{Program, Result, ptx};

/// What both kernels do.
fn work(i: Index1D, x: &[f32], y: &mut DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()].sqrt() + 1.0;
    }
}

#[kernel(launch_bounds(512, 3))]
fn newer(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    work(i, x, &mut y);
}

#[kernel(launch_bounds(256, 2))]
fn older(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    work(i, x, &mut y);
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (device, n) = (program.device(), program.sized(5000, 1 << 20));
    let stream = device.stream()?;
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let (input, mut y) = (device.upload(&x)?, device.zeroed::<f32>(n)?);
    let blocks = |threads: u32| Launch::new(n.div_ceil(threads as usize) as u32, threads);
    println!(
        "threads at most: {}, {}",
        newer::MAX_THREADS,
        older::MAX_THREADS
    );
    program.equal(
        "what the host reads",
        &[newer::MAX_THREADS, older::MAX_THREADS],
        &[512, 256],
    );
    match device.compute_capability() {
        (8.., _) => newer::launch(&stream, blocks(newer::MAX_THREADS), &input, &mut y)?,
        _ => older::launch(&stream, blocks(older::MAX_THREADS), &input, &mut y)?,
    }
    let expected: Vec<f32> = x.iter().map(|x| x.sqrt() + 1.0).collect();
    program.equal("the kernel that was chosen", &y.to_vec(&stream)?, &expected);

    let refused = older::launch(&stream, blocks(512), &input, &mut y);
    if let Err(error) = &refused {
        println!("error: {error}");
    }
    program.holds(
        "512 threads are refused",
        matches!(
            refused,
            Err(LaunchError::TooManyThreads {
                given: 512,
                limit: 256,
                ..
            })
        ),
    );
    if let Some(attributes) = newer::attributes(device)? {
        println!("registers of a thread: {}", attributes.registers);
        program.holds(
            "three blocks fit",
            attributes.registers * 512 * 3 <= 64 * 1024,
        );
    }
    for (kernel, threads, blocks) in [("newer", 512, 3), ("older", 256, 2)] {
        let Some(ptx) = ptx(kernel)? else { break };
        let wanted = [
            format!(".maxntid {threads}"),
            format!(".minnctapersm {blocks}"),
        ];
        println!("{kernel}: {}", wanted.join(" "));
        program.holds(kernel, wanted.iter().all(|text| ptx.text().contains(text)));
    }
    Ok(())
}
