//! What is claimed of the emulator, and what was expected of each claim before the first measurement.

use super::Results;

/// One claim. Each kernel and engine is named as the samples name them.
pub(super) struct Show {
    /// What is measured.
    pub(super) what: &'static str,
    /// The figure that is good enough.
    pub(super) limit: f64,
    /// Whether larger figures are better.
    pub(super) at_least: bool,
    /// Unit of the figures, as it follows a number.
    pub(super) unit: &'static str,
    /// What was expected, and why.
    pub(super) expected: &'static str,
    /// The figure; `None` if it was not measured.
    pub(super) figure: fn(&Results) -> Option<f64>,
}

/// The emulator without checks.
pub(super) const FAST: &str = "warploom fast";
/// The emulator with checks.
pub(super) const CHECKED: &str = "warploom checked";
/// The emulator with checks and performance lints.
pub(super) const LINTS: &str = "warploom lints";
/// The plain loops.
pub(super) const HAND: &str = "by hand";

/// Kernels that the claim about two cores is about: all that run long enough.
pub(super) const KERNELS: &[&str] = &[
    "saxpy",
    "reduce",
    "scan",
    "matmul",
    "histogram",
    "shuffle",
    "rounds",
];

/// All kernels of the tables.
pub(super) const ALL: &[&str] = &[
    "saxpy",
    "saxpy_raw",
    "reduce",
    "scan",
    "matmul",
    MATMUL,
    "histogram",
    "shuffle",
    "rounds",
    "stencil",
    "transpose",
    "median",
    "commonest",
    SAMPLE,
];

/// The product of two matrices of 512 rows.
pub(super) const MATMUL: &str = "matmul_512";

/// The kernel that takes one filtered sample of a texture per thread.
pub(super) const SAMPLE: &str = "sample_f32";

impl Show {
    /// Whether a figure is good enough.
    pub(super) fn holds(&self, figure: f64) -> bool {
        if self.at_least {
            figure >= self.limit
        } else {
            figure <= self.limit
        }
    }
}

