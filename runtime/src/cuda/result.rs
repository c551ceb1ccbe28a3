//! The error of a driver call, and what it means.

use super::sys::{CUDA_ERROR_NOT_READY, CUDA_ERROR_NOT_SUPPORTED, CUresult};
use crate::past_launch::{CandidateLaunches, PastLaunch};

/// A call that the driver answered with an error.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error(
    "the CUDA driver answered {call} with {name} ({code}): {text}{}",
    CandidateLaunches(launches)
)]
pub struct DriverError {
    /// The driver's number for the error, `CUresult`.
    pub code: i32,
    /// The driver's name for the error, e.g. `CUDA_ERROR_INVALID_VALUE`.
    pub name: String,
    /// What the driver says about it.
    pub text: String,
    /// The function that was called.
    pub call: &'static str,
    /// The launches that may have caused it, where it is an error of earlier work: those of the stream that was waited for first. Empty
    /// if the error is one of the call itself.
    pub launches: Box<[PastLaunch]>,
}

/// What a query of work answered: whether the work is done.
pub(super) fn ready(answer: Result<(), DriverError>) -> Result<bool, DriverError> {
    match answer {
        Ok(()) => Ok(true),
        Err(error) if error.code == CUDA_ERROR_NOT_READY => Ok(false),
        Err(error) => Err(error),
    }
}

/// What an error means beyond the call that it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Severity {
    /// A kernel failed, and this call reports it. The context is lost, and with today's drivers the process gets no other.
    Kernel,
    /// Work on the GPU failed through no kernel, and this call reports it. The context is lost.
    Work,
    /// The context is lost, through no work.
    Context,
    /// Unknown: it counts as failed work, but the context may go on.
    Unknown,
    /// The call found no context, or no driver, to do it: what was queued is lost, and nothing is known of others' contexts.
    NoContext,
}

/// Every result that means more than that one call failed, in the driver's order: its manual calls a context unusable after those of
/// [`Severity::Kernel`], [`Severity::Work`] and [`Severity::Context`], and each later call gives the same.
const CONTEXT_ERRORS: [(CUresult, Severity); 21] = [
    (4, Severity::NoContext),   // DEINITIALIZED
    (201, Severity::NoContext), // INVALID_CONTEXT
    (214, Severity::Work),      // ECC_UNCORRECTABLE
    (220, Severity::Work),      // NVLINK_UNCORRECTABLE
    (226, Severity::Work),      // CONTAINED
    (700, Severity::Kernel),    // ILLEGAL_ADDRESS
    (702, Severity::Kernel),    // LAUNCH_TIMEOUT
    (709, Severity::Context),   // CONTEXT_IS_DESTROYED
    (710, Severity::Kernel),    // ASSERT
    (714, Severity::Kernel),    // HARDWARE_STACK_ERROR
    (715, Severity::Kernel),    // ILLEGAL_INSTRUCTION
    (716, Severity::Kernel),    // MISALIGNED_ADDRESS
    (717, Severity::Kernel),    // INVALID_ADDRESS_SPACE
    (718, Severity::Kernel),    // INVALID_PC
    (719, Severity::Kernel),    // LAUNCH_FAILED
    (721, Severity::Kernel),    // TENSOR_MEMORY_LEAK
    (806, Severity::Context),   // MPS_RPC_FAILURE
    (810, Severity::Context),   // MPS_CLIENT_TERMINATED
    (911, Severity::Context),   // EXTERNAL_DEVICE
    (916, Severity::Context),   // KEY_ROTATION
    (999, Severity::Unknown),   // UNKNOWN
];

impl DriverError {
    /// Whether the GPU's context is lost with this error: nothing that was made of the device works any more, and every later call says so
    /// without reaching the driver. [`Device::reopen`](crate::Device::reopen) opens the GPU afresh.
    ///
    /// Those are a kernel's faults (700, 702, 710, 714 to 719, 721), faults of the hardware (214, 220, 226, 911) and contexts that another
    /// else ended (709, 806, 810, 916). A panic of a kernel is none: it is no error of the driver.
    #[must_use]
    pub fn is_sticky(&self) -> bool {
        matches!(
            self.severity(),
            Some(Severity::Kernel | Severity::Work | Severity::Context)
        )
    }

    /// Whether a kernel failed, after which the driver gives the process no other context.
    pub(crate) fn is_fault_of_a_kernel(&self) -> bool {
        self.severity() == Some(Severity::Kernel)
    }

    /// Whether work on the GPU failed, and this call reports it.
    pub(crate) fn is_of_earlier_work(&self) -> bool {
        matches!(
            self.severity(),
            Some(Severity::Kernel | Severity::Work | Severity::Unknown)
        )
    }

    /// Whether the work that was queued is lost.
    pub(crate) fn is_fatal(&self) -> bool {
        self.severity().is_some()
    }

    fn severity(&self) -> Option<Severity> {
        let found = CONTEXT_ERRORS.iter().find(|(code, _)| *code == self.code);
        found.map(|(_, severity)| *severity)
    }
}

/// The error of a function that this driver is too old for.
#[cold]
pub(super) fn lacking(call: &'static str, since: &str) -> DriverError {
    DriverError {
        code: CUDA_ERROR_NOT_SUPPORTED,
        name: "CUDA_ERROR_NOT_SUPPORTED".to_owned(),
        text: format!(
            "the installed driver has no such function; drivers for CUDA {since} and later have it"
        ),
        call,
        launches: Box::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every result of the driver's header, CUDA 13.0.
    const ALL: [CUresult; 101] = [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 34, 36, 46, 100, 101, 102, 200, 201, 202, 205, 206, 207, 208,
        209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226,
        300, 301, 302, 303, 304, 400, 401, 402, 500, 600, 700, 701, 702, 703, 704, 705, 708, 709,
        710, 711, 712, 713, 714, 715, 716, 717, 718, 719, 720, 721, 800, 801, 802, 803, 804, 805,
        806, 807, 808, 809, 810, 811, 812, 900, 901, 902, 903, 904, 905, 906, 907, 908, 909, 910,
        911, 912, 913, 914, 915, 916, 999,
    ];

    /// The results of which this is true.
    fn those(of: fn(&DriverError) -> bool) -> Vec<CUresult> {
        let error = |code| DriverError {
            code,
            name: String::new(),
            text: String::new(),
            call: "cuCtxSynchronize",
            launches: Box::default(),
        };
        let all = ALL.iter().copied();
        all.filter(|code| of(&error(*code))).collect()
    }

    //@ rows: GER-1
    #[test]
    fn a_context_is_lost_after_faults_and_never_after_what_programs_meet_every_day() {
        assert_eq!(
            those(DriverError::is_sticky),
            [
                214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 806, 810,
                911, 916
            ]
        );
    }

    //@ rows: GER-1
    #[test]
    fn faults_and_unknown_errors_are_attributed_to_earlier_work() {
        assert_eq!(
            those(DriverError::is_of_earlier_work),
            [
                214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 999
            ]
        );
    }

    #[test]
    fn queued_work_is_lost_with_its_context_and_where_there_is_none() {
        let mut lost = those(DriverError::is_sticky);
        lost.extend([4, 201, 999]);
        lost.sort_unstable();
        assert_eq!(those(DriverError::is_fatal), lost);
    }
}
