//! Develops a photograph on the GPU, or on the emulator where there is none: grey, blurred, edges, histogram, equalised.
//!
//! `cargo run --release --example photo [picture.png | picture.jpg]` writes PNGs to `target/photo/`, compares each result with a
//! plain CPU reference and ends with the number of checks that passed. The kernels are in `kernels.rs`.
#![expect(clippy::print_stdout, reason = "an example talks to its user")]

mod chart;
mod checks;
mod kernels;
mod picture;
mod pipeline;
mod reference;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use warploom::prelude::*;

use checks::Checks;
use pipeline::Developed;

fn main() -> ExitCode {
    match run() {
        Ok((checks, device)) => {
            let failed = checks.failed();
            if failed > 0 {
                println!("{failed} checks FAILED");
            }
            println!("{} checks passed on {device}", checks.passed());
            ExitCode::from(u8::from(failed > 0))
        }
        Err(error) => {
            eprintln!("photo: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(Checks, String), Box<dyn Error>> {
    let device = Device::open()?;
    println!("device: {}", device.name());
    let path = std::env::args_os().nth(1).map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/photo.png"),
        PathBuf::from,
    );
    let picture = picture::load(&path)?;
    println!(
        "picture: {}, {} x {}",
        path.display(),
        picture.width,
        picture.height
    );

    if device.is_gpu() {
        // The driver compiles the PTX when a kernel is launched for the first time; what is timed below is the kernels alone.
        let started = Instant::now();
        pipeline::develop(&device, &picture, |_, _| {})?;
        let ms = started.elapsed().as_secs_f64() * 1e3;
        println!("first run, with the driver's compilation: {ms:.0} ms");
    }
    let started = Instant::now();
    let developed = pipeline::develop(&device, &picture, |kernel, ms| {
        println!("  {kernel:18} {ms:9.3} ms");
    })?;
    println!(
        "all kernels and copies: {:.0} ms",
        started.elapsed().as_secs_f64() * 1e3
    );

    save(&developed, picture.width)?;
    println!("comparing with the CPU reference");
    let checks = pipeline::check(&picture, &developed, |check| println!("  {check}"));
    Ok((checks, device.name().to_owned()))
}

fn save(developed: &Developed, width: u32) -> Result<(), Box<dyn Error>> {
    let folder = Path::new("target/photo");
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let pictures = [
        ("grey.png", width, &developed.grey),
        ("blurred.png", width, &chart::levels(&developed.blurred)),
        ("edges.png", width, &chart::edges(&developed.edges)),
        ("equalised.png", width, &developed.equalised),
        (
            "histogram.png",
            chart::CHART_WIDTH,
            &chart::histogram(&developed.histogram),
        ),
    ];
    for (name, width, pixels) in pictures {
        picture::save_grey(&folder.join(name), width, pixels)?;
        println!("wrote {}", folder.join(name).display());
    }
    Ok(())
}
