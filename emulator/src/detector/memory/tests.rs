//! Accesses of lanes, right ones and wrong ones, as hooks of instrumented code would pass them on.

use std::alloc::Layout;
use std::any::TypeId;
use std::ptr;

use super::*;
use crate::detector::access;
use crate::detector::slot::AccessKind;
use crate::finding::{Code, Report};
use crate::options::{Mode, Options};
use crate::{Outcome, Shape, SharedKey, Together, intrinsics, run_with};

mod heap;
mod shared;
mod values;

/// A lane's access; ends the lane if it must not happen.
fn access(address: usize, bytes: usize, align: usize, how: How) {
    let kind = match how {
        How::Reads => AccessKind::READ,
        How::Writes => AccessKind::WRITE,
        How::Changes => AccessKind::READ | AccessKind::WRITE,
    };
    access::any(address, bytes, align as u32, kind, 0);
}

fn read(address: usize, bytes: usize) {
    access(address, bytes, bytes, How::Reads);
}

fn write(address: usize, bytes: usize) {
    access(address, bytes, bytes, How::Writes);
}

fn checked() -> Options {
    Options {
        mode: Mode::Checked,
        ..Options::default()
    }
}

fn run_on(shape: Shape, body: impl Fn() + Sync) -> Outcome {
    run_with(shape, Together::default(), &checked(), &body)
}

/// What one lane's accesses lead to.
fn one_lane(body: impl Fn() + Sync) -> Vec<Report> {
    let outcome = run_on(Shape::new([1, 1, 1], [1, 1, 1]), body);
    assert_eq!(outcome.fault, None);
    outcome.reports
}

/// The only finding.
fn finding(body: impl Fn() + Sync) -> Report {
    let mut reports = one_lane(body);
    assert_eq!(reports.len(), 1, "{reports:?}");
    reports.remove(0)
}

fn buffer<T>(len: usize, birth: Birth) -> GlobalMemory {
    let bytes = len * size_of::<T>();
    GlobalMemory::new(bytes, Layout::new::<T>(), birth, "DeviceBuffer").unwrap()
}

fn start(memory: &GlobalMemory) -> usize {
    memory.start().addr().get()
}

fn text(report: &Report) -> String {
    format!("{report:?}")
}

#[test]
fn accesses_within_buffers_are_right() {
    fn all<T>(len: usize) {
        let x = buffer::<T>(len, Birth::Initialised);
        let (at, size) = (start(&x), size_of::<T>());
        let reports = one_lane(|| {
            (0..len).for_each(|i| read(at + i * size, size));
            (0..len).for_each(|i| write(at + i * size, size));
        });
        assert_eq!(reports, []);
    }
    for len in [1, 2, 7, 64, 1023] {
        all::<u8>(len);
        all::<u16>(len);
        all::<u32>(len);
        all::<u64>(len);
    }
}

#[test]
fn the_element_past_the_end_is_out_of_bounds() {
    fn past<T>(len: usize) {
        let x = buffer::<T>(len, Birth::Initialised);
        let (at, size) = (start(&x), size_of::<T>());
        name(x.start().as_ptr(), "x");
        let report = finding(|| read(at + len * size, size));
        assert_eq!(report.code, Code::GLOBAL_BOUNDS);
        let s = if len == 1 { "" } else { "s" };
        assert_eq!(
            report.title,
            format!("`x[{len}]` is out of bounds: `x` has {len} element{s}")
        );
        assert!(report.sides[0].did.contains("just past the end"));
        assert!(
            report.sides[1]
                .did
                .starts_with("x lies in a DeviceBuffer of")
        );
    }
    for len in [1, 3, 64, 1001] {
        past::<u8>(len);
        past::<u16>(len);
        past::<u32>(len);
        past::<u64>(len);
    }
}

#[test]
fn the_distance_is_that_from_the_end() {
    let x = buffer::<f32>(4096, Birth::Initialised);
    let at = start(&x);
    name(x.start().as_ptr(), "x");
    let report = finding(|| write(at + 4 * 4098, 4));
    assert_eq!(
        report.title,
        "`x[4098]` is out of bounds: `x` has 4096 elements"
    );
    assert_eq!(
        report.sides[0].did,
        "writes x[4098] (4 bytes), 8 bytes past the end"
    );
    assert!(text(&report).contains("whose index is below 4096"));
}

#[test]
fn an_index_below_zero_is_out_of_bounds() {
    let x = buffer::<u64>(10, Birth::Initialised);
    let at = start(&x);
    name(x.start().as_ptr(), "x");
    let report = finding(|| read(at - 8, 8));
    assert_eq!(
        report.title,
        "`x[-1]` is out of bounds: `x` has 10 elements"
    );
    assert!(report.sides[0].did.ends_with("8 bytes before the start"));
}

#[test]
fn a_vector_that_crosses_the_end_is_out_of_bounds() {
    let x = buffer::<f32>(6, Birth::Initialised);
    let at = start(&x);
    name(x.start().as_ptr(), "x");
    let report = finding(|| read(at + 16, 16));
    assert_eq!(report.code, Code::GLOBAL_BOUNDS);
    assert_eq!(
        report.sides[0].did,
        "reads x[4] (16 bytes), the last 8 bytes past the end"
    );
}

