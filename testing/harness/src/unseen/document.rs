//! `docs/generated/unseen.md`: the ratios of the old table, of the worked half and of the held-out half.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Group, Half, Results, Row};
use crate::benchmark::NVCC;
use crate::record::Record;

const HEAD: &str = "# Code on which the compiler was not tuned

Ports of kernels of public suites, written by fixed rules ([benches/unseen/RULES.md](../../benches/unseen/RULES.md)), beside twins in CUDA C++ that were written for this
comparison. A ratio is the twin's time by ours: above 1 the Rust kernel is the faster one. The old table is [benchmarks.md](benchmarks.md), whose kernels the compiler was
improved with. Of the corpus, one half of the programs may be studied for improvements (worked); of the other (held out) only times are read. This page is made of
`benches/results/unseen/` by `WARPLOOM_BLESS=1 cargo test -p warploom-harness --test unseen_doc`.

";

const CAUSES: &str = "
## What holds kernels of the worked half back

Those below 0.95 in the newest results, as their machine code for sm_90 shows it beside the twin's; instructions are counted without those of panics. From `causes.tsv`.

| kernel | ratio | cause |
|---|---|---|
";

/// Kernels below this ratio have a cause.
const SLOW: f64 = 0.95;

/// The kernels of the worked half that are slow in the newest results.
#[must_use]
pub fn slow(results: &[Results]) -> Vec<&Row> {
    let newest = results
        .iter()
        .max_by(|a, b| a.machine.date.cmp(&b.machine.date));
    let rows = newest.into_iter().flat_map(|results| &results.rows);
    let mut slow: Vec<&Row> = rows
        .filter(|r| r.half == Half::Worked && r.ratio < SLOW)
        .collect();
    slow.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    slow
}

/// The page. `old` are the records of `benches/results`, `results` those of `benches/results/unseen`; `causes` says by the names of kernels why they are slow.
#[must_use]
pub fn document(
    old: &[Vec<Record>],
    results: &[Results],
    causes: &BTreeMap<String, String>,
) -> String {
    let mut page = HEAD.to_owned();
    if results.is_empty() {
        page += "No results are committed yet: `benches/results/unseen/` has no file. `benches/run-on-gpu.sh` makes one.\n";
        return page;
    }
    for Results { machine, rows } in results {
        let (gpu, driver, compiler, date) = (
            &machine.gpu,
            &machine.driver,
            &machine.compiler,
            &machine.date,
        );
        page += &format!("## {gpu}\n\nDriver {driver}, {compiler}, {date}.\n\n");
        page += "| kernels | count | geometric mean | median | lowest | 0.98 or better | below 0.9 |\n|---|---|---|---|---|---|---|\n";
        let of = |half: Half| rows.iter().filter(move |row| row.half == half);
        let on_this = old
            .iter()
            .flatten()
            .filter(|r| &r.gpu == gpu && r.peer == NVCC);
        group(&mut page, "old table", Group::of(on_this.map(|r| r.ratio)));
        group(
            &mut page,
            "worked half",
            Group::of(of(Half::Worked).map(|r| r.ratio)),
        );
        group(
            &mut page,
            "held-out half",
            Group::of(of(Half::HeldOut).map(|r| r.ratio)),
        );
        for half in [Half::Worked, Half::HeldOut] {
            table(&mut page, half, of(half).collect());
        }
    }
    page += CAUSES;
    for row in slow(results) {
        let cause = causes.get(&row.kernel).map_or("not known", String::as_str);
        page += &format!("| `{}` | {:.3} | {cause} |\n", row.kernel, row.ratio);
    }
    page
}

fn group(page: &mut String, name: &str, group: Option<Group>) {
    *page += &match group {
        None => format!("| {name} | 0 | | | | | |\n"),
        Some(Group {
            count,
            mean,
            median,
            lowest,
            equal,
            slow,
        }) => format!(
            "| {name} | {count} | {mean:.3} | {median:.3} | {lowest:.3} | {equal} | {slow} |\n"
        ),
    };
}

/// The rows of one half, the slowest first.
fn table(page: &mut String, half: Half, mut rows: Vec<&Row>) {
    rows.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    // Writing to a string cannot fail.
    _ = write!(
        page,
        "\n### Kernels, {half}\n\n| suite | program | kernel | ours | twin | ratio | spread, ours and twin |\n|---|---|---|---|---|---|---|\n"
    );
    for row in rows {
        _ = writeln!(
            page,
            "| {} | {} | `{}` | {:.4} ms | {:.4} ms | {:.3} | {:.1} %, {:.1} % |",
            row.suite,
            row.program,
            row.kernel,
            row.ours_ms,
            row.peer_ms,
            row.ratio,
            row.ours_spread * 100.0,
            row.peer_spread * 100.0
        );
    }
}
