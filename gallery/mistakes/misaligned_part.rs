//! 64 floats after 127 shorts, by a cast: they start at byte 254, where no float may start.
//!
//! The CUDA programming guide, section B.2.3 (EX-30); `carved_shared` has it right. Note the report: the address, and what it is no
//! multiple of. On a GPU the kernel ends with an error that names neither.
//!
//! `cargo run --release -p warploom-gallery --example misaligned_part`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]
#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the kernels have bugs on purpose"
)]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

#[kernel(block(64))]
fn floats_behind<const SHORTS: usize>(
    i: Index1D,
    block: Block,
    memory: DynamicShared<u8>,
    mut y: DisjointSlice<f32>,
) {
    let t = block.thread();
    // SAFETY: each thread has one float, behind the shorts. That must be at a multiple of 4.
    let own = unsafe {
        let floats = memory.as_ptr().add(2 * SHORTS).cast::<f32>();
        *floats.add(t) = t as f32;
        *floats.add(t)
    };
    if let Some(y) = y.get_mut(i) {
        *y = own;
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::mistake(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let (stream, mut y) = (device.stream()?, device.zeroed::<f32>(64)?);
    let shape = Launch::new(1, 64).dynamic_shared(2 * 128 + 4 * 64);

    println!("127 shorts:\n");
    floats_behind::<127>::launch(&stream, shape, &mut y)?;
    program.finds("WL0004", stream.synchronize());

    floats_behind::<128>::launch(&stream, shape, &mut y)?;
    let found = y.to_vec(&stream)?;
    println!("128 shorts: {:?} …", &found[..4]);
    let expected: Vec<f32> = (0..64).map(|t| t as f32).collect();
    program.equal("128 shorts", &found, &expected);
    Ok(())
}
