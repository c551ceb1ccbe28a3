//! A panic of a lane becomes a record, not output on the terminal.

use std::backtrace::Backtrace;
use std::panic::{self, Location, PanicHookInfo};
use std::sync::Once;
use std::thread;

use crate::engine::fiber;
use crate::engine::panic_record::PanicRecord;
use crate::finding::trace;

/// Whether the process ends with this panic, so that no one will ever read a record of it.
fn ends_process(info: &PanicHookInfo<'_>) -> bool {
    // `core::panicking` raises these two; `PanicHookInfo::can_unwind` would tell, but is unstable.
    const FINAL: [&str; 2] = [
        "panic in a destructor during cleanup",
        "panic in a function that cannot unwind",
    ];
    // How std's checks of what unsafe functions require begin, which builds with debug assertions have.
    const PRECONDITION: &str = "unsafe precondition(s) violated";
    cfg!(panic = "abort")
        || info
            .payload_as_str()
            .is_some_and(|text| FINAL.contains(&text) || text.starts_with(PRECONDITION))
}

/// Makes panics of lanes silent and recorded, from the first run of the process on. Panics elsewhere go to the hook of before.
pub(crate) fn install_hook() {
    static INSTALLED: Once = Once::new();
    // std refuses to change the hook while a panic is under way; the run then goes without locations.
    if thread::panicking() {
        return;
    }
    INSTALLED.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let recorded = fiber::record_panic(|| PanicRecord::of_hook(info));
            if !recorded || ends_process(info) {
                previous(info);
            }
            if recorded && ends_process(info) {
                name_lane(info.location());
            }
        }));
    });
}

/// Says which lane ends the process, and at which line of the user: the location of such a panic is often one of the standard library.
fn name_lane(location: Option<&Location<'_>>) {
    let place = match location {
        Some(at) if trace::is_users_file(at.file()) => Some(at.to_string()),
        _ => users_place(),
    };
    fiber::with_running(|running| {
        let kernel = running.set.launch.options.kernel;
        let kernel = match kernel {
            "" => String::new(),
            name => format!("kernel `{name}`, "),
        };
        let [x, y, z] = running.registers.block.get();
        let [a, b, c] = running.shape.thread_at(running.thread.get());
        let at = place.map_or(String::new(), |place| format!(", at {place}"));
        eprintln!(
            "warploom: {kernel}block ({x}, {y}, {z}), thread ({a}, {b}, {c}){at}: this panic cannot be unwound, so the process ends here"
        );
    });
}

/// The innermost line of the user's own in the call stack of the panic whose hook this is.
fn users_place() -> Option<String> {
    let trace = Backtrace::force_capture();
    // A lane's stack may be too small for a reader of debug information.
    let place = thread::scope(|scope| {
        let reader = thread::Builder::new().spawn_scoped(scope, || trace::place_of_panic(&trace));
        reader.ok()?.join().ok()?
    })?;
    Some(format!("{}:{}:{}", place.file, place.line, place.column))
}
