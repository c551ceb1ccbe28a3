//! One body on the emulator and on the GPU, and what to say when they differ.
//!
//! [`assert_gpu_matches_emulator!`](crate::assert_gpu_matches_emulator) is what tests call; [`Comparison`] says how equal results have
//! to be. Host only; works without a GPU, and says then that only the emulator ran.

mod compare; // two lists of values
mod explore; // one body in many schedules
mod outputs; // what bodies may return
mod values; // one value against another

use std::io::Write;
use std::panic::Location;
use std::sync::Once;

use warploom_emulator::check::Schedule;

use crate::device::Device;
use crate::device::DeviceError;
use crate::error::Result;
use crate::model::{Emulator, Model};

pub use compare::Mismatch;
pub use explore::{
    Exploration, ExplorationError, Explored, Memory, ScheduleFailure, Strategy, explore,
};
pub use outputs::{List, Outputs};
pub use values::{Element, Part};

/// Set to 1 where a missing GPU must not go unnoticed.
const REQUIRE_GPU: &str = "WARPLOOM_REQUIRE_GPU";

/// How equal two results have to be, and in how many ways they are made.
///
/// | values | `exact` | `ulps(n)` | `relative(e)` |
/// |---|---|---|---|
/// | integers, `bool`, addresses | equal | equal | equal |
/// | two finite floats | equal bits: 0.0 is not -0.0 | at most `n` representable numbers apart; 0.0 is -0.0 | `abs(a - b) <= e * max(abs(a), abs(b))` |
/// | two infinities | equal signs | equal signs | equal signs |
/// | infinity and a finite float | differ | differ | differ |
/// | two NaN | equal, whatever their bits | equal | equal |
/// | NaN and another number | differ | differ | differ |
///
/// NaN are equal because GPUs make other NaN than CPUs do; [`nan_bits`](Comparison::nan_bits) compares their bits too.
///
/// ```
/// use warploom_runtime::testing::Comparison;
///
/// let close = Comparison::ulps(2);
/// close.outputs(&[1.0f32], &[1.0000002])?;
/// let why = Comparison::exact().outputs(&[1.0f32], &[1.0000002]).unwrap_err();
/// assert!(why.to_string().contains("2 ulp apart"), "{why}");
/// # Ok::<(), warploom_runtime::testing::Mismatch>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Comparison {
    rule: Rule,
    nan_bits: bool,
    schedules: Vec<Schedule>,
    model: Option<Model>,
}

/// How equal two floats have to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rule {
    Exact,
    Ulps(u64),
    Relative(f64),
}

/// What a comparison ran.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ran {
    /// Runs on the emulator: one, and one for each schedule.
    pub emulator: usize,
    /// The GPU's name; `None`: there is none, and it was said so on standard error.
    pub gpu: Option<String>,
}

/// Why a comparison failed.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The results differ.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// The body gave an error on a device.
    #[error("on {device}: {error}")]
    Body {
        /// The device, and the schedule if one was chosen.
        device: String,
        /// The body's error.
        error: Box<crate::Error>,
    },
    /// There is no GPU, and `WARPLOOM_REQUIRE_GPU` is 1.
    #[error("WARPLOOM_REQUIRE_GPU is 1, but there is no GPU: {0}")]
    NoGpu(DeviceError),
}

impl Comparison {
    /// Equal bits; any NaN equals any NaN.
    pub fn exact() -> Comparison {
        Comparison::by(Rule::Exact)
    }

    /// Floats may be `n` representable numbers of their type apart.
    pub fn ulps(n: u64) -> Comparison {
        Comparison::by(Rule::Ulps(n))
    }

    /// Floats may differ by `epsilon` times the larger magnitude.
    pub fn relative(epsilon: f64) -> Comparison {
        Comparison::by(Rule::Relative(epsilon))
    }

    fn by(rule: Rule) -> Comparison {
        Comparison {
            rule,
            nan_bits: false,
            schedules: Vec::new(),
            model: None,
        }
    }

    /// Compares the bits of NaN too.
    pub fn nan_bits(self) -> Comparison {
        Comparison {
            nan_bits: true,
            ..self
        }
    }

    /// Runs the body on the emulator in these orders of blocks, warps and lanes as well; the results have to be as equal as those of
    /// the GPU.
    pub fn schedules(self, schedules: impl IntoIterator<Item = Schedule>) -> Comparison {
        Comparison {
            schedules: schedules.into_iter().collect(),
            ..self
        }
    }

    /// Lets the emulator stand for a GPU of this compute capability.
    pub fn model(self, model: Model) -> Comparison {
        Comparison {
            model: Some(model),
            ..self
        }
    }

    /// Compares two results: `[1.0, 2.0]` and the like. They are called `left` and `right`.
    ///
    /// # Errors
    /// [`Mismatch`].
    pub fn outputs<O: Outputs>(&self, left: &O, right: &O) -> Result<(), Mismatch> {
        let read = |outputs: &O| outputs.lists().map_err(|error| Mismatch::unread(&error));
        let names = ["left", "right"].map(str::to_owned);
        compare::lists(self, names, &read(left)?, &read(right)?)
    }

