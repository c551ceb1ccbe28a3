//! How an execution failed, and what is said of it.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use warploom_emulator::check::{Severity, on_lane};

use crate::StreamError;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::MemoryError;
use crate::sync::lock;

/// Why the body failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failed {
    /// What tells this kind of failure from others: a smaller schedule has to fail in the same way.
    pub(super) kind: String,
    pub(super) message: String,
}

/// Runs the body; `None`: all is well.
pub(super) fn run(device: &Device, body: &dyn Fn(&Device) -> Result<()>) -> Option<Failed> {
    match without_output(|| catch_unwind(AssertUnwindSafe(|| body(device)))) {
        Ok(Ok(())) => unreported(device),
        Ok(Err(error)) => Some(of_error(&error)),
        Err(payload) => Some(of_panic(&*payload)),
    }
}

/// An error of the device that the body did not wait for.
fn unreported(device: &Device) -> Option<Failed> {
    let emulated = device.0.backend.emulated()?;
    let error = lock(&emulated.fault).take()?;
    Some(of_error(&Error::Stream(error)))
}

fn of_error(error: &Error) -> Failed {
    let of_stream = |error: &StreamError| match error {
        StreamError::Check(found) => {
            let errors = found.findings().iter();
            let mut errors = errors.filter(|finding| finding.severity == Severity::Error);
            errors.next().map(|finding| finding.code.to_string())
        }
        StreamError::Panic(panic) => Some(format!("panic at {}:{}", panic.file, panic.line)),
        StreamError::Deadlock(deadlock) => Some(deadlock.code().to_string()),
        _ => None,
    };
    let kind = match error {
        Error::Stream(error) | Error::Memory(MemoryError::Stream(error)) => of_stream(error),
        _ => None,
    };
    let message = error.to_string();
    Failed {
        kind: kind.unwrap_or_else(|| without_numbers(&message)),
        message,
    }
}

fn of_panic(payload: &(dyn Any + Send)) -> Failed {
    let text = payload.downcast_ref::<String>().cloned().or_else(|| {
        payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
    });
    let message = text.unwrap_or_else(|| "a panic without a text".to_owned());
    Failed {
        kind: without_numbers(&message),
        message,
    }
}

/// The first line; values differ from one schedule to the other.
fn without_numbers(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.chars().filter(|c| !c.is_ascii_digit()).collect()
}

thread_local! {
    static IS_SILENT: Cell<bool> = const { Cell::new(false) };
}

/// Panics of this OS thread write nothing meanwhile: an exploration meets many, and reports one.
fn without_output<R>(run: impl FnOnce() -> R) -> R {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // While the thread's variables are being destroyed there is nothing to be silent about. A panic of a kernel's thread belongs to the
            // emulator's hook, which may be the previous one.
            if !IS_SILENT.try_with(Cell::get).unwrap_or(false) || on_lane() {
                previous(info);
            }
        }));
    });
    let before = IS_SILENT.replace(true);
    let result = run();
    IS_SILENT.set(before);
    result
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
