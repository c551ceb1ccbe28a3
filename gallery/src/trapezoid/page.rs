//! docs/generated/trapezoid.md, and the text that the program prints.

use std::fmt::Write as _;

use super::{Figures, Row, Times, Variant, claims};

/// The book's table: a row of ours, the GK20A's mean in milliseconds and the Titan X's; of the plain loop those of their hosts.
pub(super) const BOOK: &[(Variant, u32, f64, f64)] = &[
    (Variant::Serial, 1, 33.6, 4.48),
    (Variant::OneAtomicEach, 1024, 20.7, 3.08),
    (Variant::Shuffles, 32, 14.4, 0.210),
    (Variant::SharedMemory, 32, 15.0, 0.206),
    (Variant::Shuffles, 1024, 12.8, 0.141),
    (Variant::SharedMemory, 1024, 14.3, 0.150),
];

const HEAD: &str = "\
# The trapezoid study

<!-- Generated from benches/results/trapezoid/. To write it anew: WARPLOOM_BLESS=1 cargo test -p warploom-gallery --test trapezoid_doc -->

A textbook's chapter on CUDA computes the area under `f(x) = x² + 1` between −3 and 3 with 2²⁰ trapezoids in single precision, one per thread, and
makes the sum faster step by step: one atomic addition per thread, one per warp, one per block, each by shuffles and through shared memory. It
says how long each took on two GPUs. Here is the same on ours, by the program
[trapezoid_study](../../gallery/cooperation/trapezoid_study/main.rs), whose kernels are the book's, line by line.

- **whole** is what the book measured: end points, launch, waiting and the final product, on the host's clock, the sum in managed memory.
- **kernel** is the kernel alone: 20 launches between two events, divided by 20, the sum in memory of the device.
- `block.reduce_sum` is not in the book: what the block variants do, in one safe call.
- The book's times are means of at least 50 runs. Its claims are held against our least times: a run that something else on the host disturbs takes
  longer, never shorter, and a few of them make the mean of all several times as long. The plain loop ran on the hosts: an ARM Cortex-A15 beside the GK20A, an i7 beside the Titan X.
- One `f32` addition after the other loses digits: the exact area is 24. The areas are those of the last run of the whole; with atomics the order,
  and so the last digits, change from run to run.
";

/// The page for these files.
#[must_use]
pub fn page(all: &[Figures]) -> String {
    let mut page = HEAD.to_owned();
    if all.is_empty() {
        page.push_str("\nThere are no measurements yet: it has not run on a GPU.\n");
    }
    for figures in all {
        let Figures {
            device,
            processor,
            cuda,
            date,
            trapezoids,
            runs,
            ..
        } = figures;
        let _ = write!(
            page,
            "\n## {device}\n\n{trapezoids} trapezoids, {runs} runs, {date}; the driver's CUDA {cuda}; host: {processor}. Times in milliseconds.\n\n"
        );
        figures.table(&mut page);
        let name = file_name(device);
        let _ = write!(
            page,
            "\n![Bars of the times, on a logarithmic axis](../pictures/trapezoid-{name}.svg)\n"
        );
        let claims = claims(figures);
        if !claims.is_empty() {
            page.push_str("\nWhat the book says, and what holds here, by the least times:\n\n| the book | whole | | kernel | |\n|---|---:|---|---:|---|\n");
        }
        for claim in claims {
            let [(whole, w), (kernel, k)] = &claim.ours;
            let _ = writeln!(
                page,
                "| {} | {whole} | {} | {kernel} | {} |",
                claim.text,
                verdict(*w),
                verdict(*k)
            );
        }
    }
    page
}

/// A device's name as part of a file's: `NVIDIA H200` is `nvidia-h200`.
#[must_use]
pub fn file_name(device: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    device.chars().map(plain).collect()
}

fn verdict(holds: bool) -> &'static str {
    if holds { "confirmed" } else { "**refuted**" }
}

/// Three significant digits.
pub(super) fn ms(value: f64) -> String {
    let digits = (2.0 - value.abs().log10().floor()).clamp(0.0, 6.0);
    format!("{value:.*}", digits as usize)
}

impl Figures {
    /// The book's rows first, then those between.
    fn table(&self, text: &mut String) {
        text.push_str("| sum | area | whole, mean | min | median | kernel, mean | min | GK20A | Titan X |\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n");
        for row in &self.rows {
            let book = BOOK
                .iter()
                .find(|(variant, threads, ..)| (*variant, *threads) == (row.variant, row.threads));
            let (small, large) = book.map_or((String::new(), String::new()), |(.., a, b)| {
                (ms(*a), ms(*b))
            });
            let whole = &row.whole;
            let kernel = |part: fn(&Times) -> f64| {
                row.kernel
                    .as_ref()
                    .map_or(String::new(), |times| ms(part(times)))
            };
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {} | {small} | {large} |",
                row.name(),
                row.area,
                ms(whole.mean_ms),
                ms(whole.min_ms),
                ms(whole.median_ms),
                kernel(|t| t.mean_ms),
                kernel(|t| t.min_ms),
            );
        }
    }

    /// What the program prints.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!(
            "{} trapezoids on {}, {} runs; host: {}; milliseconds\n",
            self.trapezoids, self.device, self.runs, self.processor
        );
        text.push_str("sum                                   area         whole: mean       min    kernel: mean       min   book: GK20A   Titan X\n");
        for row in &self.rows {
            text.push_str(&line(row));
        }
        let claims = claims(self);
        if claims.is_empty() {
            text.push_str(
                "the book's claims are not judged: an emulator's times say nothing of a GPU's",
            );
        }
        for claim in claims {
            let [(whole, w), (kernel, k)] = &claim.ours;
            let word = |holds: &bool| if *holds { "confirmed" } else { "REFUTED" };
            let _ = writeln!(
                text,
                "{}\n    whole: {whole}, {}; kernel: {kernel}, {}",
                claim.text,
                word(w),
                word(k)
            );
        }
        text
    }
}

/// A row of the terminal's table.
fn line(row: &Row) -> String {
    let book = BOOK
        .iter()
        .find(|(variant, threads, ..)| (*variant, *threads) == (row.variant, row.threads));
    let (small, large) = book.map_or((String::new(), String::new()), |(.., a, b)| {
        (ms(*a), ms(*b))
    });
    let kernel = |part: fn(&Times) -> f64| {
        row.kernel
            .as_ref()
            .map_or(String::new(), |times| ms(part(times)))
    };
    let (mean, min) = (kernel(|t| t.mean_ms), kernel(|t| t.min_ms));
    let (whole_mean, whole_min) = (ms(row.whole.mean_ms), ms(row.whole.min_ms));
    format!(
        "{:38}{:<10.6}{whole_mean:>9}{whole_min:>10}{mean:>16}{min:>10}{small:>14}{large:>10}\n",
        row.name(),
        row.area
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        assert_eq!(
            [ms(20.71), ms(0.20612), ms(0.0041239), ms(1234.5)],
            ["20.7", "0.206", "0.00412", "1234"]
        );
    }

    #[test]
    fn a_page_without_figures_says_so() {
        assert!(page(&[]).ends_with("it has not run on a GPU.\n"));
    }

    #[test]
    fn names_of_devices_become_names_of_files() {
        assert_eq!(file_name("NVIDIA H200"), "nvidia-h200");
    }
}
