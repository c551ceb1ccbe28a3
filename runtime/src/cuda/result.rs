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

pub(super) fn check(
    driver: &Driver,
    call: &'static str,
    code: CUresult,
) -> Result<(), DriverError> {
    if code == 0 {
        return Ok(());
    }
    Err(describe(driver, call, code))
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
