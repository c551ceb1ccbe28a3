//! Rows become `docs/generated/static-comparison.md`. The document is generated; a test compares it with the committed rows.

use std::fmt::Write as _;

use super::{Figures, Row, Side, Work, overhead};

const HEAD: &str = "\
# Our machine code beside nvcc's

<!-- Generated from benches/results/static.tsv. To write it anew: WARPLOOM_BLESS=1 cargo test -p warploom-harness --test static_comparison -->

What the kernels of `benches/side_by_side/` and their twins in `benches/cuda/` become for sm_90, counted without a GPU. Ours is the PTX that the
benchmark program carries, through ptxas 13.0.88 with `-O3`; the twin's comes from nvcc 13.0.88 with `-O3`. Both are printed by nvdisasm.

- *Instructions* are those of the kernel, without the padding at its end; what only a panic runs is not among them, in functions or in place.
- The *hottest loop* is, of the loops inside most others, the one with most arithmetic and accesses to memory. How far a loop is unrolled changes its
  size, so the column behind it says how many instructions there are for each useful one (arithmetic of floats, accesses to memory): the rest
  are addresses, conditions and copies.
- *Accesses* are those of the whole text, with their widths in bits: `LDG.128.CONSTANT` is a load of 16 bytes through the read-only cache.

Neither column is a time: instructions that wait for memory cost nothing more. `.ci/run static` fails when one of ours has more registers, spills,
instructions or instructions per useful one than the committed row, or other accesses. A kernel that is to be different gets its new row with
`WARPLOOM_BLESS=1 cargo bench --bench side_by_side -- --static` (with `NVCC` set to a compiler: the twins' rows too).
";

/// The whole document.
#[must_use]
pub fn document(rows: &[Row]) -> String {
    let mut text = HEAD.to_owned();
    text.push_str(
        "\n| kernel | registers | spilled bytes | instructions | hottest loop | per useful one |\n|---|---|---|---|---|---|\n",
    );
    let mut kernels: Vec<&str> = rows.iter().map(|r| r.kernel.as_str()).collect();
    kernels.sort_unstable();
    kernels.dedup();
    let of = |kernel: &str, side: Side| {
        let mut found = rows.iter().filter(|r| r.kernel == kernel);
        found.find(|r| r.side == side).map(|r| &r.figures)
    };
    for kernel in &kernels {
        let sides = [of(kernel, Side::Ours), of(kernel, Side::Nvcc)];
        let cell = |show: fn(&Figures) -> String| {
            sides
                .map(|f| f.map_or_else(|| "–".to_owned(), show))
                .join(" / ")
        };
        let in_loop = |f: &Figures| {
            let all = f.hottest.as_ref().map(|w| w.instructions.to_string());
            all.unwrap_or_else(|| "no loop".to_owned())
        };
        let per_useful = |f: &Figures| {
            let ratio = f.hottest.as_ref().map(|_| format!("{:.2}", overhead(f)));
            ratio.unwrap_or_else(|| "–".to_owned())
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| `{kernel}` | {} | {} | {} | {} | {} |",
            cell(|f| f.registers.to_string()),
            cell(|f| f.spilled.to_string()),
            cell(|f| f.whole.instructions.to_string()),
            cell(in_loop),
            cell(per_useful),
        );
    }
    text.push_str("\nFigures are ours / nvcc's.\n\n## Accesses to memory\n\n| kernel | ours | nvcc |\n|---|---|---|\n");
    for kernel in &kernels {
        let cell = |side| of(kernel, side).map_or_else(|| "–".to_owned(), |f| accesses(&f.whole));
        let (ours, nvcc) = (cell(Side::Ours), cell(Side::Nvcc));
        let nvcc = if ours == nvcc {
            "the same".to_owned()
        } else {
            nvcc
        };
        let _ = writeln!(text, "| `{kernel}` | {ours} | {nvcc} |");
    }
    text
}

fn accesses(work: &Work) -> String {
    let all: Vec<String> = work
        .memory
        .iter()
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    if all.is_empty() {
        "none".to_owned()
    } else {
        all.join(", ")
    }
}
