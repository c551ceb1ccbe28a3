//! What to check, in which order threads run, and as which GPU.

use crate::control::Control;
use crate::model::Model;

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::str::FromStr;

/// What a run is asked for beyond its shape.
///
/// ```
/// use warploom_emulator::check::{Options, Schedule};
///
/// let mut options = Options::default();
/// options.schedule = Schedule::Random(7);
/// options.workers = Some(1);
/// assert_eq!(options.replay(), "WARPLOOM_SCHEDULE=random:7 WARPLOOM_WORKERS=1");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// How much the run checks.
    pub mode: Mode,
    /// The order.
    pub schedule: Schedule,
    /// Whether performance is checked as well; only in [`Mode::Checked`].
    pub lints: bool,
    /// The GPU whose limits hold.
    pub model: Model,
    /// OS threads that run blocks, where the shape does not say; `None`: as many as there are processors.
    pub workers: Option<usize>,
    /// Accesses to memory and calls of intrinsics that a thread may make before it is taken for endless; only in [`Mode::Checked`].
    pub step_limit: u64,
    /// Bytes of a thread's stack, at least [`LEAST_STACK_BYTES`](Self::LEAST_STACK_BYTES).
    pub stack_bytes: usize,
    /// What messages call the kernel; empty: they do not name it.
    pub kernel: &'static str,
    /// The exposed address of what [`crate::intrinsics::print_ring`] gives: where printing threads leave their records. 0: nowhere.
    pub prints: usize,
    /// What chooses the thread at each atomic access instead of `schedule`, in one worker; only in [`Mode::Checked`].
    pub control: Option<Control>,
}

/// How much a run checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Mode {
    /// Barriers, warp operations and panics only: the kernel as rustc compiled it for the host.
    #[default]
    Fast,
    /// Every access to memory as well: the instrumented kernel.
    Checked,
}

/// Which of the threads that can run runs next, and which block starts next.
///
/// A thread runs until it waits, whatever the order; in [`Mode::Checked`] atomics may be followed by a switch as well. With one worker a
/// run is the same each time. With several, the order of threads within each block (cluster, cooperative grid) still is, as long as the
/// kernel does not depend on what other blocks do meanwhile; how the blocks interleave is up to the operating system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Schedule {
    /// Lowest block, warp and lane first; the same warp as long as it can run.
    #[default]
    Forward,
    /// Highest block, warp and lane first.
    Reverse,
    /// Lowest block first; in it the last warp first.
    LastWarpFirst,
    /// A lane runs as far as it can before any other of its warp starts; lanes in turn across warps.
    OneLane,
    /// Any, as the seed decides: blocks, warps and lanes.
    Random(u64),
}

/// A setting that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{variable}={given}: {expected}")]
pub struct OptionsError {
    variable: &'static str,
    given: String,
    expected: &'static str,
}

const SCHEDULE: &str = "WARPLOOM_SCHEDULE";
const WORKERS: &str = "WARPLOOM_WORKERS";
const STEP_LIMIT: &str = "WARPLOOM_STEP_LIMIT";
pub(crate) const STACK_BYTES: &str = "WARPLOOM_STACK_BYTES";

/// At a million steps per second and thread this is half an hour.
const DEFAULT_STEP_LIMIT: u64 = 1_000_000_000;

/// Debug builds of kernels need deep frames; only what is touched costs memory.
const DEFAULT_STACK_BYTES: usize = 256 * 1024;

impl Default for Options {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            schedule: Schedule::default(),
            lints: false,
            model: Model::default(),
            workers: None,
            step_limit: DEFAULT_STEP_LIMIT,
            stack_bytes: DEFAULT_STACK_BYTES,
            kernel: "",
            prints: 0,
            control: None,
        }
    }
}

impl Options {
    /// Bytes that a thread's stack has at least: the emulator's own functions run on it as well. Fewer count as these.
    pub const LEAST_STACK_BYTES: usize = 64 * 1024;

    /// The default, changed by the environment: `WARPLOOM_SCHEDULE` is `forward`, `reverse`, `last-warp-first`, `one-lane`,
    /// `random:SEED` or `random` (any seed; reports say which), `WARPLOOM_WORKERS` a number of OS threads from 1 on,
    /// `WARPLOOM_STEP_LIMIT` a number of steps from 1 on, and `WARPLOOM_STACK_BYTES` a number of bytes from 65536 on. Empty variables count
    /// as unset.
    ///
    /// # Errors
    /// A variable has another value.
    ///
    /// ```
    /// use warploom_emulator::check::{Options, Schedule};
    ///
    /// let options = Options::from_env()?; // none of them is set here
    /// assert_eq!((options.schedule, options.workers), (Schedule::Forward, None));
    /// # Ok::<(), warploom_emulator::check::OptionsError>(())
    /// ```
    pub fn from_env() -> Result<Self, OptionsError> {
        Self::from_settings(|name| {
            let value = std::env::var_os(name)?;
            Some(value.to_string_lossy().into_owned())
        })
    }

