//! The PTX of a kernel, as the program carries it: two kernels that do the same by different means are compared line by line.
//!
//! The study notes' section 5.3.1 (E3-34). One computes its index by groups, the other from the built-in variables. Note: their instructions
//! are the same, so the groups cost nothing. The text has no lines of a `printf` or a bounds check that was proved away; `WARPLOOM_DUMP=1
//! cargo build` writes all of it to files.
//!
//! `cargo run --release -p warploom-gallery --example read_ptx`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::collections::BTreeSet;
use std::process::ExitCode;

use warploom::module::carried_ptx;
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// Ranks by groups.
#[kernel]
fn by_groups(i: Index1D, block: Block, mut y: DisjointSlice<[u32; 2]>) {
    let half = block.tile::<16>();
    block.sync();
    if let Some(y) = y.get_mut(i) {
        *y = [block.rank(), half.rank()];
    }
}

/// The same by the built-in numbers.
#[kernel]
fn by_numbers(i: Index1D, mut y: DisjointSlice<[u32; 2]>) {
    let (thread, size) = (thread_idx(), block_dim());
    sync_threads();
    if let Some(y) = y.get_mut(i) {
        *y = [
            thread.x + size.x * (thread.y + size.y * thread.z),
            lane() % 16,
        ];
    }
}

/// The names of a kernel's instructions, sorted: their order in the text and the registers that they use may differ.
fn instructions(kernel: &str) -> Vec<&str> {
    let lines = kernel.lines().map(str::trim);
    let code = lines.filter(|line| line.ends_with(';') && !line.starts_with('.'));
    let mut names: Vec<&str> = code
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    names.sort_unstable();
    names
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let stream = program.device().stream()?;
    let mut found = Vec::new();
    for groups in [true, false] {
        let mut y = program.device().zeroed::<[u32; 2]>(128)?;
        let shape = Launch::new(2, 64);
        if groups {
            by_groups::launch(&stream, shape, &mut y)?;
        } else {
            by_numbers::launch(&stream, shape, &mut y)?;
        }
        found.push(y.to_vec(&stream)?);
    }
    let expected: Vec<[u32; 2]> = (0..128).map(|i| [i % 64, i % 16]).collect();
    program.equal("by groups", &found[0], &expected);
    program.equal("by numbers", &found[1], &expected);

    let carried = carried_ptx()?; // that of all programs of this package
    if carried.is_empty() {
        println!("this program was built without device code; there is no PTX to read");
        return Ok(());
    }
    let text = |kernel: &str| {
        carried
            .iter()
            .find_map(|ptx| ptx.kernel(kernel))
            .unwrap_or_default()
    };
    let architectures: BTreeSet<String> =
        carried.iter().map(|ptx| ptx.arch().to_string()).collect();
    println!("made for {architectures:?}:\n{}", text("by_groups"));
    let [groups, numbers] = ["by_groups", "by_numbers"].map(|kernel| instructions(text(kernel)));
    println!(
        "{} instructions by groups, {} by numbers",
        groups.len(),
        numbers.len()
    );
    let barriers = groups.iter().filter(|name| name.starts_with("bar"));
    program.is("barriers", barriers.count(), 1);
    program.equal("the same instructions", &groups, &numbers);
    Ok(())
}
