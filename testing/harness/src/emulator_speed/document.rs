//! The text of `docs/generated/emulator-speed.md`.

use std::fmt::Write;

use super::shows::{
    ALL, CHECKED, FAST, HAND, LINTS, SHOWS, samples_per_second, slowdown, speed_up,
};
use super::{Results, Row};

const HEAD: &str = "\
# How fast the emulator is

<!-- Generated from benches/results/emulator/*.json. To write it anew: WARPLOOM_BLESS=1 cargo test -p warploom-harness --test emulator_speed_doc -->

";

const METHOD: &str = "
## How it is measured

- Kernels: `benches/emulator/kernels.rs`. 256 threads to a block. `saxpy` and `saxpy_raw`, which gets addresses instead of slices, have 2048 blocks, `reduce`, `shuffle` and `scan` have 1024, `matmul`
  multiplies matrices of 256 rows in tiles of 16 × 16, `matmul_512` of 512, each thread of `histogram` counts 16 elements, each of `sample_f32` takes a sample between
  elements of a picture of 512 × 512, `rounds` has 10^7 threads and ten
  barriers.
- `by hand` (`benches/emulator/by_hand.rs`): the same algorithm as plain Rust, block by block, with a loop over the block's threads
  between two barriers. It is the most that one could hope for, and the compiler vectorises it.
- `warploom fast` runs kernels without checks, `warploom checked` with all of them, `warploom lints` with performance lints besides. A kernel with a race tells whether checks are on.
- Peers, in the same run: PoCL (`benches/emulator/peers/pocl_kernels.cl`), a compiler that makes loops of barriers; it compiles for this
  very processor, the others for any x86-64. Numba's simulator (`benches/emulator/peers/numba_kernels.py`), which starts an OS thread for
  each thread of a block; on one core, since Python runs one thread at a time, and with fewer blocks, as it takes so long.
- A time is that of one launch, from the call to the end of the work; without compilation and without copies. Engines take turns in
  several processes of their own, pinned to one core or to two. The table has the median, the shortest, and the spread: the distance
  between the first and the third quartile, by the median.
- Memory is that of the whole process, the peers' Python and compiler included.
- In the same run each engine's results are compared with those of the plain loop, bit by bit: all inputs are small whole numbers, and weights of samples are multiples of 1/8.
";

const TAIL: &str = "
## To measure it yourself

`benches/emulator/run.sh` builds and runs all engines that it finds, and writes `benches/results/emulator/`. It needs no GPU. What the peers
need stands at its head. `cargo bench --bench emulator` verifies the kernels and times nothing;
`cargo bench --bench emulator -- --engine fast` measures one engine.
";

/// The whole document.
#[must_use]
pub fn document(all: &[Results]) -> String {
    let mut text = HEAD.to_owned();
    text.push_str("Nanoseconds per emulated thread, on the machines that it was measured on.\n");
    if all.is_empty() {
        text.push_str("No results are recorded yet.\n\nExpected:\n\n");
        for show in SHOWS {
            line(
                &mut text,
                format_args!("- {}: {}", show.what, show.expected),
            );
        }
    }
    for results in all {
        section(&mut text, results);
    }
    text.push_str(METHOD);
    text.push_str(TAIL);
    text
}

fn line(text: &mut String, words: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{words}"); // a string takes everything
}

fn section(text: &mut String, results: &Results) {
    let machine = &results.machine;
    line(
        text,
        format_args!("\n## {}, {} cores\n", machine.processor, machine.cores),
    );
    line(
        text,
        format_args!("{}, {}.{}\n", machine.compiler, machine.date, load(results)),
    );
    shows(text, results);
    kernels(text, results);
    samples(text, results);
    launches(text, results);
    memory(text, results);
    if !results.missing.is_empty() {
        text.push_str("\nNot measured:\n\n");
        for missing in &results.missing {
            line(text, format_args!("- {}: {}", missing.engine, missing.why));
        }
    }
}

fn load(results: &Results) -> String {
    match results.machine.load.as_str() {
        "" => String::new(),
        load => format!(" Load of the machine before it began: {load}."),
    }
}

fn shows(text: &mut String, results: &Results) {
    text.push_str("| claim | limit | measured | holds | expected before the first measurement |\n|---|---|---|---|---|\n");
    for show in SHOWS {
        let sign = if show.at_least { "≥" } else { "≤" };
        let (measured, holds) = match (show.figure)(results) {
            None => ("n/a".to_owned(), "n/a"),
            Some(figure) => (
                format!("{figure:.2}{}", show.unit),
                if show.holds(figure) { "yes" } else { "**no**" },
            ),
        };
        line(
            text,
            format_args!(
                "| {} | {sign} {}{} | {measured} | {holds} | {} |",
                show.what, show.limit, show.unit, show.expected
            ),
        );
    }
}

/// One table per kernel would hide what belongs together: rows of one kernel follow each other.
fn kernels(text: &mut String, results: &Results) {
    text.push_str("\n| kernel | engine | cores | ns per thread | and barrier or shuffle | by hand = 1 | shortest | spread | launches | threads |\n");
    text.push_str("|---|---|---|---|---|---|---|---|---|---|\n");
    for kernel in ALL {
        for row in in_order(results, |row| row.kernel == *kernel) {
            let hand = results.row(kernel, HAND, row.cores);
            let ratio = hand.map_or("–".to_owned(), |hand| {
                figure(row.per_thread() / hand.per_thread())
            });
            let per_event = if row.events == 0 {
                "–".to_owned()
            } else {
                figure(row.per_event())
            };
            line(
                text,
                format_args!(
                    "| {kernel} | {} | {} | {} | {per_event} | {ratio} | {} | {:.1} % | {} | {} |",
                    engine(row),
                    row.cores,
                    figure(row.per_thread()),
                    figure(row.best_ns / row.threads as f64),
                    row.spread * 100.0,
                    row.runs,
                    row.threads
                ),
            );
        }
    }
    text.push_str("\n| kernel | checked by fast, one core | two cores by one: fast | checked | by hand |\n|---|---|---|---|---|\n");
    for kernel in ALL {
        let show =
            |ratio: Option<f64>| ratio.map_or("n/a".to_owned(), |ratio| format!("{ratio:.2}"));
        let two = |engine| show(speed_up(results, kernel, engine));
        let slower = show(slowdown(results, kernel));
        line(
            text,
            format_args!(
                "| {kernel} | {slower} | {} | {} | {} |",
                two(FAST),
                two(CHECKED),
                two(HAND)
            ),
        );
    }
}

fn samples(text: &mut String, results: &Results) {
    text.push_str("\nSamples of a texture, filtered between four `f32` (`sample_f32`, one per thread), in millions per second:\n\n");
    text.push_str("| engine | one core | two cores |\n|---|---|---|\n");
    for engine in [FAST, CHECKED, HAND] {
        let [one, two] = [1, 2].map(|cores| {
            let per_second = samples_per_second(results, engine, cores);
            per_second.map_or("n/a".to_owned(), |samples| figure(samples / 1e6))
        });
        line(text, format_args!("| {engine} | {one} | {two} |"));
    }
}

fn launches(text: &mut String, results: &Results) {
    let launches = in_order(results, |row| row.kernel.starts_with("empty_"));
    if launches.is_empty() {
        return;
    }
    text.push_str("\nA launch of a kernel that does nothing:\n\n| blocks × threads | engine | cores | µs per launch | shortest | spread |\n");
    text.push_str("|---|---|---|---|---|---|\n");
    for row in launches {
        let shape = row.kernel.trim_start_matches("empty_").replace('x', " × ");
        let (median, best) = (figure(row.median_ns / 1e3), figure(row.best_ns / 1e3));
        let spread = row.spread * 100.0;
        line(
            text,
            format_args!(
                "| {shape} | {} | {} | {median} | {best} | {spread:.1} % |",
                engine(row),
                row.cores
            ),
        );
    }
}

fn memory(text: &mut String, results: &Results) {
    let known = results
        .rows
        .iter()
        .filter_map(|row| Some((row, row.before_kib?, row.peak_kib?)));
    let known: Vec<_> = known.collect();
    if known.is_empty() {
        return;
    }
    text.push_str("\nMemory of a process that runs one kernel: before the first launch, buffers included, and the most during it:\n\n");
    text.push_str("| kernel | engine | cores | threads | before, MiB | during, MiB |\n|---|---|---|---|---|---|\n");
    for (row, before, peak) in known {
        let [before, peak] = [before, peak].map(|kib| kib as f64 / 1024.0);
        line(
            text,
            format_args!(
                "| {} | {} | {} | {} | {before:.1} | {peak:.1} |",
                row.kernel,
                engine(row),
                row.cores,
                row.threads
            ),
        );
    }
}

fn engine(row: &Row) -> String {
    match row.version.as_str() {
        "" => row.engine.clone(),
        version => format!("{} {version}", row.engine),
    }
}

/// Rows of the table: by kernel as they come, ours first, then the plain loops, then the peers.
fn in_order(results: &Results, wanted: impl Fn(&Row) -> bool) -> Vec<&Row> {
    let mut rows: Vec<&Row> = results.rows.iter().filter(|row| wanted(row)).collect();
    rows.sort_by_key(|row| {
        let known = [FAST, CHECKED, LINTS, HAND].iter();
        let place = known.clone().position(|engine| *engine == row.engine);
        (
            row.kernel.clone(),
            place.unwrap_or(known.len()),
            row.engine.clone(),
            row.cores,
        )
    });
    rows
}

/// Three digits that matter.
fn figure(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}
