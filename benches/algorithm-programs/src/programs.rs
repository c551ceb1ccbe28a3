//! All programs: their names, sizes and functions.

mod compress; // a lossy compressor of floats
mod equalise; // grey values of a picture
mod group_by; // sums of groups
mod k_means; // means of points
mod nonzero; // HeCBench: places of what is not zero
mod particles; // those that are still there
mod radixsort2; // HeCBench: sorts
mod rle; // HeCBench: runs
mod scan3; // HeCBench: sums up to each element
mod segment_reduce; // HeCBench: sums of segments

use crate::bench::{Bench, Done};

/// A program.
pub(crate) struct Program {
    /// As HeCBench has it, or our own.
    pub(crate) name: &'static str,
    /// Elements with which it is timed.
    pub(crate) sizes: &'static [usize],
    /// Runs it and checks its results.
    pub(crate) run: fn(&Bench, usize) -> Done,
}

/// All of them.
pub(crate) const PROGRAMS: &[Program] = &[
    Program {
        name: "group_by",
        sizes: &[1 << 26],
        run: group_by::run,
    },
    Program {
        name: "particles",
        sizes: &[1 << 26],
        run: particles::run,
    },
    Program {
        name: "k_means",
        sizes: &[1 << 26],
        run: k_means::run,
    },
    Program {
        name: "equalise",
        sizes: &[1 << 28],
        run: equalise::run,
    },
    Program {
        name: "compress",
        sizes: &[1 << 26],
        run: compress::run,
    },
    Program {
        name: "radixsort2",
        sizes: &[1 << 28],
        run: radixsort2::run,
    },
    Program {
        name: "scan3",
        sizes: &[1 << 25],
        run: scan3::run,
    },
    Program {
        name: "segment-reduce",
        sizes: &[1 << 28],
        run: segment_reduce::run,
    },
    Program {
        name: "nonzero",
        sizes: &[1 << 22],
        run: nonzero::run,
    },
    Program {
        name: "rle",
        sizes: &[1_000_000, 1 << 24],
        run: rle::run,
    },
];

#[cfg(test)]
mod tests {
    use warploom_harness::device_test::devices;

    use super::*;

    /// Around warps, blocks and tiles.
    const LENGTHS: [usize; 9] = [0, 1, 2, 33, 1000, 4096, 4097, 12_289, 20_011];

    /// The program's own comparison with plain Rust.
    #[track_caller]
    fn is_right(name: &str) {
        let program = PROGRAMS.iter().find(|p| p.name == name).unwrap();
        for device in devices() {
            let bench = Bench::new(device, 0).unwrap();
            for n in LENGTHS {
                let found = (program.run)(&bench, n).map_err(|error| error.to_string());
                assert_eq!(found, Ok(()), "{name}, {n} elements");
            }
        }
    }

    #[test]
    fn groups_have_their_sums() {
        is_right("group_by");
    }

    #[test]
    fn particles_move_or_end() {
        is_right("particles");
    }

    #[test]
    fn centres_move_to_the_means() {
        is_right("k_means");
    }

    #[test]
    fn grey_values_are_spread() {
        is_right("equalise");
    }

    #[test]
    fn what_is_decompressed_is_within_the_bound() {
        is_right("compress");
    }

    #[test]
    fn keys_are_sorted_alone_and_with_values() {
        is_right("radixsort2");
    }

    #[test]
    fn each_float_has_the_sum_before_it() {
        is_right("scan3");
    }

    #[test]
    fn each_segment_has_its_sum() {
        is_right("segment-reduce");
    }

    #[test]
    fn places_are_those_of_what_is_not_zero() {
        is_right("nonzero");
    }

    #[test]
    fn runs_have_their_lengths() {
        is_right("rle");
    }
}
