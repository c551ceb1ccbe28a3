//! The text of `docs/generated/algorithms.md`.

use super::{GOAL, LARGE, Pair, Ratios, Results, Row};

const HEAD: &str = "# Algorithms beside CUB

<!-- Generated from benches/results/algorithms/*.tsv. To write it anew: WARPLOOM_BLESS=1 cargo test -p warploom-harness --test algorithms_doc -->

The algorithms of `warploom-algorithms` beside those of CUB, in one process, on one stream, in turn. A ratio is CUB's time by ours: above 1 ours is the faster one.

";

const METHOD: &str = "
## How it is measured

- Times are those between two events around the call, the median of all runs after three that do not count; there may be as few as five where one takes more than a
  millisecond. The spread is the distance between the first and the third quartile, by the median.
- *Planned*: memory was made beforehand on both sides. A fill of 512 MiB is queued first, so that the host is ahead of the device: the times are those of the device alone,
  with none of the input in its cache.
- *Pooled*: as planned, but each call takes its memory from the device's pool and gives it back; CUB is first asked how much that is.
- *Idle*: memory was made beforehand, and the stream has no work: with few elements these are times of the host, with the input in the cache.
- CUB gets its number of elements as `int`, which selects its variants with 32-bit offsets where it has them; our lengths have 64 bits.
- Elements are pseudo-random words; for an entropy of 0.544 and 0.201 bits per bit, 3 and 5 of them are combined by *and*. Both sides have the same input.
- The results of both sides are compared in the same run: equal bits, or for sums of floats nearly equal values; up to 2^20 elements also with those of plain Rust.
  With more, results with memory from the pool are those of the last run.
- GB/s counts the bytes that must be read and written once; *of copy* is by the speed of a copy within device memory in the same run.

`benches/algorithms/bundle.sh` makes an archive for a machine that has a GPU and its driver alone; `run.sh` in it runs everything.
";

/// The page.
#[must_use]
pub fn document(all: &[Results]) -> String {
    let mut page = HEAD.to_owned();
    if all.is_empty() {
        page += "No results are recorded yet.\n";
    }
    for results in all {
        section(&mut page, results);
    }
    page + METHOD
}

fn section(page: &mut String, results: &Results) {
    let machine = &results.machine;
    *page += &format!(
        "## {}\n\nDriver {}; {}; {}. A copy moves {:.0} GB/s.\n\n",
        machine.gpu, machine.driver, machine.peers, machine.date, machine.copy_gb_s
    );
    *page += &format!(
        "| rows | count | geometric mean | lowest | {GOAL:.2} or better |\n|---|---|---|---|---|\n"
    );
    let large = |row: &&Row| row.n >= LARGE;
    let rows = &results.rows;
    let planned = |row: &Row| row.planned;
    ratios(page, "all, planned", rows.iter(), planned);
    ratios(
        page,
        "from 2^24, planned",
        rows.iter().filter(large),
        planned,
    );
    ratios(page, "all, pooled", rows.iter(), |row| row.pooled);
    ratios(page, "all, idle", rows.iter(), |row| row.idle);

    *page += "\n| algorithm | rows | geometric mean | from 2^24 | lowest from 2^24 |\n|---|---|---|---|---|\n";
    let names = in_order(rows);
    for name in &names {
        let of = || rows.iter().filter(|row| row.algorithm == *name);
        let all = Ratios::of(of().map(|row| row.planned.ratio()));
        let large = Ratios::of(of().filter(large).map(|row| row.planned.ratio()));
        let count = all.map_or(0, |all| all.count);
        *page += &format!(
            "| {name} | {count} | {} | {} | {} |\n",
            figure(all.map(|all| all.mean)),
            figure(large.map(|large| large.mean)),
            figure(large.map(|large| large.lowest)),
        );
    }
    for name in &names {
        *page += &format!("\n### {name}\n\n");
        table(
            page,
            results,
            rows.iter().filter(|row| row.algorithm == *name),
        );
    }
}

/// The names of the algorithms, each once.
fn in_order(rows: &[Row]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if !names.contains(&row.algorithm.as_str()) {
            names.push(&row.algorithm);
        }
    }
    names
}

fn ratios<'r>(
    page: &mut String,
    name: &str,
    rows: impl Iterator<Item = &'r Row> + Clone,
    pair: impl Fn(&Row) -> Pair,
) {
    *page += &match Ratios::of(rows.clone().map(|row| pair(row).ratio())) {
        None => format!("| {name} | 0 | – | – | – |\n"),
        Some(found) => {
            let slowest = rows.min_by(|a, b| pair(a).ratio().total_cmp(&pair(b).ratio()));
            let slowest = slowest.map_or(String::new(), |row| {
                let (algorithm, of, n) = (&row.algorithm, &row.of, size(row.n));
                format!(" ({algorithm} of {of}, {n})")
            });
            let Ratios {
                count,
                mean,
                lowest,
                reached,
            } = found;
            format!("| {name} | {count} | {mean:.3} | {lowest:.3}{slowest} | {reached} |\n")
        }
    };
}

fn table<'r>(page: &mut String, results: &Results, rows: impl Iterator<Item = &'r Row>) {
    *page += "| type | elements | entropy | ours | CUB | ratio | pooled | idle | Gelement/s | GB/s | of copy | plan, CUB's workspace | spread, ours and CUB | difference |\n";
    *page += "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    for row in rows {
        let planned = &row.planned;
        let seconds = planned.ours.median / 1e3;
        let (rate, share) = match row.bytes {
            0 => ("–".to_owned(), "–".to_owned()),
            bytes => {
                let rate = bytes as f64 / seconds / 1e9;
                let share = rate / results.machine.copy_gb_s * 100.0;
                (format!("{rate:.0}"), format!("{share:.0} %"))
            }
        };
        *page += &format!(
            "| {} | {} | {} | {} | {} | {:.3} | {:.3} | {:.3} | {:.2} | {rate} | {share} | {}, {} | {:.1} %, {:.1} % | {:.0e} |\n",
            row.of,
            size(row.n),
            row.entropy.replace('-', "–"),
            duration(planned.ours.median),
            duration(planned.peer.median),
            planned.ratio(),
            row.pooled.ratio(),
            row.idle.ratio(),
            row.n as f64 / seconds / 1e9,
            bytes(row.plan_bytes),
            bytes(row.workspace_bytes),
            planned.ours.spread * 100.0,
            planned.peer.spread * 100.0,
            row.max_error,
        );
    }
}

fn figure(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), |value| format!("{value:.3}"))
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

fn bytes(bytes: u64) -> String {
    match bytes {
        b if b < 1 << 10 => format!("{b} B"),
        b if b < 1 << 20 => format!("{:.1} KiB", b as f64 / 1024.0),
        b => format!("{:.1} MiB", b as f64 / 1_048_576.0),
    }
}
