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
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;
use warploom_device_std::panic_record::PanicRecord;
use warploom_device_std::{Dim3, panic_record};

fn block_idx() -> Dim3 {
    Dim3 { x: 5, y: 4, z: 3 }
}
fn thread_idx() -> Dim3 {
    Dim3 { x: 2, y: 1, z: 7 }
}

/// The module's variable.
static RECORD: AtomicU64 = AtomicU64::new(0);
static EXITS: AtomicU32 = AtomicU32::new(0);
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

#[unsafe(export_name = "__warploom.panic_record")]
extern "C" fn record() -> *mut u64 {
    RECORD.as_ptr()
}
#[unsafe(export_name = "__warploom.panic_place")]
extern "C" fn panic_place(location: *const u8) -> u64 {
    location.expose_provenance() as u64
}
#[unsafe(export_name = "__warploom.keep")]
extern "C" fn keep(_function: *const ()) {}
#[unsafe(export_name = "__warploom.panic_ready")]
extern "C" fn panic_ready(ready: *mut u32, kind: u32) {
    // SAFETY: the field of a record, which is only accessed atomically while a thread may write it.
    unsafe { AtomicU32::from_ptr(ready) }.store(kind, Ordering::Release);
}
/// A thread of the host cannot end from within, so it stays here until the process ends.
#[unsafe(export_name = "__warploom.exit")]
extern "C" fn exit() -> ! {
    EXITS.fetch_add(1, Ordering::SeqCst);
    loop {
        std::thread::park();
    }
}

