//! The text of `docs/generated/linalg.md`.

use super::{Results, Row};

const HEAD: &str = "# Products of matrices beside cuBLASLt

<!-- Generated from benches/results/linalg/*.tsv. To write it anew: WARPLOOM_BLESS=1 cargo test -p warploom-harness --test linalg_doc -->

The products of `warploom-linalg` beside those of cuBLASLt, in one process, on one stream, in turn. A ratio is cuBLASLt's time by ours: above 1 ours is the faster one.
";

const METHOD: &str = "
## How it is measured

- Elements are those of a normal distribution with a variance of 1 (integers: 24²). In `tn`, neighbours in memory are along K in both operands; in `nn`, in A alone; in `tt`, in B alone; in `nt`,
  in none. Results are row-major.
- Times are those between two events around the call, the median of all runs after three that do not count. The spread is the distance between the first and the third quartile, by the
  median. Both sides have their memory beforehand: ours a plan by the estimate, cuBLASLt 32 MiB of workspace and the first algorithm of its heuristic.
- Operations are two for each product. The clock and the power are those that the driver reports behind the last run of a row.
- The results of both sides are compared in full, 64 of them with sums in `f64`: *difference* is the largest of these, by the standard deviation of a sum.
- cuBLASLt uses `wgmma` and TMA on Hopper. So do ours (`WarpGroups`) for elements of 16 bits, and in `tn` for `tf32`, `i8` and elements of 8 bits; others multiply by
  `mma.sync` on tensor cores, and by fused multiply-adds elsewhere. Sums of `e4m3` are added up in `f32` every 128 products, since tensor cores keep 13 bits of a fraction.

## What the counters say

Nsight Compute 2025.3.1 on an H100, 2026-11-26 (`e4m3` and `bf16`: 2026-11-27), the kernels of 4096³, ours and cuBLASLt's:

| counter | f32 before | f32 | f32, cuBLASLt's |
|---|---|---|---|
| instructions of all warps | 2.53 · 10⁹ | 2.42 · 10⁹ | 2.43 · 10⁹ |
| peak of the pipe of products (FMA) | 69 % | 73 % | 81 % |
| dispatch stalls for each issue | 0.66 | 0.19 | 0.10 |
| barrier stalls for each issue | 0.23 | 0.11 | 0.09 |
| short scoreboard stalls for each issue | | 0.14 | 0.19 |

- `f32`, *before*: sums and elements of B in the same register banks, 8 rows and 8 columns for each thread (0.86 of cuBLASLt). The counters of `f32` are those of two blocks of 128x128, each of 128 threads, on a multiprocessor (0.91).
  One block of 256x128, whose 256 threads have as many sums each, copies a quarter less of the operands. Tiles still go through registers to shared memory; cuBLASLt copies them asynchronously.
- `f64`, before the last change: 0.69 and 0.43 · 10⁹ instructions, 87 % and 98 % of the peak of DMMA (0.89 of cuBLASLt). Addresses and limits of the copies were computed again for each tile of K. Without that, blocks of
  128x128 have 57.4 TFLOP/s, and two blocks of 128x64 a multiprocessor 59.3. m16n8k8 with rows of A that are read behind their products, which spills nothing, gained nothing before (53.4).
- `e4m3`, before the kernels of the next point: tensor cores were busy 66 % of the time, cuBLASLt's 82 %: it has tiles of 128x128, six stages and clusters of two blocks that share copies. What did not help at 4096³: both groups of warps
  begin their products by turns, when those of the other have begun or are half done (1144 and 1134 TFLOP/s, 1155 in the same run without); products of two quarters of the columns at once, so that tensor cores
  have work while sums are added up (583, 1182 without): ptxas lets products wait for each other if those of a stage are under way at the end of a loop's round (C7514).
- Tiles of 256 and of 64 columns of `e4m3` have two stages a round, and wait for the next stage while products are under way. Two runs of 30 times each, 10^12 operations a second, with and in the same runs
  without: 1213 and 1212 for 1171 and 1164 at 4096³, 1246 and 1306 for 1260 and 1268 at 8192³, 819 and 813 for 812 and 806 at 2048³, 245 and 239 for 240 and 233 at 1024³. Sums are added up by `add.rn.f32` where they are written:
  LLVM moves additions behind the wait, and ptxas spills. The early wait alone does not explain it, with one stage a round it is slower (1023). Nor did help: two stages a round and six stages for tiles of 128x128
  (968; 1088 with four stages, one a round), groups of 16 rows of tiles (1210), addresses of operands in 32 bits (1206).
- Small and flat products of `bf16`: cuBLASLt's kernels compute all tiles at once, in clusters of two to four blocks that share copies (64x64 with 13 stages for 128x4096x4096, 128x64 with 8 for 1024³, 144x128 for
  1024x2304x768, 64x96 for 1024x768x3072, 64x8 for 1x6144x4096, 128x128 for 512x4096x14336). Our kernels of warp groups have no clusters, no fewer than 128 rows and four stages of 128x128. Where tiles are few, blocks compute parts of K, and a
  second kernel adds up the parts: 5 to 11 µs in the profiler, whose caches are cold. That it reads four parts at once gained nothing.

On the emulator, on a processor with two cores, a product of 256³ of `bf16` takes 0.05 s, and 0.29 s in checked mode (`cargo run --release -p warploom-linalg-bench -- --device emulator --only \"bf16 tn 256x\"`, with `WARPLOOM_EMULATOR=checked`).

`cargo run --release -p warploom-linalg-bench -- --cublaslt LIBRARY --out benches/results/linalg` writes the file of a GPU.
";

/// The page.
#[must_use]
pub fn document(all: &[Results]) -> String {
    let mut page = HEAD.to_owned();
    if all.is_empty() {
        page += "\nNo results are recorded yet.\n";
    }
    for results in all {
        section(&mut page, results);
    }
    page + METHOD
}

fn section(page: &mut String, results: &Results) {
    let Results {
        gpu,
        driver,
        peer,
        date,
        rows,
    } = results;
    *page += &format!(
        "\n## {gpu}\n\nDriver {driver}; {peer}; {date}.\n\n| kind | rows | geometric mean | lowest |\n|---|---|---|---|\n"
    );
    let mut kinds: Vec<&str> = Vec::new();
    for row in rows {
        if !kinds.contains(&row.kind.as_str()) {
            kinds.push(&row.kind);
        }
    }
    for kind in &kinds {
        let ratios: Vec<f64> = rows
            .iter()
            .filter(|row| row.kind == *kind)
            .map(Row::ratio)
            .collect();
        let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        let lowest = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let mean = (logarithms / ratios.len() as f64).exp();
        *page += &format!("| {kind} | {} | {mean:.3} | {lowest:.3} |\n", ratios.len());
    }
    for kind in &kinds {
        *page += &format!(
            "\n### {kind}\n\n| size | M | N | K | ours | cuBLASLt | ratio | ours, 10^12/s | cuBLASLt's | kernel | clock | power | spread, ours and cuBLASLt's | difference |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
        );
        for row in rows.iter().filter(|row| row.kind == *kind) {
            *page += &line(row);
        }
    }
}

fn line(row: &Row) -> String {
    let known = |value: u32, unit: &str| match value {
        0 => "–".to_owned(),
        value => format!("{value} {unit}"),
    };
    format!(
        "| {} | {} | {} | {} | {} | {} | {:.3} | {:.1} | {:.1} | {} | {} | {} | {:.1} %, {:.1} % | {:.0e} |\n",
        row.of,
        row.m,
        row.n,
        row.k,
        duration(row.ours.median),
        duration(row.peer.median),
        row.ratio(),
        row.rate(row.ours),
        row.rate(row.peer),
        row.kernel,
        known(row.clock_mhz, "MHz"),
        known(row.power_w, "W"),
        row.ours.spread * 100.0,
        row.peer.spread * 100.0,
        row.error,
    )
}

fn duration(ms: f64) -> String {
    match ms {
        ms if ms < 0.1 => format!("{:.2} µs", ms * 1e3),
        ms => format!("{ms:.3} ms"),
    }
}
