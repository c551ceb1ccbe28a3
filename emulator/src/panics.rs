//! A panic of a lane becomes a record, not output on the terminal.

use std::any::Any;
use std::panic::{self, PanicHookInfo};
use std::sync::Once;

use crate::fiber;
use crate::place::Place;

/// Where and with which words a lane panicked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PanicRecord {
    pub(crate) message: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl PanicRecord {
    fn of_hook(info: &PanicHookInfo<'_>) -> Self {
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

    /// Says where it was, when the location that the hook saw is a line of the emulator.
    pub(crate) fn place(&mut self, place: Place) {
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
        Self {
            message: message.unwrap_or(NO_TEXT).to_owned(),
            ..Self::default()
        }
    }
}

/// Whether the process ends with this panic, so that no one will ever read a record of it.
fn ends_process(info: &PanicHookInfo<'_>) -> bool {
    // `core::panicking` raises these two; `PanicHookInfo::can_unwind` would tell, but is unstable.
    const FINAL: [&str; 2] = [
        "panic in a destructor during cleanup",
        "panic in a function that cannot unwind",
    ];
    cfg!(panic = "abort")
        || info
            .payload_as_str()
            .is_some_and(|text| FINAL.contains(&text))
}

const NO_TEXT: &str = "a panic whose payload is not text";

/// Makes panics of lanes silent and recorded, from the first run of the process on. Panics elsewhere go to the hook of before.
pub(crate) fn install_hook() {
    static INSTALLED: Once = Once::new();
    // std refuses to change the hook while a panic is under way; the run then goes without locations.
    if std::thread::panicking() {
        return;
    }
    INSTALLED.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let recorded = fiber::record_panic(|| PanicRecord::of_hook(info));
            if !recorded || ends_process(info) {
                previous(info);
            }
        }));
    });
}