    /// As [`Options::from_env`], with another way to look a variable up.
    ///
    /// # Errors
    /// As there.
    ///
    /// ```
    /// use warploom_emulator::check::{Options, Schedule};
    ///
    /// let options = Options::from_settings(|name| (name == "WARPLOOM_SCHEDULE").then(|| "one-lane".to_owned()))?;
    /// assert_eq!(options.schedule, Schedule::OneLane);
    /// # Ok::<(), warploom_emulator::check::OptionsError>(())
    /// ```
    pub fn from_settings(look_up: impl Fn(&str) -> Option<String>) -> Result<Self, OptionsError> {
        let set = |name| look_up(name).filter(|value| !value.is_empty());
        let mut options = Self::default();
        if let Some(value) = set(SCHEDULE) {
            options.schedule = value.parse()?;
        }
        if let Some(value) = set(WORKERS) {
            let workers = at_least_one(WORKERS, &value)?;
            options.workers = Some(usize::try_from(workers).unwrap_or(usize::MAX));
        }
        if let Some(value) = set(STEP_LIMIT) {
            options.step_limit = at_least_one(STEP_LIMIT, &value)?;
        }
        if let Some(value) = set(STACK_BYTES) {
            let bytes = value.trim().parse().ok();
            let enough = bytes.filter(|bytes| *bytes >= Self::LEAST_STACK_BYTES);
            options.stack_bytes = enough.ok_or(OptionsError {
                variable: STACK_BYTES,
                given: value,
                expected: "a number of bytes from 65536 on is expected",
            })?;
        }
        Ok(options)
    }

    /// The variables that make another run take the same order.
    #[must_use]
    pub fn replay(&self) -> String {
        if let Some(control) = &self.control {
            return control.0.replay();
        }
        let mut text = format!("{SCHEDULE}={}", self.schedule);
        if let Some(workers) = self.workers {
            text.push_str(&format!(" {WORKERS}={workers}"));
        }
        text
    }
}

fn at_least_one(variable: &'static str, given: &str) -> Result<u64, OptionsError> {
    let number = given.trim().parse().ok().filter(|number| *number >= 1);
    number.ok_or_else(|| OptionsError {
        variable,
        given: given.to_owned(),
        expected: "a whole number from 1 on is expected",
    })
}

impl FromStr for Schedule {
    type Err = OptionsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = |expected| OptionsError {
            variable: SCHEDULE,
            given: text.to_owned(),
            expected,
        };
        match text.trim() {
            "forward" => Ok(Self::Forward),
            "reverse" => Ok(Self::Reverse),
            "last-warp-first" => Ok(Self::LastWarpFirst),
            "one-lane" => Ok(Self::OneLane),
            "random" => Ok(Self::Random(RandomState::new().hash_one(0))),
            text => match text.strip_prefix("random:").map(str::parse) {
                Some(Ok(seed)) => Ok(Self::Random(seed)),
                Some(Err(_)) => Err(wrong(
                    "the seed is a whole number from 0 to 18446744073709551615, as in `random:7`",
                )),
                None => Err(wrong(
                    "`forward`, `reverse`, `last-warp-first`, `one-lane` or `random:SEED` is expected",
                )),
            },
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forward => f.write_str("forward"),
            Self::Reverse => f.write_str("reverse"),
            Self::LastWarpFirst => f.write_str("last-warp-first"),
            Self::OneLane => f.write_str("one-lane"),
            Self::Random(seed) => write!(f, "random:{seed}"),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn with(name: &str, value: &str) -> Result<Options, String> {
        let look_up = |asked: &str| (asked == name).then(|| value.to_owned());
        Options::from_settings(look_up).map_err(|error| error.to_string())
    }

    #[test]
    fn each_schedule_is_read_as_it_is_written() {
        for schedule in [
            Schedule::Forward,
            Schedule::Reverse,
            Schedule::LastWarpFirst,
            Schedule::OneLane,
            Schedule::Random(u64::MAX),
        ] {
            let options = with(SCHEDULE, &schedule.to_string());
            assert_eq!(options.unwrap().schedule, schedule);
        }
    }

    #[test]
    fn a_random_order_without_a_seed_gets_one() {
        let seed = || with(SCHEDULE, "random").unwrap().schedule;
        assert!(matches!(seed(), Schedule::Random(_)));
        assert_ne!(seed(), seed());
    }

    #[test]
    fn bad_values_are_refused_with_what_is_expected() {
        assert_eq!(
            with(SCHEDULE, "backwards").unwrap_err(),
            "WARPLOOM_SCHEDULE=backwards: `forward`, `reverse`, `last-warp-first`, `one-lane` or `random:SEED` is expected"
        );
        assert_eq!(
            with(SCHEDULE, "random:-1").unwrap_err(),
            "WARPLOOM_SCHEDULE=random:-1: the seed is a whole number from 0 to 18446744073709551615, as in `random:7`"
        );
        for (name, value) in [(WORKERS, "0"), (WORKERS, "many"), (STEP_LIMIT, "1e9")] {
            let text = format!("{name}={value}: a whole number from 1 on is expected");
            assert_eq!(with(name, value).unwrap_err(), text);
        }
        for value in ["65535", "1M"] {
            let text =
                format!("{STACK_BYTES}={value}: a number of bytes from 65536 on is expected");
            assert_eq!(with(STACK_BYTES, value).unwrap_err(), text);
        }
    }

    #[test]
    fn empty_variables_are_unset() {
        assert_eq!(with(WORKERS, ""), Ok(Options::default()));
    }

    #[test]
    fn numbers_are_taken() {
        assert_eq!(with(WORKERS, "3").unwrap().workers, Some(3));
        assert_eq!(with(STEP_LIMIT, "500").unwrap().step_limit, 500);
        assert_eq!(with(STACK_BYTES, "65536").unwrap().stack_bytes, 65536);
    }
}
