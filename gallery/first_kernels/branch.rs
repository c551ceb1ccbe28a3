//! A branch that lanes of one warp take both ways: the warp goes through both sides, one after the other.
//!
//! The textbook's section 6.2 (E2-01). Note the warning: with mixed signs a quarter of the lanes works in one branch. The same numbers
//! sorted, so that each warp has one sign, give the same results and no warning.
//!
//! `cargo run --release -p warploom-gallery --example branch`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// Adds to what is not negative, takes from what is. Gains and losses are read, so that each side has something to do.
#[kernel]
fn branch(i: Index1D, gain: &[i32], loss: &[i32], mut x: DisjointSlice<i32>) {
    let at = i.get();
    if let Some(x) = x.get_mut(i) {
        if *x >= 0 {
            *x += gain[at];
        } else {
            *x -= loss[at];
        }
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::costs(run)
}

fn run(program: &Program) -> Result {
    let n = 4096;
    let mixed: Vec<i32> = (0..n).map(|i| if i % 4 == 0 { -i } else { i }).collect();
    let mut sorted = mixed.clone();
    sorted.sort_unstable();

    println!("one sign in each warp:");
    let second = through(program, &sorted)?;
    program.equal("sorted", &second, &plain(&sorted));
    program.is_silent("WL0502");

    println!("mixed signs in each warp:");
    let first = through(program, &mixed)?;
    program.equal("mixed", &first, &plain(&mixed));
    program.warns("WL0502");

    println!("x = {:?} became {:?}", &mixed[..5], &first[..5]);
    println!(
        "time steps of a warp with both signs: 3 (test, += 1, -= 2); of a warp with one sign: 2"
    );
    Ok(())
}

fn through(program: &Program, x: &[i32]) -> Result<Vec<i32>> {
    let device = program.device();
    let stream = device.stream()?;
    let (gain, loss) = (device.filled(x.len(), 1)?, device.filled(x.len(), 2)?);
    let mut x = device.upload(x)?;
    branch::launch(&stream, Launch::covering(x.len()), &gain, &loss, &mut x)?;
    Ok(x.to_vec(&stream)?)
}

fn plain(x: &[i32]) -> Vec<i32> {
    x.iter()
        .map(|&x| if x >= 0 { x + 1 } else { x - 2 })
        .collect()
}
