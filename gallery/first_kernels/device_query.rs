//! Which devices there are, and what one says about itself.
//!
//! The study notes' section 1.2 (E3-03); the CUDA programming guide, sections 3.2.3 and 3.3.6 (EX-10). Note: names and units instead
//! of a structure of numbers, and `None` for what a device does not have (the emulator has no clock). Every property can also be asked
//! for by its number in CUDA, which is what this program checks.
//!
//! `cargo run --release -p warploom-gallery --example device_query`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::Device;
use warploom::device::Attribute;
use warploom_gallery::{Program, Result};

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    for about in Device::list()? {
        println!(
            "{}: {}, {} multiprocessors",
            about.ordinal, about.name, about.multiprocessors
        );
    }
    let device = program.device();
    let (about, limits) = (device.properties()?, device.limits());
    let (major, minor) = about.compute_capability;
    println!("{}: compute capability {major}.{minor}", about.name);
    match about.clock_khz {
        Some(khz) => println!("clock                {:.0} MHz", f64::from(khz) / 1e3),
        None => println!("clock                none"),
    }
    println!("memory               {} MiB", about.total_memory >> 20);
    println!("multiprocessors      {}", about.multiprocessors);
    println!("largest grid         {:?} blocks", limits.grid);
    println!(
        "largest block        {:?} threads, {} in all",
        limits.block, limits.threads_per_block
    );
    println!(
        "shared memory        {} KiB for a block",
        limits.shared_bytes >> 10
    );

    let same = Device::list()?
        .into_iter()
        .find(|other| other.uuid == about.uuid);
    program.is(
        "the list has it under its number",
        same.map(|other| other.ordinal),
        Some(about.ordinal),
    );
    program.is(
        "as many as are counted",
        Device::list()?.len(),
        Device::count()?,
    );
    program.holds("there is memory", about.total_memory > 0);
    program.holds(
        "a GPU has a clock",
        about.clock_khz.is_some_and(|khz| khz > 0) == device.is_gpu(),
    );
    let of = |attribute| device.attribute(attribute).map(i64::from);
    let grid = [
        Attribute::MAX_GRID_DIM_X,
        Attribute::MAX_GRID_DIM_Y,
        Attribute::MAX_GRID_DIM_Z,
    ];
    for (attribute, limit) in grid.into_iter().zip(limits.grid) {
        program.is(&format!("{attribute}"), of(attribute)?, i64::from(limit));
    }
    let others = [
        (Attribute::MAX_THREADS_PER_BLOCK, limits.threads_per_block),
        (Attribute::MAX_SHARED_MEMORY_PER_BLOCK, limits.shared_bytes),
        (Attribute::WARP_SIZE, limits.warp),
        (Attribute::MULTIPROCESSOR_COUNT, about.multiprocessors),
    ];
    for (attribute, said) in others {
        program.is(&format!("{attribute}"), of(attribute)?, i64::from(said));
    }
    if let Some(khz) = about.clock_khz {
        program.is("CLOCK_RATE", of(Attribute::CLOCK_RATE)?, i64::from(khz));
    }
    Ok(())
}
