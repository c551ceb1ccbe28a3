//! One region of shared memory, whose size the launch gives, as three arrays: 128 shorts, 64 floats, 256 integers.
//!
//! The CUDA programming guide, sections B.2.3 (EX-30) and B.13 (EX-33). Note: the kernel sees as many bytes as the launch asked for. The
//! parts are taken one after the other, each aligned to its type; after 127 shorts two bytes are left out, where C's casts give floats at
//! odd addresses (`misaligned_part`). `SharedLayout` counts the bytes on the host by the same rule.
//!
//! `cargo run --release -p warploom-gallery --example carved_shared`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::device_std::SharedLayout;
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// What a block found: bytes in all, where the second and the third part start, the sum of everything.
type Found = [u32; 4];

#[kernel]
fn three_arrays(
    block: Block,
    memory: DynamicShared<u8>,
    shorts: u32,
    mut y: DisjointSlice<Found, PerBlock>,
) {
    let mut rest = memory.carve();
    let first = rest.take::<i16>(shorts as usize);
    let second = rest.take::<f32>(64);
    let third = rest.take::<i32>(256);
    let own = |n: usize| (block.thread()..n).step_by(block.threads());
    // SAFETY: each thread writes its own elements, and all read after the barrier.
    own(first.len()).for_each(|k| unsafe { first.set(k, k as i16) });
    // SAFETY: as above.
    own(second.len()).for_each(|k| unsafe { second.set(k, k as f32 * 0.5) });
    // SAFETY: as above.
    own(third.len()).for_each(|k| unsafe { third.set(k, 1000 - k as i32) });
    block.sync();
    // SAFETY: no thread writes after the barrier.
    let shorts = (0..first.len()).map(|k| unsafe { first.get(k) });
    // SAFETY: as above.
    let floats = (0..second.len()).map(|k| unsafe { second.get(k) });
    // SAFETY: as above.
    let ints = (0..third.len()).map(|k| unsafe { third.get(k) });
    let sum = shorts.map(i32::from).sum::<i32>() + floats.sum::<f32>() as i32 + ints.sum::<i32>();
    let start = memory.as_ptr().addr();
    let offsets = [
        second.as_ptr().addr() - start,
        third.as_ptr().addr() - start,
    ];
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        *y = [
            memory.len() as u32,
            offsets[0] as u32,
            offsets[1] as u32,
            sum as u32,
        ];
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let mut y = device.zeroed::<Found>(3)?;
    for shorts in [128u32, 127] {
        let layout = SharedLayout::new()
            .with::<i16>(shorts as usize)
            .with::<f32>(64)
            .with::<i32>(256);
        let shape = Launch::new(3, 64).dynamic_shared(layout.bytes());
        three_arrays::launch(&stream, shape, shorts, &mut y)?;
        let found = y.to_vec(&stream)?;
        let [bytes, floats, ints, sum] = found[0];
        println!("{shorts} shorts: {bytes} bytes, floats from {floats}, integers from {ints}");
        let sums = (0..shorts).sum::<u32>() + 63 * 64 / 4 + (0..256).map(|k| 1000 - k).sum::<u32>();
        program.equal("three arrays", &found, &[[1536, 256, 512, sums]; 3]);
        println!("the sum of all elements: {sum}");
    }
    // More than the parts need is there as well; less is an error that says what does not fit.
    three_arrays::launch(
        &stream,
        Launch::new(3, 64).dynamic_shared(2000),
        128,
        &mut y,
    )?;
    program.is("bytes that the launch gave", y.to_vec(&stream)?[0][0], 2000);
    three_arrays::launch(
        &stream,
        Launch::new(3, 64).dynamic_shared(1000),
        128,
        &mut y,
    )?;
    let error = stream.synchronize().err().map(|error| error.to_string());
    let error = error.unwrap_or_default();
    println!("error: {error}");
    program.holds("1000 bytes are too few", error.contains("do not fit into"));
    Ok(())
}
