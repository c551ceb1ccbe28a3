//! Many schedules of a program on the emulator: every atomic access of every thread may come before or after those of the others.

mod error; // why an exploration ends early
mod execution; // what was chosen in one run of the body
mod failure; // why the body failed
mod order; // which steps happen before which
mod random; // choices by chance
mod reduction; // all choices that differ
mod report; // what is said of a failing schedule
mod runs; // executions, and the smallest that fails
mod stores; // modification orders, and places in them that have to be tried
mod strategy; // which schedules
mod switches; // a schedule, short and in words
mod timeline; // the steps of a failing schedule

pub use error::ExplorationError;
pub use report::ScheduleFailure;
pub use strategy::{Explored, Memory, Strategy};

use std::panic::Location;

use crate::device::Device;
use crate::error::Result;
use crate::model::{Emulator, Model};
use runs::Runs;
use switches::{REPLAY, Switches};

/// How many executions there are at most.
const SCHEDULES: &str = "WARPLOOM_SCHEDULES";

/// Without the variable.
const EXECUTIONS: u64 = 1000;

/// Runs a body in many schedules on the checking emulator.
///
/// A body launches kernels on the device that it is given and checks their results. In each execution the threads' atomic and volatile accesses are made in
/// another order, across warps and blocks: threads are switched there and nowhere else, which is enough, since plain accesses that are not ordered by them are
/// data races, and those are reported in any order. All blocks of a grid with at most 2048 threads run together; blocks of larger ones one after the other.
///
/// Memory is weak unless [`memory`](Exploration::memory) says otherwise: an atomic or volatile load may read an older value than the newest where the memory model allows it, and a store or change may come
/// before others that were made earlier, so that it does not stay, where no other order of the accesses gives the same. A relaxed store
/// right behind a relaxed load, on which it does not depend, comes before that too.
///
/// A body must be a function of its device: the same each time, with all memory made anew, and launches from one host thread. A loop that makes the same access
/// again without a change of memory is taken for polling, and goes on when an atomic has changed memory.
///
/// | variable | meaning |
/// |---|---|
/// | `WARPLOOM_SCHEDULES` | executions at most, instead of [`executions`](Exploration::executions); `all`: no limit |
/// | `WARPLOOM_REPLAY` | the schedule of a failure's text: this one runs, and no other |
/// | `WARPLOOM_TIMELINES` | a folder, for a page (HTML) about each failing schedule |
///
/// ```
/// use warploom_runtime::testing::{Exploration, Strategy};
///
/// let explored = Exploration::new().strategy(Strategy::Exhaustive).run(|device| {
///     let stream = device.stream()?;
///     let x = device.upload(&[1u32, 2])?;
///     assert_eq!(x.to_vec(&stream)?, [1, 2]);
///     Ok(())
/// })?;
/// assert!(explored.complete); // no atomics, one schedule
/// assert_eq!(explored.executions, 1);
/// # Ok::<(), warploom_runtime::testing::ExplorationError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Exploration {
    strategy: Strategy,
    executions: u64,
    seed: u64,
    memory: Memory,
    emulator: Emulator,
}

impl Default for Exploration {
    fn default() -> Exploration {
        Exploration::new()
    }
}

impl Exploration {
    /// Up to 1000 executions, chosen [automatically](Strategy::Automatic), with seed 0.
    pub fn new() -> Exploration {
        Exploration {
            strategy: Strategy::default(),
            executions: EXECUTIONS,
            seed: 0,
            memory: Memory::default(),
            emulator: Emulator::new(),
        }
    }

    /// Explores these schedules.
    pub fn strategy(self, strategy: Strategy) -> Exploration {
        Exploration { strategy, ..self }
    }

    /// Runs the body so often at most; the variable `WARPLOOM_SCHEDULES` goes before it.
    pub fn executions(self, executions: u64) -> Exploration {
        Exploration { executions, ..self }
    }

    /// The random choices are a function of this number.
    pub fn seed(self, seed: u64) -> Exploration {
        Exploration { seed, ..self }
    }

    /// Lets loads read what this memory allows.
    pub fn memory(self, memory: Memory) -> Exploration {
        Exploration { memory, ..self }
    }

    /// Lets the emulator stand for a GPU of this compute capability.
    pub fn model(self, model: Model) -> Exploration {
        let emulator = self.emulator.model(model);
        Exploration { emulator, ..self }
    }

    /// Runs `body` until it fails, all schedules have been explored, or it has run often enough.
    ///
    /// # Errors
    /// [`ExplorationError::Schedule`]: a schedule in which the body gives an error, panics, or leaves one that no wait has reported;
    /// [`ExplorationError::NotDeterministic`], with [`Strategy::Exhaustive`]; [`ExplorationError::Setting`]: `WARPLOOM_SCHEDULES` or
    /// `WARPLOOM_REPLAY` cannot be read.
    pub fn run(self, body: impl Fn(&Device) -> Result<()>) -> Result<Explored, ExplorationError> {
        let settings = Settings::from_env(self.executions)?;
        let runs = Runs {
            emulator: self.emulator,
            memory: self.memory,
            body: &body,
        };
        match settings.replay {
            Some(switches) => runs.replay(switches),
            None => runs.explore(self.strategy, settings.executions, self.seed),
        }
    }
}

/// Runs a body in up to 1000 schedules, as [`Exploration::new`] says, and fails with the schedule in which it fails.
///
/// ```
/// use warploom_runtime::testing::explore;
///
/// let explored = explore(|device| {
///     let _stream = device.stream()?;
///     Ok(())
/// });
/// assert!(explored.complete);
/// ```
///
/// # Panics
/// With the text of the [`ExplorationError`].
#[track_caller]
#[expect(clippy::panic, reason = "this is how a test fails")]
pub fn explore(body: impl Fn(&Device) -> Result<()>) -> Explored {
    match Exploration::new().run(body) {
        Ok(explored) => explored,
        Err(error) => panic!("{error}\n  at {}", Location::caller()),
    }
}

/// What the environment says.
struct Settings {
    executions: u64,
    replay: Option<Switches>,
}

impl Settings {
    fn from_env(executions: u64) -> Result<Settings, ExplorationError> {
        let set = |name| {
            let value = std::env::var_os(name)?;
            let value = value.to_string_lossy().trim().to_owned();
            (!value.is_empty()).then_some(value)
        };
        Settings::of(
            executions,
            set(SCHEDULES).as_deref(),
            set(REPLAY).as_deref(),
        )
    }

    fn of(
        executions: u64,
        schedules: Option<&str>,
        replay: Option<&str>,
    ) -> Result<Settings, ExplorationError> {
        let error = |variable, value: &str, expected| ExplorationError::Setting {
            variable,
            value: value.to_owned(),
            expected,
        };
        let executions = match schedules {
            None => executions,
            Some("all") => u64::MAX,
            Some(given) => given
                .parse()
                .ok()
                .filter(|count| *count > 0)
                .ok_or_else(|| {
                    let expected = "a whole number from 1 on, or `all`, is expected".to_owned();
                    error(SCHEDULES, given, expected)
                })?,
        };
        let parse = |text: &str| text.parse().map_err(|why| error(REPLAY, text, why));
        let replay = replay.map(parse).transpose()?;
        Ok(Settings { executions, replay })
    }
}

#[cfg(test)]
#[path = "explore/tests.rs"]
mod tests;
