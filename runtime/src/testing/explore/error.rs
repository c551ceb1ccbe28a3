//! Why an exploration ends without having explored.

use super::report::ScheduleFailure;

/// Why an exploration ends without having explored.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ExplorationError {
    /// The body fails in a schedule.
    #[error("{0}")]
    Schedule(Box<ScheduleFailure>),
    /// The body made other accesses than in the execution before, after the same choices, so that its schedules cannot be counted.
    #[error(
        "execution {execution} made other atomic accesses than the one before, though its threads ran in the same order: the schedules of a body that is not \
         deterministic cannot be counted. Keep what changes from one execution to the next (time, random numbers, what an earlier execution left) out of the \
         body, or explore with `Strategy::Automatic`, `Priorities` or `Random`"
    )]
    NotDeterministic {
        /// Which execution, from 1.
        execution: u64,
    },
    /// A variable of the environment cannot be read.
    #[error("{variable}={value}: {expected}")]
    Setting {
        /// Its name.
        variable: &'static str,
        /// What it says.
        value: String,
        /// What it may say.
        expected: String,
    },
}

impl ExplorationError {
    /// The schedule in which the body fails, if that is what ended the exploration.
    pub fn schedule(self) -> Option<ScheduleFailure> {
        match self {
            ExplorationError::Schedule(failure) => Some(*failure),
            ExplorationError::NotDeterministic { .. } | ExplorationError::Setting { .. } => None,
        }
    }
}

crate::error::debug_is_the_text!(ExplorationError);