#[test]
fn a_buffer_without_a_name_is_called_by_its_type() {
    let x = buffer::<u16>(5, Birth::Initialised);
    let at = start(&x);
    let report = finding(|| read(at + 10, 2));
    assert_eq!(
        report.title,
        "element 5 of a DeviceBuffer is out of bounds: there are 5 elements"
    );
}

#[test]
fn a_view_is_named_from_its_own_start() {
    let x = buffer::<u32>(100, Birth::Initialised);
    let at = start(&x);
    name(x.start().as_ptr(), "left");
    name(ptr::without_provenance(at + 200), "right");
    let report = finding(|| read(at + 400, 4));
    assert_eq!(
        report.title,
        "`right[50]` is out of bounds: `right` has 50 elements"
    );
}

#[test]
fn a_view_has_the_length_that_the_kernel_sees() {
    let x = buffer::<u32>(100, Birth::Initialised);
    let at = start(&x);
    name_view(x.start().as_ptr(), 160, "x");
    let report = finding(|| read(at + 400, 4));
    assert_eq!(
        report.title,
        "`x[100]` is out of bounds: `x` has 40 elements"
    );
}

#[test]
fn an_access_out_of_bounds_ends_its_lane_and_no_other() {
    let x = buffer::<u32>(40, Birth::Initialised);
    let went_on = std::sync::atomic::AtomicU32::new(0);
    let at = start(&x);
    let outcome = run_on(Shape::new([2, 1, 1], [32, 1, 1]), || {
        let i = intrinsics::block_idx_x() * 32 + intrinsics::thread_idx_x();
        write(at + 4 * i as usize, 4);
        went_on.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        intrinsics::block_barrier();
    });
    assert_eq!(outcome.fault, None);
    assert_eq!(went_on.into_inner(), 40);
    let [report] = &outcome.reports[..] else {
        panic!("{:?}", outcome.reports)
    };
    assert_eq!(report.count, 24);
    let who = report.sides[0].who.unwrap();
    assert_eq!((who.block, who.thread, who.lane), ([1, 0, 0], [8, 0, 0], 8));
}

#[test]
fn lanes_that_were_ended_are_not_missed_at_barriers_and_by_their_warp() {
    let x = buffer::<u32>(40, Birth::Initialised);
    let at = start(&x);
    let outcome = run_on(Shape::new([1, 1, 1], [64, 1, 1]), || {
        let t = intrinsics::thread_idx_x();
        read(at + 4 * t as usize, 4);
        intrinsics::block_barrier();
        intrinsics::warp_sync(u32::MAX);
        intrinsics::shuffle_idx(u32::MAX, t, 20, 31);
        intrinsics::block_barrier();
    });
    let codes: Vec<Code> = outcome.reports.iter().map(|report| report.code).collect();
    assert_eq!((codes, outcome.fault), (vec![Code::GLOBAL_BOUNDS], None));

    // In the next block of the same worker no lane was ended, and those that returned are.
    let outcome = run_on(one_worker(), || {
        let t = intrinsics::thread_idx_x();
        if intrinsics::block_idx_x() == 0 {
            read(at + 4 * (t as usize + 39), 4);
        } else if t == 0 {
            return;
        }
        intrinsics::block_barrier();
    });
    let mut codes: Vec<Code> = outcome.reports.iter().map(|report| report.code).collect();
    codes.sort();
    assert_eq!(codes, [Code::GLOBAL_BOUNDS, Code::EXIT_BEFORE_BARRIER]);
}

fn one_worker() -> Shape {
    Shape {
        workers: Some(1),
        ..Shape::new([2, 1, 1], [2, 1, 1])
    }
}

#[test]
fn freed_memory_is_not_used() {
    let x = buffer::<u32>(8, Birth::Initialised);
    let at = start(&x);
    drop(x);
    for how in [How::Reads, How::Writes, How::Changes] {
        let report = finding(|| access(at + 12, 4, 4, how));
        assert_eq!(report.code, Code::USE_AFTER_FREE);
        assert_eq!(
            report.title,
            "use of freed memory: element 3 of a DeviceBuffer"
        );
    }
}

/// An address that the host's allocator gives out again is the host's.
#[test]
fn what_its_owner_took_back_is_memory_of_the_host() {
    for kind in [Kind::Global, Kind::Internal, Kind::Parameter] {
        let own = Box::new([7_u32; 8]);
        let start = own.as_ptr().cast();
        allocate(start, 32, 4, 4, kind, Birth::Initialised, "");
        free(start);
        let at = start.addr() + 4;
        let report = finding(|| read(at, 4));
        assert_eq!(report.code, Code::HOST_MEMORY);
    }
}

