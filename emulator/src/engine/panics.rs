//! A panic of a lane becomes a record, not output on the terminal.

use std::panic::{self, PanicHookInfo};
use std::sync::Once;

use crate::engine::fiber;
use crate::engine::panic_record::PanicRecord;

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
