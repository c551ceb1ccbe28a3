//! Every driver call as a `Result`.

use std::ffi::{CStr, c_char};

use super::sys::{CUDA_ERROR_NOT_READY, CUDA_ERROR_NOT_SUPPORTED, CUresult, Driver};
use crate::panics::{PastLaunch, Suspects};

/// A call that the driver answered with an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error(
    "the CUDA driver answered {call} with {name} ({code}): {text}{}",
    Suspects(launches)
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

impl DriverError {
    /// Whether work on the GPU failed, and this call is the one that heard of it.
    pub(crate) fn is_of_earlier_work(&self) -> bool {
        // From the driver's list of errors: ECC, NVLink, and all that a kernel does wrong. An unknown error counts as one.
        matches!(
            self.code,
            214 | 220 | 226 | 700 | 702 | 710..=719 | 721 | 999
        )
    }

    /// Whether the context's work is lost.
    pub(crate) fn is_fatal(&self) -> bool {
        // Beside failed work: the driver is shut down, the context is invalid or destroyed.
        self.is_of_earlier_work() || matches!(self.code, 4 | 201 | 709)
    }
}

/// What a query of work answered: whether the work is done.
pub(super) fn ready(answer: Result<(), DriverError>) -> Result<bool, DriverError> {
    match answer {
        Ok(()) => Ok(true),
        Err(error) if error.code == CUDA_ERROR_NOT_READY => Ok(false),
        Err(error) => Err(error),
    }
}

/// Results after which the driver's manual calls a context unusable: each later call gives the same.
const STICKY: [CUresult; 18] = [
    214, // ECC_UNCORRECTABLE
    220, // NVLINK_UNCORRECTABLE
    226, // CONTAINED
    700, // ILLEGAL_ADDRESS
    702, // LAUNCH_TIMEOUT
    709, // CONTEXT_IS_DESTROYED
    710, // ASSERT
    714, // HARDWARE_STACK_ERROR
    715, // ILLEGAL_INSTRUCTION
    716, // MISALIGNED_ADDRESS
    717, // INVALID_ADDRESS_SPACE
    718, // INVALID_PC
    719, // LAUNCH_FAILED
    721, // TENSOR_MEMORY_LEAK
    806, // MPS_RPC_FAILURE
    810, // MPS_CLIENT_TERMINATED
    911, // EXTERNAL_DEVICE
    916, // KEY_ROTATION
];

impl DriverError {
    /// Whether the GPU's context is lost with this error: nothing that was made of the device works any more, and every later call says so
    /// without reaching the driver. [`Device::reopen`](crate::Device::reopen) opens the GPU afresh.
    ///
    /// Those are a kernel's faults (700, 702, 710, 714 to 719, 721), faults of the hardware (214, 220, 226, 911) and contexts that somebody
    /// else ended (709, 806, 810, 916). A panic of a kernel is none: it is no error of the driver.
    #[must_use]
    pub fn is_sticky(&self) -> bool {
        STICKY.contains(&self.code)
    }
}

pub(super) fn check(
    driver: &Driver,
    call: &'static str,
    code: CUresult,
) -> Result<(), DriverError> {
    if code == 0 {
        return Ok(());
    }
    let error = describe(driver, call, code);
    Err(match driver.health() {
        Some(health) if error.is_sticky() => health.lose(error),
        _ => error,
    })
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

#[cold]
fn describe(driver: &Driver, call: &'static str, code: CUresult) -> DriverError {
    let [name, text] = driver.error_texts(code);
    // SAFETY: null, or a static C string of the driver, which stays loaded while `driver` lives.
    let [name, text] = unsafe { [text_of(name), text_of(text)] };
    DriverError {
        code,
        name: name.unwrap_or_else(|| "an unknown error".to_owned()),
        text: text.unwrap_or_else(|| "no description".to_owned()),
        call,
        launches: Box::default(),
    }
}

/// # Safety
/// `text` is null or points to a C string.
unsafe fn text_of(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: not null, so a C string, as the caller promises.
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_string_lossy().into_owned())
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

    //@ rows: GER-1
    #[test]
    fn every_result_is_sticky_or_not() {
        let sticky = |code: &CUresult| {
            let error = DriverError {
                code: *code,
                name: String::new(),
                text: String::new(),
                call: "cuCtxSynchronize",
                launches: Box::default(),
            };
            error.is_sticky()
        };
        let (lost, usable): (Vec<_>, Vec<_>) = ALL.iter().copied().partition(sticky);
        assert_eq!(lost, STICKY);
        // What programs meet every day, and go on after.
        for ordinary in [
            0, 1, 2, 101, 201, 218, 400, 500, 600, 701, 704, 720, 801, 900, 999,
        ] {
            assert!(usable.contains(&ordinary), "{ordinary}");
        }
    }
}
