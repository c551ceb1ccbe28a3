//! The panic entry points of the device, run on the host: bodies for the symbols of the device linker stand below.
#[path = "../src/panic.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "written for the device crate; checked by sample"
)]
mod panic;

use std::panic::Location;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::time::Duration;
use warploom_device_std::panic_record::PanicRecord;
use warploom_device_std::{Dim3, panic_record};

mod intrinsics {
    pub(crate) fn fence_system() {}
}
mod hint {
    pub(crate) fn keep_as_loop() {}
}
fn block_idx() -> Dim3 {
    Dim3 { x: 5, y: 4, z: 3 }
}
fn thread_idx() -> Dim3 {
    Dim3 { x: 2, y: 1, z: 0 }
}

static RECORD: AtomicPtr<PanicRecord> = AtomicPtr::new(ptr::null_mut());
static CLAIM: AtomicU32 = AtomicU32::new(0);
static EXITS: AtomicU32 = AtomicU32::new(0);
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

#[unsafe(export_name = "__warploom.panic_record")]
extern "C" fn record() -> *mut PanicRecord {
    RECORD.load(Ordering::SeqCst)
}
#[unsafe(export_name = "__warploom.panic_claim")]
extern "C" fn claim() -> *mut u32 {
    CLAIM.as_ptr()
}
#[unsafe(export_name = "__warploom.kernel_of")]
extern "C" fn kernel_of(_location: *const u8) -> u32 {
    17
}
/// A thread of the host cannot end from within, so it stays here until the process ends.
#[unsafe(export_name = "__warploom.exit")]
extern "C" fn exit() -> ! {
    EXITS.fetch_add(1, Ordering::SeqCst);
    loop {
        std::thread::park();
    }
}

/// What the record says after all of `panics` ran, one after the other.
fn report(record: *mut PanicRecord, panics: &[fn() -> !]) {
    RECORD.store(record, Ordering::SeqCst);
    CLAIM.store(0, Ordering::SeqCst);
    for panic in panics {
        let (panic, before) = (*panic, EXITS.load(Ordering::SeqCst));
        std::thread::spawn(move || panic());
        while EXITS.load(Ordering::SeqCst) == before {
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}

fn report_one(panic: fn() -> !) -> PanicRecord {
    let record = Box::leak(Box::new(PanicRecord::empty()));
    report(record, &[panic]);
    // SAFETY: leaked above; the thread that wrote it is parked.
    unsafe { ptr::read_volatile(record) }
}

fn text(record: &PanicRecord) -> &str {
    std::str::from_utf8(&record.text[..record.text_len as usize]).unwrap_or("not text")
}

#[test]
fn a_literal_and_a_formatted_message() {
    let _guard = ONE_AT_A_TIME.lock();
    let record =
        report_one(|| panic::__warploom_panic_fmt(format_args!("plain"), Location::caller()));
    assert_eq!(
        (record.ready, record.kind, text(&record)),
        (1, PanicRecord::TEXT, "plain")
    );
    assert_eq!(
        (record.kernel, record.block, record.thread),
        (17, [5, 4, 3], [2, 1, 0])
    );
    assert!(record.file[..record.file_len as usize].ends_with(b"panic_entry_points.rs"));
    assert!(record.line > 1 && record.column > 1);

    let record = report_one(|| {
        panic::__warploom_panic_fmt(
            format_args!("{:?} of {:5.2}", Some(std::hint::black_box(7)), 1.5),
            Location::caller(),
        )
    });
    assert_eq!(text(&record), "Some(7) of  1.50");
}

#[test]
fn a_long_message_is_cut() {
    let _guard = ONE_AT_A_TIME.lock();
    let record = report_one(|| {
        panic::__warploom_panic_fmt(
            format_args!("{}{}", "x".repeat(1020), "y".repeat(20)),
            Location::caller(),
        )
    });
    assert_eq!(text(&record), "x".repeat(1020) + "yyyy");
}

#[test]
fn bounds_are_numbers() {
    let _guard = ONE_AT_A_TIME.lock();
    let record =
        report_one(|| panic::__warploom_panic_bounds_check(1 << 40, 12, Location::caller()));
    assert_eq!(
        (record.kind, record.index, record.len, record.text_len),
        (PanicRecord::BOUNDS, 1 << 40, 12, 0)
    );
}

#[test]
fn ranges_say_what_core_says() {
    let _guard = ONE_AT_A_TIME.lock();
    let record = report_one(|| panic::__warploom_slice_index_fail(5, 9, 4, Location::caller()));
    assert_eq!(
        text(&record),
        "range start index 5 out of range for slice of length 4"
    );
    let record = report_one(|| panic::__warploom_slice_index_fail(1, 9, 4, Location::caller()));
    assert_eq!(
        text(&record),
        "range end index 9 out of range for slice of length 4"
    );
    let record = report_one(|| panic::__warploom_slice_index_fail(3, 2, 4, Location::caller()));
    assert_eq!(text(&record), "slice index starts at 3 but ends at 2");
}

#[test]
fn without_a_location_the_line_is_0() {
    let _guard = ONE_AT_A_TIME.lock();
    let record = report_one(|| panic::__warploom_panic_nounwind("no way"));
    assert_eq!(
        (text(&record), record.file_len, record.line, record.column),
        ("no way", 0, 0, 0)
    );
}

#[test]
fn the_first_thread_wins() {
    let _guard = ONE_AT_A_TIME.lock();
    let record = Box::leak(Box::new(PanicRecord::empty()));
    let at: *mut PanicRecord = record;
    report(
        at,
        &[
            || panic::__warploom_panic_str("first", Location::caller()),
            || panic::__warploom_panic_str("second", Location::caller()),
            || panic::__warploom_panic_bounds_check(9, 9, Location::caller()),
        ],
    );
    // SAFETY: leaked above; the threads that wrote it are parked.
    let record = unsafe { ptr::read_volatile(at) };
    assert_eq!((record.kind, text(&record)), (PanicRecord::TEXT, "first"));
}

#[test]
fn without_a_record_the_thread_just_ends() {
    let _guard = ONE_AT_A_TIME.lock();
    report(
        ptr::null_mut(),
        &[|| panic::__warploom_panic_str("unheard", Location::caller())],
    );
    assert_eq!(CLAIM.load(Ordering::SeqCst), 0);
}
