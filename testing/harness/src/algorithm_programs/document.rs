//! The text of `docs/generated/algorithm-programs.md`.

use std::collections::BTreeMap;

use super::lines::{COMMIT, is_port};
use super::{Lines, Results, Row};

const HEAD: &str = "# Programs on the algorithms

<!-- Generated from benches/algorithm-programs and benches/results/algorithm-programs/*.json. To write it anew: WARPLOOM_BLESS=1 cargo test -p warploom-harness --test algorithm_programs_doc -->

Programs that use `warploom-algorithms` and have no kernels of their own (`benches/algorithm-programs/src/programs/`). Five are ports of programs of HeCBench and beside these; the others are beside twins in
CUDA C++ with CUB and Thrust, which are ours (`benches/algorithm-programs/cuda/`).

## Lines

";

const LINES: &str = "
Lines that are neither empty nor comments, counted by the same function on both sides; our code is formatted by rustfmt with its defaults. *Algorithm* is what is timed: calls, kernels, functions that are passed on, types of
elements, temporary memory; *program* is the whole file, with input, comparison with the host, and output, without headers of its own, which are beside it. Of `scan3` the algorithm is the variant with Thrust. Twins are formatted by clang-format (LLVM, four spaces); lines have up to 100 characters on both sides. HeCBench's programs
call Thrust or CUB, so that what is saved is in the programs and in what CUB needs beside its calls; one line of Thrust is one or two here.
";

const METHOD: &str = "
## How it is measured

- The executable of the original and our program run in turn, a round after the other, with the same numbers of elements. The original's time is what it prints; ours is taken as it takes its own: by the host's clock, from before the call
  until the device has ended, the mean over all runs of a round. Both are medians over the rounds; the spread is the distance between the first and the third quartile, by the median.
- *Device* is the time of ours between two events around the call.
- Temporary memory of ours comes from the device's pool in each call. Thrust takes it by `cudaMalloc` in each call, and so do `nonzero` and the second variant of `scan3`; `rle` has it beforehand, and so has ours. Twins take it from the device's pool.
- Input has the same distribution on both sides, not the same values. Each side compares its results with those of the host, or with properties of them, in the same run; ours are compared in full.
- For perspective keys are also sorted on the host, once in each round: by std's `sort_unstable` on one thread and by rayon's `par_sort_unstable` on all, floats by `total_cmp` as on the GPU.
- `radixsort2` sorts in place there, and from one buffer to another here. `nonzero` counts, then writes all rows before all columns there; here one pass writes pairs.

- On the emulator, with every access checked, a sort of 10^6 keys takes 2.5 to 4.7 s (12 sorts: `u32` and `f32`, alone and with values; a release build, two cores of an AMD EPYC with eight other
  processes at work, 2026-11-26); none had a finding. `cargo run --release -p warploom-algorithm-programs -- --device emulator --n 1000000 --only radixsort2` prints it.

`benches/algorithm-programs/bundle.sh CHECKOUT` makes an archive for a machine that has a GPU and its driver alone; `run.sh` in it runs everything.
";

/// The page: lines by the names of programs, first of the original, then ours; `shared` are the lines that all of ours use.
#[must_use]
pub fn document(
    lines: &BTreeMap<String, (Lines, Lines)>,
    shared: usize,
    results: &[Results],
) -> String {
    let mut page = HEAD.to_owned();
    page += "| program | algorithm, original | algorithm, ours | program, original | its headers | program, ours |\n|---|---|---|---|---|---|\n";
    for (name, (original, ours)) in lines {
        page += &format!(
            "| {name} | {} | {} | {} | {} | {} |\n",
            original.algorithm,
            ours.algorithm,
            original.main,
            match original.headers {
                0 => "–".to_owned(),
                headers => headers.to_string(),
            },
            ours.main,
        );
    }
    page += LINES;
    let ports = || lines.iter().filter(|(name, _)| is_port(name));
    let ours: usize = ports().map(|(_, (_, ours))| ours.main).sum();
    let originals: usize = ports().map(|(_, (original, _))| original.main).sum();
    let headers: usize = ports().map(|(_, (original, _))| original.headers).sum();
    page += &format!(
        "The ports together have {ours} lines, {} with what they share; the originals {originals}, and {headers} in headers.\n",
        ours + shared
    );
    page += &format!(
        "All of ours share {shared} lines for the device, the clock, comparisons and input (`bench.rs` and `noise.rs` in `benches/algorithm-programs/src/`), the twins a header; the command line, which runs both sides, is not counted. HeCBench is of commit `{COMMIT}`.\n\n## Times\n"
    );
    if results.is_empty() {
        page += "\nNo times are recorded yet.\n";
    }
    for results in results {
        section(&mut page, results);
    }
    page + METHOD
}

fn section(page: &mut String, results: &Results) {
    let machine = &results.machine;
    *page += &format!(
        "\n### {}\n\nDriver {}; {}; {}. A ratio is the original's time by ours: above 1 ours is the faster one.\n\n",
        machine.gpu, machine.driver, machine.originals, machine.date
    );
    *page += "| program | case | elements | ours | device | original | ratio | spread, ours and original |\n|---|---|---|---|---|---|---|---|\n";
    for row in &results.rows {
        *page += &line(row);
    }
}

fn line(row: &Row) -> String {
    format!(
        "| {} | {} | {} | {} | {} | {} ({}) | {:.3} | {:.1} %, {:.1} % |\n",
        row.program,
        row.case,
        size(row.n),
        duration(row.ours.median),
        duration(row.device_ms),
        duration(row.original.median),
        row.by,
        row.ratio(),
        row.ours.spread * 100.0,
        row.original.spread * 100.0,
    )
}

/// Powers of two as such.
fn size(n: u64) -> String {
    match n {
        n if n.is_power_of_two() => format!("2^{}", n.ilog2()),
        n => n.to_string(),
    }
}

fn duration(ms: f64) -> String {
    match ms {
        ms if ms < 0.1 => format!("{:.2} µs", ms * 1e3),
        ms => format!("{ms:.3} ms"),
    }
}
