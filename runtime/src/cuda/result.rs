//! Every driver call as a `Result`.

use std::ffi::{CStr, c_char};

use super::sys::{CUDA_ERROR_NOT_SUPPORTED, CUresult, Driver};

/// A call that the driver answered with an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("the CUDA driver answered {call} with {name} ({code}): {text}")]
pub struct DriverError {
    /// The driver's number for the error, `CUresult`.
    pub code: i32,
    /// The driver's name for the error, e.g. `CUDA_ERROR_INVALID_VALUE`.
    pub name: String,
    /// What the driver says about it.
    pub text: String,
    /// The function that was called.
    pub call: &'static str,
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
