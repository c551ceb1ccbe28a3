//! The book's sum through shared memory as it is printed: lanes of a warp are taken to run in lock-step.
//!
//! The textbook's section 6.11.5 (E2-12). Note the codes: two lanes of one warp, which a barrier of the block would be too much for, and
//! `warp.sync()` is right. GPUs before compute capability 7.0 ran it as the book says; later ones promise no order within a warp.
//!
//! `cargo run --release -p warploom-gallery --example lock_step`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]
#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the kernels have bugs on purpose"
)]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

#[kernel(block(32))]
fn sum<const SYNC: bool>(i: Index1D, warp: Warp, x: &[f32], mut y: DisjointSlice<f32>) {
    let values = shared_array!(f32, 32);
    let lane = warp.lane() as usize;
    // SAFETY: with the barriers no lane writes an element that another reads or writes; without them this is the mistake.
    let total = unsafe {
        values.set(lane, x[i.get()]);
        for distance in [16, 8, 4, 2, 1] {
            if SYNC {
                warp.sync();
            }
            let other = values.get((lane + distance) % 32);
            if SYNC {
                warp.sync();
            }
            values.set(lane, values.get(lane) + other);
        }
        values.get(lane)
    };
    if let Some(y) = y.get_mut(i) {
        *y = total;
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::mistake(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let x = device.filled(32, 1.0f32)?;
    let mut y = device.zeroed::<f32>(32)?;

    println!("as printed:\n");
    sum::<false>::launch(&stream, (1, 32), &x, &mut y)?;
    program.finds("WL0103", stream.synchronize());
    println!(
        "lane after lane, 32 ones become {:?}",
        y.to_vec(&stream)?[31]
    );

    sum::<true>::launch(&stream, (1, 32), &x, &mut y)?;
    let sums = y.to_vec(&stream)?;
    println!("with barriers of the warp: {}", sums[31]);
    program.equal("every lane", &sums, &[32.0; 32]);
    Ok(())
}