/// Runs all of `panics`, one after the other, with the variable at `address` before.
fn report(address: u64, panics: &[fn() -> !]) {
    RECORD.store(address, Ordering::SeqCst);
    for panic in panics {
        let (panic, before) = (*panic, EXITS.load(Ordering::SeqCst));
        std::thread::spawn(move || panic());
        while EXITS.load(Ordering::SeqCst) == before {
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}

fn report_all(panics: &[fn() -> !]) -> PanicRecord {
    let record: *mut PanicRecord = Box::leak(Box::new(PanicRecord::empty()));
    let address = record.expose_provenance() as u64;
    report(address | PanicRecord::FREE, panics);
    assert_eq!(RECORD.load(Ordering::SeqCst), address);
    assert!(panic::happened());
    // SAFETY: leaked above; the thread that wrote it is parked.
    unsafe { ptr::read_volatile(record) }
}

fn report_one(panic: fn() -> !) -> PanicRecord {
    report_all(&[panic])
}

fn location(record: &PanicRecord) -> &'static Location<'static> {
    let at = ptr::with_exposed_provenance::<Location<'static>>(record.place as usize);
    // SAFETY: `panic_place` got it as a location of this program.
    unsafe { &*at }
}

/// The message that the thread itself wrote.
fn written(record: &PanicRecord) -> &str {
    assert_eq!(record.ready, PanicRecord::WRITTEN);
    std::str::from_utf8(&record.text[..record.first as usize]).unwrap_or("not text")
}

/// The message that the record points to.
fn literal(record: &PanicRecord) -> &'static str {
    assert_eq!(record.ready, PanicRecord::LITERAL);
    let start = ptr::with_exposed_provenance::<u8>(record.first as usize);
    // SAFETY: a literal of this program, with its length.
    let bytes = unsafe { std::slice::from_raw_parts(start, record.second as usize) };
    std::str::from_utf8(bytes).unwrap_or("not text")
}

#[test]
fn a_formatted_message() {
    let _guard = ONE_AT_A_TIME.lock();
    let record =
        report_one(|| panic::__warploom_panic_fmt(format_args!("plain"), Location::caller()));
    assert_eq!(written(&record), "plain");
    assert_eq!(
        (record.block_xy, record.block_z_thread_x),
        (4 << 32 | 5, 2 << 32 | 3)
    );
    assert_eq!(record.thread_yz, 7 << 32 | 1);
    let at = location(&record);
    assert!(at.file().ends_with("panic_entry_points.rs"));
    assert!(at.line() > 1 && at.column() > 1);

    let record = report_one(|| {
        panic::__warploom_panic_fmt(
            format_args!("{:?} of {:5.2}", Some(std::hint::black_box(7)), 1.5),
            Location::caller(),
        )
    });
    assert_eq!(written(&record), "Some(7) of  1.50");
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
    assert_eq!(written(&record), "x".repeat(1020) + "yyyy");
}

#[test]
fn an_expected_value_has_its_message_written() {
    let _guard = ONE_AT_A_TIME.lock();
    let record = report_one(|| panic::__warploom_panic_expect("a value", Location::caller()));
    assert_eq!(written(&record), "a value");
}

#[test]
fn bounds_and_ranges_are_numbers() {
    let _guard = ONE_AT_A_TIME.lock();
    let record =
        report_one(|| panic::__warploom_panic_bounds_check(1 << 40, 12, Location::caller()));
    assert_eq!(
        (record.ready, record.first, record.second),
        (PanicRecord::BOUNDS, 1 << 40, 12)
    );
    let record = report_one(|| panic::__warploom_slice_index_fail(5, 9, 4, Location::caller()));
    assert_eq!(
        (record.ready, record.first, record.second, record.values[0]),
        (PanicRecord::RANGE, 5, 9, 4)
    );
}

#[test]
fn values_are_words_beside_their_message() {
    let _guard = ONE_AT_A_TIME.lock();
    let record = report_one(|| {
        let message = b"parts";
        panic::__warploom_panic_values_3(message.as_ptr(), 5, Location::caller(), 7, 8, 9)
    });
    assert_eq!((record.ready, record.second), (PanicRecord::FORMATTED, 5));
    assert_eq!(record.values, [7, 8, 9, 0, 0, 0, 0, 0]);
}

#[test]
fn a_literal_is_an_address() {
    let _guard = ONE_AT_A_TIME.lock();
    let record = report_one(|| panic::__warploom_panic_str("no way", Location::caller()));
    assert_eq!(literal(&record), "no way");
    assert!(location(&record).line() > 1);
    let record = report_one(|| panic::__warploom_panic_nounwind("without a place"));
    assert_eq!(literal(&record), "without a place");
    assert_eq!(record.place, 0);
}

#[test]
fn the_first_thread_wins() {
    let _guard = ONE_AT_A_TIME.lock();
    let record = report_all(&[
        || panic::__warploom_panic_str("first", Location::caller()),
        || panic::__warploom_panic_str("second", Location::caller()),
        || panic::__warploom_panic_bounds_check(9, 9, Location::caller()),
    ]);
    assert_eq!(literal(&record), "first");
}

#[test]
fn of_threads_that_panic_at_once_one_writes_the_record() {
    const THREADS: u64 = 4;
    let _guard = ONE_AT_A_TIME.lock();
    for _ in 0..25 {
        let record: *mut PanicRecord = Box::leak(Box::new(PanicRecord::empty()));
        RECORD.store(
            record.expose_provenance() as u64 | PanicRecord::FREE,
            Ordering::SeqCst,
        );
        let before = EXITS.load(Ordering::SeqCst);
        let start = Arc::new(Barrier::new(THREADS as usize));
        for n in 1..=THREADS {
            let start = Arc::clone(&start);
            std::thread::spawn(move || {
                start.wait();
                let (message, at) = ([n as u8].as_ptr(), Location::caller());
                panic::__warploom_panic_values_3(message, n as usize, at, n, n, n)
            });
        }
        while EXITS.load(Ordering::SeqCst) < before + THREADS as u32 {
            std::thread::sleep(Duration::from_micros(50));
        }
        // SAFETY: leaked above; the threads that could write it are parked.
        let record = unsafe { ptr::read_volatile(record) };
        assert_eq!(record.ready, PanicRecord::FORMATTED);
        assert!((1..=THREADS).contains(&record.second));
        assert_eq!(record.values[..3], [record.second; 3]);
    }
}

#[test]
fn without_a_record_the_thread_just_ends() {
    let _guard = ONE_AT_A_TIME.lock();
    report(
        0,
        &[|| panic::__warploom_panic_str("unheard", Location::caller())],
    );
    assert!(!panic::happened());
}
