//! `docs/generated/idioms.md`: all pairs, and why some are over the limit.

use std::fmt::Write as _;

use super::{Exceptions, Form, Row};

const HEAD: &str = "# Idioms of Rust beside counters and indices

<!-- Generated from benches/results/idioms.tsv and benches/idioms/exceptions.tsv. To write it anew: WARPLOOM_BLESS=1 cargo test -p warploom-harness --test idioms_doc -->

Each kernel of `benches/idioms/` is there twice: with an idiom of Rust (an inclusive range, a part of a slice, an adaptor of iterators, a `match`), and as a C programmer
would write it, with `while`, counters and indices. Both have bounds checks, and equal results on the emulator. This page has what they become for sm_90: the device pass, ptxas
13.0.88 with `-O3`, counted in what nvdisasm prints.

*Instructions* are those of the kernel without the padding at its end and without what only a panic runs. An idiom may have 1.10 times as many as its plain form; one that has
more stands in `benches/idioms/exceptions.tsv` with the reason that its machine code shows. `.ci/run static` counts anew, and fails when an idiom over the limit is not listed
there, or a listed one is not over it. Fewer instructions are not always a shorter time: a loop that is unrolled has more of them and may be faster. For the listed ones
the hottest loop is therefore shown too, all of it and its instructions per access to memory.

`WARPLOOM_BLESS=1 cargo run --release -p warploom-idioms`, with `WARPLOOM_PTXAS`, writes the figures.
";

/// The whole page.
#[must_use]
pub fn document(rows: &[Row], exceptions: &Exceptions) -> String {
    let mut page = HEAD.to_owned();
    let over = rows.iter().filter(|row| row.is_over()).count();
    let fewer = rows.iter().filter(|row| row.ratio() < 1.0).count();
    let mean = rows.iter().map(|row| row.ratio().ln()).sum::<f64>() / rows.len().max(1) as f64;
    // Writing to a string cannot fail.
    _ = write!(
        page,
        "\n{} pairs: in {fewer} the idiom has fewer instructions than its plain form, in {over} it is over the limit. Geometric mean of the ratios: {:.2}.\n\n\
         Figures are those of the idiom / those of the plain form.\n",
        rows.len(),
        mean.exp()
    );
    let mut group = "";
    for row in rows {
        let (file, name) = row.pair.split_once("::").unwrap_or(("", &row.pair));
        if file != group {
            group = file;
            _ = write!(
                page,
                "\n## {}\n\n| pair | idiom | registers | instructions | ratio |\n|---|---|---|---|---|\n",
                heading(file)
            );
        }
        let (idiom, plain) = (row.idiom, row.plain);
        _ = writeln!(
            page,
            "| `{name}` | {} | {} / {} | {} / {} | {:.2} |",
            row.title.replace('|', "\\|"),
            idiom.registers,
            plain.registers,
            idiom.instructions,
            plain.instructions,
            row.ratio()
        );
    }
    page += "\n## Over the limit\n\n| pair | instructions | hottest loop | per access | why |\n|---|---|---|---|---|\n";
    for (pair, reason) in exceptions {
        let row = rows.iter().find(|row| row.pair == *pair);
        let both = |show: fn(&Form) -> String| {
            let cells = row.map(|row| format!("{} / {}", show(&row.idiom), show(&row.plain)));
            cells.unwrap_or_else(|| "–".to_owned())
        };
        _ = writeln!(
            page,
            "| `{pair}` | {} | {} | {} | {} |",
            both(|form| form.instructions.to_string()),
            both(in_loop),
            both(per_access),
            reason.replace('|', "\\|")
        );
    }
    page
}

/// `Inclusive ranges` of `inclusive_ranges`.
fn heading(file: &str) -> String {
    let mut letters = file.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    let rest = letters.as_str().replace('_', " ");
    first.into_iter().collect::<String>() + &rest
}

fn in_loop(form: &Form) -> String {
    let hottest = form.hottest.map(|found| found.instructions.to_string());
    hottest.unwrap_or_else(|| "no loop".to_owned())
}

fn per_access(form: &Form) -> String {
    let hottest = form.hottest.filter(|found| found.accesses != 0);
    let ratio = hottest.map(|found| f64::from(found.instructions) / f64::from(found.accesses));
    ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.1}"))
}
