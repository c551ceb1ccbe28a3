//! Whether a context still works.
//!
//! Some errors of the driver end a context: each later call gives the same, and what its handles name may be gone. The first such error
//! is kept here, and all later calls of the context are refused with it: they do not reach the driver, so that the drops of what is left
//! cannot touch anything that was made since.

use std::sync::OnceLock;

use super::result::DriverError;

/// What a GPU reports of a thread that needs more stack than there is: ILLEGAL_ADDRESS (an H200 does), HARDWARE_STACK_ERROR.
const STACK_OVERFLOWS: [i32; 2] = [700, 714];

/// The error that ended a context, if one did.
#[derive(Debug, Default)]
pub(crate) struct Health(OnceLock<DriverError>);

impl Health {
    /// The error that ended the context.
    #[inline]
    pub(crate) fn cause(&self) -> Option<&DriverError> {
        self.0.get()
    }

    /// Notes the end, unless the context ended before. Gives the error with what to do.
    #[cold]
    pub(super) fn poison(&self, error: DriverError) -> DriverError {
        let mut told = error.clone();
        if STACK_OVERFLOWS.contains(&error.code) {
            told.text.push_str(
                "; a thread whose stack is too small gives this, too: if the kernel recurses or calls through pointers, set \
                 `ContextLimit::Stack` to more bytes with `Device::set_context_limit`",
            );
        }
        let _ = self.0.set(error); // the first stays
        told.text.push_str(
            "; the device is lost with all that was made of it: drop that, and open the device again with `Device::reopen`, or, where the driver \
             refuses, as most do after the fault of a kernel, in a new process",
        );
        told
    }
}

/// The answer to a call of a context that ended.
#[cold]
pub(super) fn refusal(cause: &DriverError, call: &'static str) -> DriverError {
    let mut refusal = cause.clone();
    refusal.text = format!(
        "{}; the device was lost then, so {call} was not called: open it again with `Device::reopen`, or in a new process",
        cause.text
    );
    refusal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: i32, call: &'static str) -> DriverError {
        DriverError {
            code,
            name: format!("CODE_{code}"),
            text: "it broke".to_owned(),
            call,
            launches: Box::default(),
        }
    }

    #[test]
    fn an_error_that_may_be_of_the_stack_says_how_to_enlarge_it() {
        for (code, says) in [(700, true), (714, true), (719, false)] {
            let told = Health::default().poison(error(code, "cuStreamSynchronize"));
            assert_eq!(told.text.contains("ContextLimit::Stack"), says, "{told}");
        }
    }

    //@ rows: GER-1, GER-2
    #[test]
    fn the_first_cause_is_told_once_in_full_and_named_ever_after() {
        let health = Health::default();
        assert_eq!(health.cause(), None);
        let first = health.poison(error(700, "cuStreamSynchronize")).to_string();
        assert!(
            first.starts_with(
                "the CUDA driver answered cuStreamSynchronize with CODE_700 (700): it broke; "
            ),
            "{first}"
        );
        assert!(first.contains("all that was made of it"), "{first}");
        health.poison(error(719, "cuEventSynchronize"));
        let later = refusal(health.cause().unwrap(), "cuMemAlloc_v2");
        assert_eq!((later.code, later.call), (700, "cuStreamSynchronize"));
        assert!(
            later.to_string().contains("cuMemAlloc_v2 was not called"),
            "{later}"
        );
        assert_eq!(health.cause(), Some(&error(700, "cuStreamSynchronize")));
    }
}
