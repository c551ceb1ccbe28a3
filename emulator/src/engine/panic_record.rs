//! Where and with which words a lane panicked.

use std::any::Any;
use std::panic::PanicHookInfo;

use crate::site::Site;

const NO_TEXT: &str = "a panic whose payload is not text";

/// Where and with which words a lane panicked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PanicRecord {
    pub(crate) message: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl PanicRecord {
    pub(crate) fn of_hook(info: &PanicHookInfo<'_>) -> Self {
        let message = info.payload_as_str().unwrap_or(NO_TEXT).to_owned();
        match info.location() {
            Some(location) => Self {
                message,
                file: location.file().to_owned(),
                line: location.line(),
                column: location.column(),
            },
            None => Self {
                message,
                ..Self::default()
            },
        }
    }

    /// A record with this text, of no known place.
    pub(crate) fn of_text(message: String) -> Self {
        Self {
            message,
            ..Self::default()
        }
    }

    /// Says where it was, when the location that the hook saw is a line of the emulator.
    pub(crate) fn place(&mut self, place: Site) {
        self.file = place.file().to_owned();
        self.line = place.line();
        self.column = place.column();
    }

    /// The record when the hook saw nothing: someone replaced the hook, or the panic was raised with `resume_unwind`.
    pub(crate) fn of_payload(payload: &(dyn Any + Send)) -> Self {
        let message = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Self::of_text(message.unwrap_or(NO_TEXT).to_owned())
    }
}