    /// Runs `body` on the emulator, in the schedules that were asked for, and on the first GPU if there is one; compares.
    ///
    /// # Errors
    /// [`Failure`]: they differ, or the body fails.
    pub fn check<O: Outputs>(&self, body: impl Fn(&Device) -> Result<O>) -> Result<Ran, Failure> {
        let run = |device: &Device, name: &str| {
            body(device)
                .and_then(|outputs| outputs.lists())
                .map_err(|error| Failure::Body {
                    device: name.to_owned(),
                    error: Box::new(error),
                })
        };
        let emulator = self
            .model
            .map_or_else(Emulator::new, |model| Emulator::new().model(model));
        let device = emulator.device();
        let name = device.name().to_owned();
        let expected = run(&device, &name)?;
        for schedule in &self.schedules {
            let other = format!("{name}, schedule {schedule}");
            let found = run(&emulator.schedule(*schedule).device(), &other)?;
            compare::lists(self, [name.clone(), other], &expected, &found)?;
        }
        let gpu = match Device::cuda(0) {
            Ok(gpu) => {
                let found = run(&gpu, gpu.name())?;
                compare::lists(self, [name, gpu.name().to_owned()], &expected, &found)?;
                Some(gpu.name().to_owned())
            }
            Err(why) => {
                if std::env::var(REQUIRE_GPU).is_ok_and(|value| !matches!(&*value, "" | "0")) {
                    return Err(Failure::NoGpu(why));
                }
                say_once(&why);
                None
            }
        };
        Ok(Ran {
            emulator: 1 + self.schedules.len(),
            gpu,
        })
    }

    /// [`check`](Comparison::check) for tests.
    ///
    /// # Panics
    /// With the text of the [`Failure`].
    #[track_caller]
    #[expect(clippy::panic, reason = "this is how a test fails")]
    pub fn assert<O: Outputs>(&self, body: impl Fn(&Device) -> Result<O>) -> Ran {
        match self.check(body) {
            Ok(ran) => ran,
            Err(failure) => panic!("{failure}\n  at {}", Location::caller()),
        }
    }
}

/// Every order that the emulator knows: the four fixed ones, then random ones with seeds from 0.
///
/// ```
/// use warploom_runtime::testing::{Comparison, every_schedule};
/// let ran = Comparison::exact().schedules(every_schedule(20)).assert(|_| Ok([1u32]));
/// assert_eq!(ran.emulator, 1 + 4 + 20);
/// ```
pub fn every_schedule(seeds: u64) -> impl Iterator<Item = Schedule> {
    let fixed = [
        Schedule::Forward,
        Schedule::Reverse,
        Schedule::LastWarpFirst,
        Schedule::OneLane,
    ];
    fixed.into_iter().chain((0..seeds).map(Schedule::Random))
}

/// Says once per process that there is no GPU, past the test runner's capture.
fn say_once(why: &DeviceError) {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        let text = format!("only the emulator ran, there was no GPU to compare it with: {why}\n");
        // Nothing is lost but the remark.
        drop(std::io::stderr().write_all(text.as_bytes()));
    });
}

/// Runs a closure on the emulator and, where there is one, on the first GPU, and fails unless both give the same.
///
/// The closure takes a `&Device` and returns a [`Result`](crate::Result) of what it computed: a `Vec`, an array, a
/// [`DeviceBuffer`](crate::DeviceBuffer), or a tuple of them (see [`Outputs`](crate::testing::Outputs)). A
/// [`Comparison`](crate::testing::Comparison) in front says how equal the results have to be; without one, exactly. The failure names the
/// first element that differs, both values and their distance, how many differ, and the largest difference. Gives what it
/// [`Ran`](crate::testing::Ran).
///
/// ```
/// use warploom_runtime::{assert_gpu_matches_emulator, testing::Comparison};
///
/// let ran = assert_gpu_matches_emulator!(|device| Ok(device.upload(&[1.0f32, 2.0])?));
/// assert_eq!(ran.emulator, 1);
///
/// use warploom_runtime::model::Schedule;
/// let close = Comparison::relative(1e-6).schedules([Schedule::Reverse, Schedule::Random(7)]);
/// assert_gpu_matches_emulator!(close, |device| {
///     let stream = device.stream()?;
///     let y = device.upload(&[0.1f64; 5])?;
///     Ok((y.to_vec(&stream)?, [1u32, 2]))
/// });
/// ```
///
/// # Panics
/// When the results differ, when the closure gives an error, and when there is no GPU although `WARPLOOM_REQUIRE_GPU` is 1.
/// ```should_panic
/// # use warploom_runtime::{assert_gpu_matches_emulator, testing::Comparison, model::Schedule};
/// # use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
/// let calls = AtomicU32::new(0);
/// // error[WL0910]: two runs of the emulator give different results …
/// assert_gpu_matches_emulator!(Comparison::exact().schedules([Schedule::Reverse]), |_| {
///     Ok(vec![calls.fetch_add(1, Relaxed)])
/// });
/// ```
#[macro_export]
macro_rules! assert_gpu_matches_emulator {
    ($body:expr $(,)?) => {
        $crate::testing::Comparison::exact().assert($body)
    };
    ($comparison:expr, $body:expr $(,)?) => {
        $comparison.assert($body)
    };
}

crate::error::debug_is_the_text!(Failure, Mismatch);

#[cfg(test)]
#[path = "testing/tests.rs"]
mod tests;