/// All claims.
pub(super) const SHOWS: &[Show] = &[
    Show {
        what: "`saxpy`, fast, one core: per thread, the work included",
        limit: 6.0,
        at_least: false,
        unit: " ns",
        expected: "3 ns: a call, the index, two bounds checks; no stack is switched",
        figure: |results| Some(results.row("saxpy", FAST, 1)?.per_thread()),
    },
    Show {
        what: "`reduce`, fast, one core: per thread and barrier",
        limit: 25.0,
        at_least: false,
        unit: " ns",
        expected: "16 ns: one switch to the scheduler and one back, with cold return predictions",
        figure: |results| Some(results.row("reduce", FAST, 1)?.per_event()),
    },
    Show {
        what: "`shuffle`, fast, one core: per thread and shuffle",
        limit: 30.0,
        at_least: false,
        unit: " ns",
        expected: "22 ns: as a barrier, and the values of 32 lanes; the stacks of one warp stay in the cache",
        figure: |results| Some(results.row("shuffle", FAST, 1)?.per_event()),
    },
    Show {
        what: "`reduce`, checked by fast, one core",
        limit: 3.0,
        at_least: false,
        unit: "×",
        expected: "1.8: three accesses per barrier in half of the threads",
        figure: |results| slowdown(results, "reduce"),
    },
    Show {
        what: "`scan`, checked by fast, one core",
        limit: 3.0,
        at_least: false,
        unit: "×",
        expected: "2.2: three accesses per barrier in all threads",
        figure: |results| slowdown(results, "scan"),
    },
    Show {
        what: "`matmul`, checked by fast, one core",
        limit: 3.0,
        at_least: false,
        unit: "×",
        expected: "4: 34 accesses per two barriers, which cost next to nothing in fast",
        figure: |results| slowdown(results, "matmul"),
    },
    Show {
        what: "`matmul_512`, lints by fast, one core",
        limit: 10.0,
        at_least: false,
        unit: "×",
        expected: "9: about 1150 accesses per thread; rows of reads are counted together, an address of each lane is kept. 20 with a call for each access, 91 before the lints had a quick way",
        figure: |results| {
            let (lints, fast) = (
                results.row(MATMUL, LINTS, 1)?,
                results.row(MATMUL, FAST, 1)?,
            );
            Some(lints.median_ns / fast.median_ns)
        },
    },
    Show {
        what: "`histogram`, checked by fast, one core",
        limit: 3.0,
        at_least: false,
        unit: "×",
        expected: "3: 16 atomic additions between two barriers",
        figure: |results| slowdown(results, "histogram"),
    },
    Show {
        what: "`saxpy`, checked by fast, one core",
        limit: 5.0,
        at_least: false,
        unit: "×",
        expected: "none: the claim was added after the first measurement. Three accesses and little else per thread",
        figure: |results| slowdown(results, "saxpy"),
    },
    Show {
        what: "`saxpy_raw`, checked by fast, one core",
        limit: 6.0,
        at_least: false,
        unit: "×",
        expected: "8: as `saxpy`, and what the launch accessed of its buffers is looked up at its end for launches of other streams",
        figure: |results| slowdown(results, "saxpy_raw"),
    },
    Show {
        what: "`stencil`, checked by fast, one core",
        limit: 6.0,
        at_least: false,
        unit: "×",
        expected: "none: the claim was added after the first measurement, 22 then. Five reads of memory that the launch only reads, and a write",
        figure: |results| slowdown(results, "stencil"),
    },
    Show {
        what: "`transpose`, checked by fast, one core",
        limit: 6.0,
        at_least: false,
        unit: "×",
        expected: "none: the claim was added after the first measurement, 2 then. A barrier and four accesses",
        figure: |results| slowdown(results, "transpose"),
    },
    Show {
        what: "`median`, checked by fast, one core",
        limit: 6.0,
        at_least: false,
        unit: "×",
        expected: "none: the claim was added after the first measurement, 3 then. Nine reads, and an array of the thread",
        figure: |results| slowdown(results, "median"),
    },
    Show {
        what: "`commonest`, checked by fast, one core",
        limit: 6.0,
        at_least: false,
        unit: "×",
        expected: "none: the claim was added after the first measurement, 14 then. Sixteen reads, and counts in an array of the thread",
        figure: |results| slowdown(results, "commonest"),
    },
    Show {
        what: "`sample_f32`, fast, one core: samples per second",
        limit: 5.0,
        at_least: true,
        unit: " million",
        expected: "10 million: 100 ns for a sample, whose weights and sums are rounded as those of a GPU, in integers",
        figure: |results| Some(samples_per_second(results, FAST, 1)? / 1e6),
    },
    Show {
        what: "`sample_f32`, checked by fast, one core",
        limit: 6.0,
        at_least: false,
        unit: "×",
        expected: "1.5: four reads and a write, beside the arithmetic of a sample",
        figure: |results| slowdown(results, SAMPLE),
    },
    Show {
        what: "two cores by one, fast: the worst kernel",
        limit: 1.8,
        at_least: true,
        unit: "×",
        expected: "1.9; `saxpy` is the worst, whose 1.5 ms include the start of an OS thread",
        figure: |results| {
            let ratios = KERNELS.iter().map(|kernel| speed_up(results, kernel, FAST));
            let all: Option<Vec<f64>> = ratios.collect();
            all?.into_iter().reduce(f64::min)
        },
    },
    Show {
        what: "`rounds`, fast, two cores: 10^7 threads × 10 barriers",
        limit: 4.0,
        at_least: false,
        unit: " s",
        expected: "0.9 s: 10^8 barriers at 17 ns, on two cores",
        figure: |results| Some(results.row("rounds", FAST, 2)?.median_ns / 1e9),
    },
];

/// How much slower a kernel is with checks, on one core.
pub(super) fn slowdown(results: &Results, kernel: &str) -> Option<f64> {
    let (checked, fast) = (
        results.row(kernel, CHECKED, 1)?,
        results.row(kernel, FAST, 1)?,
    );
    Some(checked.median_ns / fast.median_ns)
}

/// Samples of a texture per second.
pub(super) fn samples_per_second(results: &Results, engine: &str, cores: usize) -> Option<f64> {
    Some(1e9 / results.row(SAMPLE, engine, cores)?.per_thread())
}

/// How much faster two cores are than one.
pub(super) fn speed_up(results: &Results, kernel: &str, engine: &str) -> Option<f64> {
    let (one, two) = (
        results.row(kernel, engine, 1)?,
        results.row(kernel, engine, 2)?,
    );
    Some(one.median_ns / two.median_ns)
}
