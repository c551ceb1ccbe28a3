//! Rows become `docs/generated/benchmarks.md`. The document is generated; a test compares it with the committed results.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::benchmark::{Bound, NVCC, SHARE};
use crate::record::Record;

const HEAD: &str = "\
# Benchmarks

<!-- Generated from benches/results/*.json. To write it anew: WARPLOOM_BLESS=1 cargo test -p warploom-harness --test benchmarks_doc -->

The same algorithm in Rust and in CUDA C++ (`benches/cuda/`), on the same GPU, in one run:

- Both sides use the same stream, the same buffers, the same launch shape and the same events. They alternate (ours, peer, ours,
  peer, …), so that clocks and temperature meet both alike. A warm-up comes first.
- The Rust kernels are those of `benches/side_by_side/`: safe code, bounds checks on. `by unchecked` is the time of a variant of the same
  kernel with `unsafe`, without checks, by the time of the safe one.
- Multiply and add may be contracted on both sides: `#[kernel(fma)]` here, nvcc's default there. Square root and division are
  the precise ones on both sides. nvcc runs with `-O3` for the GPU's own architecture.
- Times are medians; the spread is the distance between the first and the third quartile by the median. The ratio is the peer's
  time by ours: above 1.00 the Rust kernel is the faster one.
- Results of both sides are checked against a CPU reference in f64 in the same run; the largest relative error is in the table.
- Each group has its geometric mean and its lowest ratio: over the kernels whose peer is a CUDA C++ twin, each at its largest size, because
  the smaller ones measure the launch as well.
- `bound` is what keeps both sides from being faster, as counted before the measurement: an H200 has its bandwidth only while 29 KB per multiprocessor are
  under way (4.8 TB/s at 0.8 µs), and 2048 threads with one load of 4 bytes each are 8 KiB. A kernel that is bound by bandwidth is to reach 0.95 of a copy.
- Copy bandwidth is that of a device-to-device copy of 1 GiB in the same run, bytes read plus bytes written.
- `typed_launch` is the time that the host needs to enqueue one launch: the typed launch against `cuLaunchKernel` with arguments
  ready-made. The goals: at most 1.05 times the raw time for a launch and for a node of a graph (a ratio of 0.952), 1.1 for an allocation
  from a pool (0.909), and pinned copies at 0.98 or more.
";

/// From this ratio on both sides are equally fast.
const FASTER: f64 = 0.995;

/// From this ratio on checks cost next to nothing.
const SAFE: f64 = 0.97;

/// How the causes of what is behind our own unchecked variant are told from the others: behind the kernel's name.
pub const BY_UNCHECKED: &str = " by unchecked";

const NO_CAUSE: &str = "not looked into yet";

const NO_RESULTS: &str = "
## Results

No results are recorded yet.
";

const TAIL: &str = "
## To measure it yourself

On the GPU machine, with Rust and nvcc: `benches/run-on-gpu.sh`. For a GPU machine without Rust, pack a bundle here
(`cargo run -p warploom-harness --bin bundle`), unpack `target/bundle/warploom-gpu.tar.xz` there and run `./run-all.sh`.
Without a GPU `cargo bench` verifies the Rust kernels on the emulator and times nothing. How fast the emulator itself is:
[emulator-speed.md](emulator-speed.md).
";

/// The whole document: method, one section per list of records (a GPU), how to repeat it. `causes` says for a kernel why it is slower than
/// its twin, or, behind [`BY_UNCHECKED`], than the same without checks.
#[must_use]
pub fn document(results: &[Vec<Record>], causes: &BTreeMap<String, String>) -> String {
    let mut text = HEAD.to_owned();
    if results.iter().all(Vec::is_empty) {
        text.push_str(NO_RESULTS);
    }
    for records in results {
        section(&mut text, records, causes);
    }
    text.push_str(TAIL);
    text
}

/// From this ratio on the README counts a kernel as as fast as its twin.
const AS_FAST: f64 = 0.98;

/// What the README says of the same results: one line per GPU.
#[must_use]
pub fn in_short(results: &[Vec<Record>]) -> String {
    let mut text = String::new();
    for records in results {
        let all: Vec<&Record> = records.iter().collect();
        let twins = largest(&all);
        let Some(first) = twins.first() else { continue };
        let as_fast = twins.iter().filter(|r| r.ratio >= AS_FAST).count();
        let _ = writeln!(
            text,
            "- {}, {}: {} kernels, bounds checks on, against the same algorithm in CUDA C++: geometric mean of its time by ours {:.3}; \
             {as_fast} of them at {AS_FAST} or better, the lowest {}.",
            first.gpu,
            first.compiler,
            twins.len(),
            geometric_mean(&twins),
            lowest(&twins, |record| Some(record.ratio)),
        );
    }
    text
}

fn section(text: &mut String, records: &[Record], causes: &BTreeMap<String, String>) {
    let Some(first) = records.first() else { return };
    let Record {
        gpu,
        driver,
        compiler,
        date,
        copy_gb_s,
        ..
    } = first;
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "\n## {gpu}\n\nDriver {driver}, {compiler}, {date}. Copy bandwidth {copy_gb_s:.0} GB/s.\n"
    );
    let groups = groups(records);
    text.push_str(&overview(&groups));
    text.push_str(&share_of_bandwidth_bound(records));
    for (group, records) in &groups {
        if !group.is_empty() {
            let _ = write!(text, "\n### {group}\n");
        }
        text.push_str(&rows(records));
    }
    text.push_str(&slower(records, causes));
    text.push_str(&slower_than_unchecked(records, causes));
    text.push_str(&other_bounds(records));
    text.push_str("\nExpected before the measurement:\n\n");
    let mut seen = Vec::new();
    for record in records {
        if !seen.contains(&&record.kernel) {
            let _ = writeln!(text, "- `{}`: {}", record.kernel, record.prediction);
            seen.push(&record.kernel);
        }
    }
}

/// The records by their groups, in the order in which the groups come first.
fn groups(records: &[Record]) -> Vec<(&str, Vec<&Record>)> {
    let mut groups: Vec<(&str, Vec<&Record>)> = Vec::new();
    for record in records {
        match groups.iter_mut().find(|(name, _)| *name == record.group) {
            Some((_, members)) => members.push(record),
            None => groups.push((&record.group, vec![record])),
        }
    }
    groups
}

fn rows(records: &[&Record]) -> String {
    let mut text = "\n| kernel | size | ours | peer | ratio | by unchecked | rate of ours | bound | spread, ours / peer | runs | largest error |\n\
        |---|---|---|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for record in records {
        let _ = writeln!(
            text,
            "| {} | {} {} | {} | {} ({}) | {:.3} | {} | {} | {} | {:.1} % / {:.1} % | {} | {:.0e} |",
            record.kernel,
            size(record.size),
            record.unit,
            duration(record.ours_ms),
            duration(record.peer_ms),
            record.peer,
            record.ratio,
            record
                .safe_ratio()
                .map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.3}")),
            rate(record),
            record.bound.as_deref().unwrap_or("–"),
            record.ours_spread * 100.0,
            record.peer_spread * 100.0,
            record.runs,
            record.max_error,
        );
    }
    text
}

/// What the groups come to; nothing if no kernel has a twin.
fn overview(groups: &[(&str, Vec<&Record>)]) -> String {
    let lines: Vec<(&str, Vec<&Record>)> = groups
        .iter()
        .map(|(name, records)| (*name, largest(records)))
        .filter(|(_, records)| !records.is_empty())
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let mut text = "\n| group | kernels with a twin | geometric mean of the ratios | lowest ratio | lowest by unchecked | lowest share of copy |\n|---|---|---|---|---|---|\n".to_owned();
    let all: Vec<&Record> = lines
        .iter()
        .flat_map(|(_, records)| records)
        .copied()
        .collect();
    for (name, records) in lines
        .iter()
        .map(|(n, r)| (*n, r))
        .chain([("**all**", &all)])
    {
        let unchecked = lowest(records, Record::safe_ratio);
        let _ = writeln!(
            text,
            "| {name} | {} | {:.3} | {} | {unchecked} | {} |",
            records.len(),
            geometric_mean(records),
            lowest(records, |record| Some(record.ratio)),
            lowest(records, Record::share_of_copy),
        );
    }
    text
}

/// The lowest share of a copy among the kernels that bandwidth is to hold, and those below the limit; nothing if the records do not say which those are.
fn share_of_bandwidth_bound(records: &[Record]) -> String {
    let all: Vec<&Record> = records.iter().collect();
    let mut bound = largest(&all);
    bound.retain(|record| record.bound.as_deref() == Some(Bound::Bandwidth.name()));
    if bound.is_empty() {
        return String::new();
    }
    let share = Record::share_of_copy;
    let below = bound
        .iter()
        .filter(|record| share(record).is_some_and(|s| s < SHARE));
    let below: Vec<String> = below.map(|record| format!("`{}`", record.kernel)).collect();
    let below = if below.is_empty() {
        "all reach it".to_owned()
    } else {
        format!("below it: {}", below.join(", "))
    };
    format!(
        "\nLowest share of copy among the {} kernels that are bound by bandwidth, each at its largest size: {} (limit {SHARE}; {below}).\n",
        bound.len(),
        lowest(&bound, share),
    )
}

/// The kernels that something other than bandwidth holds, each with what and why.
fn other_bounds(records: &[Record]) -> String {
    let mut text = String::new();
    let mut seen = Vec::new();
    for record in records {
        let (Some(bound), Some(why)) = (&record.bound, &record.bound_why) else {
            continue;
        };
        if !seen.contains(&&record.kernel) {
            let _ = writeln!(text, "- `{}`: {bound}: {why}", record.kernel);
            seen.push(&record.kernel);
        }
    }
    if text.is_empty() {
        return text;
    }
    format!("\nNot bound by bandwidth, and why:\n\n{text}")
}

/// The kernels that are slower than their twins, each with the cause.
fn slower(records: &[Record], causes: &BTreeMap<String, String>) -> String {
    let all: Vec<&Record> = records.iter().collect();
    let mut slower = largest(&all);
    slower.retain(|record| record.ratio < FASTER);
    if slower.is_empty() {
        return String::new();
    }
    let mut text = format!("\nBelow {FASTER:.3}, and why:\n\n");
    for record in slower {
        let cause = causes.get(&record.kernel).map_or(NO_CAUSE, String::as_str);
        let _ = writeln!(text, "- `{}` {:.3}: {cause}", record.kernel, record.ratio);
    }
    text
}

/// The kernels that are slower than the same without checks, each with the cause.
fn slower_than_unchecked(records: &[Record], causes: &BTreeMap<String, String>) -> String {
    let all: Vec<&Record> = records.iter().collect();
    let ratios = largest(&all).into_iter();
    let ratios = ratios.filter_map(|record| Some((record, record.safe_ratio()?)));
    let slower: Vec<(&Record, f64)> = ratios.filter(|(_, ratio)| *ratio < SAFE).collect();
    if slower.is_empty() {
        return String::new();
    }
    let mut text = format!("\nBelow {SAFE:.2} by our own unchecked variant, and why:\n\n");
    for (Record { kernel, .. }, ratio) in slower {
        let cause = causes.get(&format!("{kernel}{BY_UNCHECKED}"));
        let cause = cause.map_or(NO_CAUSE, String::as_str);
        let _ = writeln!(text, "- `{kernel}` {ratio:.3}: {cause}");
    }
    text
}

/// The kernels with a twin in CUDA C++, each at its largest size.
fn largest<'r>(records: &[&'r Record]) -> Vec<&'r Record> {
    let with_twin = records.iter().filter(|record| record.peer == NVCC);
    let mut largest: Vec<&Record> = Vec::new();
    for record in with_twin {
        match largest.iter_mut().find(|r| r.kernel == record.kernel) {
            Some(known) if known.size < record.size => *known = record,
            Some(_) => {}
            None => largest.push(record),
        }
    }
    largest
}

fn geometric_mean(records: &[&Record]) -> f64 {
    let logarithms: f64 = records.iter().map(|record| record.ratio.ln()).sum();
    (logarithms / records.len() as f64).exp()
}

/// The lowest figure with the kernel that it belongs to.
fn lowest(records: &[&Record], figure: impl Fn(&Record) -> Option<f64>) -> String {
    let figures = records
        .iter()
        .filter_map(|record| Some((figure(record)?, &record.kernel)));
    figures.min_by(|(a, _), (b, _)| a.total_cmp(b)).map_or_else(
        || "–".to_owned(),
        |(figure, kernel)| format!("{figure:.3} (`{kernel}`)"),
    )
}

/// Bandwidth with its part of the copy bandwidth, or operations per second.
fn rate(record: &Record) -> String {
    let seconds = record.ours_ms / 1e3;
    match (record.bytes, record.flops) {
        (Some(bytes), _) => format!(
            "{:.0} GB/s, {:.0} % of copy",
            bytes as f64 / seconds / 1e9,
            record.share_of_copy().unwrap_or(f64::NAN) * 100.0
        ),
        (None, Some(flops)) => format!("{:.2} TFLOP/s", flops as f64 / seconds / 1e12),
        (None, None) => "–".to_owned(),
    }
}

/// Powers of two from 2^16 on as such.
fn size(size: u64) -> String {
    if size.is_power_of_two() && size >= 1 << 16 {
        format!("2^{}", size.ilog2())
    } else {
        size.to_string()
    }
}

fn duration(ms: f64) -> String {
    if ms < 0.1 {
        format!("{:.2} µs", ms * 1e3)
    } else {
        format!("{ms:.3} ms")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kernel: &str, bytes: Option<u64>, flops: Option<u64>) -> Record {
        Record {
            kernel: kernel.to_owned(),
            group: "memory".to_owned(),
            peer: "nvcc -O3".to_owned(),
            size: 1 << 28,
            unit: "elements".to_owned(),
            ours_ms: 1.0,
            peer_ms: 0.98,
            ratio: 0.98,
            ours_spread: 0.001,
            peer_spread: 0.0025,
            unchecked_ms: None,
            unchecked_spread: None,
            runs: 30,
            bytes,
            flops,
            copy_gb_s: 4000.0,
            max_error: 0.0,
            bound: None,
            bound_why: None,
            prediction: "about as fast".to_owned(),
            gpu: "NVIDIA H200".to_owned(),
            driver: "580.1".to_owned(),
            compiler: "nvcc 13.0".to_owned(),
            date: "2026-01-31".to_owned(),
        }
    }

    #[test]
    fn without_results_the_document_says_so() {
        let text = document(&[], &BTreeMap::new());
        assert!(text.contains("No results are recorded yet."), "{text}");
        assert_eq!(document(&[Vec::new()], &BTreeMap::new()), text);
    }

    #[test]
    fn a_row_shows_rate_and_part_of_copy() {
        let rows = [
            record("saxpy", Some(3_000_000_000), None),
            record("saxpy", None, Some(8_500_000_000)),
        ];
        let text = document(&[rows.to_vec()], &BTreeMap::new());
        let row = "| saxpy | 2^28 elements | 1.000 ms | 0.980 ms (nvcc -O3) | 0.980 | – | 3000 GB/s, 75 % of copy | – | 0.1 % / 0.2 % | 30 | 0e0 |";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("| 8.50 TFLOP/s |"), "{text}");
        assert!(!text.contains("No results"), "{text}");
        assert_eq!(
            text.matches("- `saxpy`: about as fast").count(),
            1,
            "{text}"
        );
    }

    #[test]
    fn groups_have_their_mean_and_their_lowest() {
        let of = |kernel: &str, group: &str, size, ratio, unchecked| Record {
            group: group.to_owned(),
            size,
            ratio,
            unchecked_ms: unchecked,
            ..record(kernel, None, None)
        };
        let rows = [
            of("copy", "memory", 10, 0.5, Some(0.7)), // not its largest size
            of("copy", "memory", 20, 0.8, Some(0.9)),
            of("sum", "reductions", 10, 1.25, None),
            of("add", "memory", 20, 0.2, None),
            Record {
                peer: "cuLaunchKernel".to_owned(),
                ..of("launch", "host", 10, 0.1, None)
            },
        ];
        let text = document(&[rows.to_vec()], &BTreeMap::new());
        for line in [
            "| memory | 2 | 0.400 | 0.200 (`add`) | 0.900 (`copy`) | – |",
            "| reductions | 1 | 1.250 | 1.250 (`sum`) | – | – |",
            "| **all** | 3 | 0.585 | 0.200 (`add`) | 0.900 (`copy`) | – |",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(!text.contains("| host |"), "{text}");
        // Rows stand with their group, in the order of the groups.
        let places = [
            "### memory",
            "| add |",
            "### reductions",
            "| sum |",
            "### host",
        ];
        let found: Vec<_> = places.iter().map(|place| text.find(place)).collect();
        assert!(found.is_sorted() && found[0].is_some(), "{found:?}");
    }

    #[test]
    fn short_form_counts_kernels_with_a_twin() {
        let of = |kernel: &str, ratio| Record {
            ratio,
            ..record(kernel, None, None)
        };
        let mut launch = of("launch", 0.1);
        launch.peer = "cuLaunchKernel".to_owned();
        let rows = vec![of("copy", 0.98), of("sum", 0.5), launch];
        assert_eq!(
            in_short(&[Vec::new(), rows]),
            "- NVIDIA H200, nvcc 13.0: 2 kernels, bounds checks on, against the same algorithm in CUDA C++: geometric mean of its time by \
             ours 0.700; 1 of them at 0.98 or better, the lowest 0.500 (`sum`).\n"
        );
    }

    #[test]
    fn slower_kernels_have_their_cause() {
        let of = |kernel: &str, ratio| Record {
            ratio,
            ..record(kernel, None, None)
        };
        let rows = vec![of("copy", 0.997), of("sum", 0.994), of("dot", 0.9)];
        let causes = BTreeMap::from([("sum".to_owned(), "one check more".to_owned())]);
        let text = document(&[rows], &causes);
        let list = "Below 0.995, and why:\n\n- `sum` 0.994: one check more\n- `dot` 0.900: not looked into yet\n\n";
        assert!(text.contains(list), "{text}");
    }

    #[test]
    fn bandwidth_has_its_limit_and_other_bounds_have_their_reasons() {
        let of = |kernel: &str, gigabytes: u64, bound: Bound| Record {
            bound: Some(bound.name().to_owned()),
            bound_why: bound.why().map(str::to_owned),
            ..record(kernel, Some(gigabytes * 1_000_000), None)
        };
        let rows = [
            of("copy", 1000, Bound::Latency("too few bytes")),
            of("dot", 3960, Bound::Bandwidth),
            of("scan", 3600, Bound::Bandwidth),
        ];
        let text = document(&[rows.to_vec()], &BTreeMap::new());
        for line in [
            "among the 2 kernels that are bound by bandwidth, each at its largest size: 0.900 (`scan`) (limit 0.95; below it: `scan`).\n",
            "\nNot bound by bandwidth, and why:\n\n- `copy`: latency: too few bytes\n\n",
            " 99 % of copy | bandwidth | ",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let text = document(&[rows[..2].to_vec()], &BTreeMap::new());
        assert!(
            text.contains("0.990 (`dot`) (limit 0.95; all reach it)"),
            "{text}"
        );
    }

    #[test]
    fn kernels_behind_their_unchecked_variant_have_their_cause() {
        let of = |kernel: &str, unchecked| Record {
            unchecked_ms: Some(unchecked),
            ..record(kernel, None, None)
        };
        let rows = vec![of("copy", 0.98), of("sum", 0.96), of("dot", 0.9)];
        let causes = BTreeMap::from([("sum by unchecked".to_owned(), "a check".to_owned())]);
        let text = document(&[rows], &causes);
        let list = "Below 0.97 by our own unchecked variant, and why:\n\n- `sum` 0.960: a check\n- `dot` 0.900: not looked into yet\n\n";
        assert!(text.contains(list), "{text}");
    }

    #[test]
    fn short_times_are_in_microseconds() {
        let mut launch = record("typed_launch", None, None);
        (launch.ours_ms, launch.size) = (0.0025, 1000);
        let text = document(&[vec![launch]], &BTreeMap::new());
        assert!(
            text.contains("| typed_launch | 1000 elements | 2.50 µs |"),
            "{text}"
        );
    }
}
