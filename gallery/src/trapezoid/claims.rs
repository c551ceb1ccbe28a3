//! What the book says of its times, held against ours.

use super::{Figures, Variant};

/// One claim of the book and what our figures say of it, by the least time of the whole and by that of the kernel alone. A run that something
/// else on the host disturbs takes longer, never shorter, and a few such runs make a mean of 100 several times as long.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// What the book says, and of which GPU.
    pub text: &'static str,
    /// Our figures, and whether they confirm it: the whole, then the kernel.
    pub ours: [(String, bool); 2],
}

/// The five times of the book's table and the plain loop's, in milliseconds.
struct Table {
    serial: f64,
    original: f64,
    shuffles_32: f64,
    shared_32: f64,
    shuffles: f64,
    shared: f64,
}

impl Table {
    /// `None` if a row is missing.
    fn of(figures: &Figures, kernel: bool) -> Option<Table> {
        let time = |variant, threads| {
            let row = figures.row(variant, threads)?;
            let times = row.kernel.filter(|_| kernel).unwrap_or(row.whole);
            Some(times.min_ms)
        };
        Some(Table {
            serial: time(Variant::Serial, 1)?,
            original: time(Variant::OneAtomicEach, 1024)?,
            shuffles_32: time(Variant::Shuffles, 32)?,
            shared_32: time(Variant::SharedMemory, 32)?,
            shuffles: time(Variant::Shuffles, 1024)?,
            shared: time(Variant::SharedMemory, 1024)?,
        })
    }
}

/// A text, and what decides it: our figure in words, and whether it holds.
type Rule = (&'static str, fn(&Table) -> (String, bool));

const RULES: &[Rule] = &[
    (
        "With one atomic per thread the GPU is faster than one core of the host (Titan X against i7: 1.45 times; GK20A: slower).",
        |t| times(t.serial / t.original, 1.0),
    ),
    (
        "Shuffles in blocks of 32 take less than 7 % of the time of one atomic per thread (Titan X; GK20A: about 70 %).",
        |t| part(t.shuffles_32 / t.original, 0.07),
    ),
    (
        "Shared memory in blocks of 32 takes less than 7 % of it (Titan X; GK20A: about 72 %).",
        |t| part(t.shared_32 / t.original, 0.07),
    ),
    (
        "In blocks of 32, shared memory is a little faster than shuffles (Titan X: 0.206 against 0.210 ms; on the GK20A shuffles are).",
        |t| part(t.shared_32 / t.shuffles_32, 1.0),
    ),
    (
        "Blocks of 1024 instead of 32 make shuffles more than 30 % faster (Titan X; GK20A: more than 10 %).",
        |t| part(t.shuffles / t.shuffles_32, 0.70),
    ),
    (
        "They make shared memory more than 25 % faster (Titan X: 0.206 to 0.150 ms, 27 %; GK20A: about 5 %).",
        |t| part(t.shared / t.shared_32, 0.75),
    ),
    (
        "In blocks of 1024, shuffles are faster than shared memory (both GPUs).",
        |t| part(t.shuffles / t.shared, 1.0),
    ),
    (
        "Both variants in blocks of 1024 are faster than both in blocks of 32 (both GPUs).",
        |t| {
            part(
                t.shuffles.max(t.shared) / t.shuffles_32.min(t.shared_32),
                1.0,
            )
        },
    ),
    (
        "All sums by trees are faster than one atomic per thread (both GPUs).",
        |t| {
            part(
                t.shuffles_32.max(t.shared_32).max(t.shuffles).max(t.shared) / t.original,
                1.0,
            )
        },
    ),
    (
        "From one atomic per thread to the fastest variant it is about 21.8 times, or more (Titan X: 3.08 to 0.141 ms).",
        |t| times(t.original / t.shuffles.min(t.shared), 21.8),
    ),
    (
        "The fastest variant is about 31.8 times as fast as one core of the host, or more (Titan X against i7: 4.48 to 0.141 ms).",
        // The book's own times give 31.77.
        |t| times(t.serial / t.shuffles.min(t.shared), 31.75),
    ),
];

/// A ratio that has to be above `least`.
fn times(ratio: f64, least: f64) -> (String, bool) {
    (format!("{ratio:.2} times as fast"), ratio > least)
}

/// A ratio that has to be below `most`.
fn part(ratio: f64, most: f64) -> (String, bool) {
    (format!("{:.1} % of the time", 100.0 * ratio), ratio < most)
}

/// The claims in the book's order; none for the emulator, and none if a row of the book's table was not measured.
#[must_use]
pub fn claims(figures: &Figures) -> Vec<Claim> {
    let tables = (Table::of(figures, false), Table::of(figures, true));
    let (true, (Some(whole), Some(kernel))) = (figures.is_gpu, tables) else {
        return Vec::new();
    };
    let claim = |&(text, judge): &Rule| Claim {
        text,
        ours: [judge(&whole), judge(&kernel)],
    };
    RULES.iter().map(claim).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Row, Times};
    use super::*;
    use warploom::Device;

    /// With the book's times of one GPU, which must confirm what the book says of it.
    fn book(serial: f64, times: [f64; 5]) -> Figures {
        let row = |variant, threads, ms| Row {
            variant,
            threads,
            area: 24.0,
            whole: Times::of(&mut [ms]),
            kernel: None,
        };
        let rows = vec![
            row(Variant::Serial, 1, serial),
            row(Variant::OneAtomicEach, 1024, times[0]),
            row(Variant::Shuffles, 32, times[1]),
            row(Variant::SharedMemory, 32, times[2]),
            row(Variant::Shuffles, 1024, times[3]),
            row(Variant::SharedMemory, 1024, times[4]),
        ];
        let mut figures = Figures::new(&Device::emulator(), 1 << 20, 50, rows);
        figures.is_gpu = true;
        figures
    }

    #[test]
    fn kernels_are_judged_by_their_own_times() {
        let mut figures = book(4.48, [20.7, 14.4, 15.0, 12.8, 14.3]);
        let kernels = [4.48, 3.08, 0.210, 0.206, 0.141, 0.150];
        for (row, ms) in figures.rows.iter_mut().zip(kernels) {
            row.kernel = Some(Times::of(&mut [ms]));
        }
        for (at, claim) in claims(&figures).iter().enumerate() {
            assert!(claim.ours[1].1, "{}", claim.text);
            assert_eq!(claim.ours[0].1, (6..9).contains(&at), "{}", claim.text);
        }
    }

    fn verdicts(figures: &Figures) -> Vec<bool> {
        claims(figures)
            .iter()
            .map(|claim| claim.ours[0].1)
            .collect()
    }

    #[test]
    fn the_titan_x_confirms_everything() {
        let all = verdicts(&book(4.48, [3.08, 0.210, 0.206, 0.141, 0.150]));
        assert_eq!(all, [true; 11]);
    }

    #[test]
    fn the_gk20a_refutes_what_is_said_of_the_titan_x() {
        let all = verdicts(&book(4.48, [20.7, 14.4, 15.0, 12.8, 14.3]));
        assert_eq!(
            all,
            [
                false, false, false, false, false, false, true, true, true, false, false
            ]
        );
    }

    #[test]
    fn the_emulator_is_no_judge() {
        let mut figures = book(4.48, [3.08, 0.210, 0.206, 0.141, 0.150]);
        figures.is_gpu = false;
        assert!(claims(&figures).is_empty());
    }
}