#[test]
fn memory_freed_during_the_run_is_not_used() {
    let x = crate::sync::StaticMutex::new(Some(buffer::<u32>(8, Birth::Initialised)));
    let at = start(x.lock().unwrap().as_ref().unwrap());
    let report = finding(|| {
        read(at, 4);
        drop(x.lock().unwrap().take());
        read(at, 4);
    });
    assert_eq!(report.code, Code::USE_AFTER_FREE);
}

#[test]
fn addresses_must_fit_the_access() {
    let x = buffer::<f32>(16, Birth::Initialised);
    let at = start(&x);
    let report = finding(|| read(at + 4, 16));
    assert_eq!(report.code, Code::MISALIGNED);
    assert!(
        report.title.ends_with("4 bytes past a multiple of 16"),
        "{}",
        report.title
    );
    let reports = one_lane(|| {
        read(at + 16, 16);
        access(at + 4, 16, 4, How::Reads);
        access(at + 1, 4, 1, How::Reads);
    });
    assert_eq!(reports, []);
}

#[test]
fn null_pointers_are_told_from_other_addresses() {
    for (address, title) in [
        (0, "access through a null pointer"),
        (16, "access through a null pointer, 16 bytes on"),
    ] {
        let report = finding(|| read(address, 8));
        assert_eq!((report.code, &*report.title), (Code::GLOBAL_BOUNDS, title));
    }
}

#[test]
fn no_bytes_may_be_anywhere() {
    let reports = one_lane(|| access(4, 0, 4, How::Reads));
    assert_eq!(reports, []);
}

//@ rows: GEM-10

#[test]
#[cfg_attr(
    any(miri, not(target_os = "linux")),
    ignore = "the operating system does not tell"
)]
fn memory_of_the_host_is_not_the_devices() {
    let host = vec![1_u32; 1 << 20]; // so large that it is a mapping of its own
    let at = host.as_ptr().addr() + (2 << 20);
    let report = finding(|| read(at, 4));
    assert_eq!(report.code, Code::HOST_MEMORY, "{report:?}");
}

#[test]
fn addresses_without_memory_are_out_of_bounds() {
    let report = finding(|| read(1 << 50, 4));
    assert_eq!(report.code, Code::GLOBAL_BOUNDS);
    assert_eq!(report.title, "address 0x4000000000000 is no memory");
}

#[test]
fn constants_and_parameters_are_only_read() {
    for kind in [Kind::Constant, Kind::Parameter] {
        let table = Box::new([0_u32; 4]);
        let at = (&raw const *table).addr();
        allocate(
            table.as_ptr().cast(),
            16,
            4,
            4,
            kind,
            Birth::Initialised,
            "TABLE",
        );
        let reports = one_lane(|| read(at + 8, 4));
        assert_eq!(reports, []);
        let report = finding(|| write(at + 8, 4));
        assert_eq!(report.code, Code::READ_ONLY);
        assert_eq!(report.title, "write to read-only memory: TABLE[2]");
        free(table.as_ptr().cast());
    }
}

#[test]
#[cfg_attr(
    any(miri, not(target_os = "linux")),
    ignore = "the operating system does not tell"
)]
fn constants_of_the_program_are_read_and_not_written() {
    static TABLE: [u32; 64] = [7; 64];
    let at = TABLE.as_ptr().addr();
    let reports = one_lane(|| read(at + 8, 4));
    assert_eq!(reports, []);
    let report = finding(|| write(at + 8, 4));
    assert_eq!(report.code, Code::READ_ONLY);
}

#[test]
fn own_local_variables_are_not_those_of_others() {
    let own = one_lane(|| {
        let x = 5_u64;
        read((&raw const x).addr(), 8);
    });
    assert_eq!(own, []);
    let shared = std::sync::atomic::AtomicUsize::new(0);
    let outcome = run_on(Shape::new([1, 1, 1], [2, 1, 1]), || {
        use std::sync::atomic::Ordering::Relaxed;
        let x = 5_u64;
        if intrinsics::thread_idx_x() == 0 {
            shared.store((&raw const x).addr(), Relaxed);
        }
        intrinsics::block_barrier();
        if intrinsics::thread_idx_x() == 1 {
            write(shared.load(Relaxed), 8);
        }
        intrinsics::block_barrier();
        std::hint::black_box(&x);
    });
    assert_eq!(outcome.reports.len(), 1);
    assert_eq!(outcome.reports[0].code, Code::LOCAL_BOUNDS);
}

#[test]
fn statics_are_named_by_their_path() {
    let value = Box::new([0_u32; 3]);
    let start = (&raw const *value).cast::<u8>();
    let made = Origin {
        file: "src/lib.rs",
        line: 7,
        column: 1,
    };
    let layout = Layout::new::<[u32; 3]>();
    allocate_at(
        start,
        layout,
        Layout::new::<u32>(),
        Kind::Static,
        "shop::COUNT",
        made,
    );
    let at = start.addr();
    let report = finding(|| write(at + 12, 4));
    assert_eq!(
        report.title,
        "`shop::COUNT[3]` is out of bounds: `shop::COUNT` has 3 elements"
    );
    assert_eq!(report.sides[1].place.as_ref().unwrap().line, 7);
    free(start);
}
