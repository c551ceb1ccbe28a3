//! Instrumented code by hand: each access calls its hook first, from the line of the caller.

use std::any::TypeId;
use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use warploom_emulator::check::{
    self, Birth, Code, Frame, HOOKS, Kind, Mode, Options, Report, SiteInfo,
};
use warploom_emulator::{Shape, SharedKey, Together, intrinsics, run_with};

/// The hook of this name.
fn hook(name: &str) -> *const () {
    let all = HOOKS.iter();
    all.clone().find(|hook| hook.name == name).unwrap().address
}

macro_rules! hooks {
    ($($name:ident($($ty:ty),*) $(-> $ret:ty)?;)*) => {
        struct Hooks { $($name: extern "C-unwind" fn($($ty),*) $(-> $ret)?,)* }
        // SAFETY: the table holds functions of these types under these names.
        static TABLE: LazyLock<Hooks> = LazyLock::new(|| unsafe {
            Hooks { $($name: std::mem::transmute::<*const (), extern "C-unwind" fn($($ty),*) $(-> $ret)?>(hook(concat!("check.", stringify!($name)))),)* }
        });
    };
}

hooks! {
    load1(*const u8, u32);
    load2(*const u8, u32);
    load4(*const u8, u32);
    load8(*const u8, u32);
    load16(*const u8, u32);
    row4(*const u8, u64, u32, u32, u32) -> bool;
    pair4(*const u8, *const u8, u32, u32);
    store1(*const u8, u64, u32);
    store2(*const u8, u64, u32);
    store4(*const u8, u64, u32);
    store8(*const u8, u64, u32);
    store16(*const u8, u32);
    load(*const u8, u64, u32, u32);
    store(*const u8, u64, u32, u32);
    copy(*const u8, *const u8, u64, u32);
    fill(*const u8, u64, u32);
    local(i64, u64, u64, u32, u32);
    aligned(*const u8, u64, u32, u32, u32);
    atomic(*const u8, u32, u32, u32);
    early(*const u8, u32, *const u8, u32, u64, u32, u32) -> bool;
    late(*const u8, u32, u64, u32, bool, u32);
    fence(u32, u32);
    at(u32);
    enter(u32);
    leave();
}

/// The site of a line.
fn site(at: &'static Location<'static>) -> u32 {
    type Sites = HashMap<(u32, u32, &'static str), u32>;
    static SITES: LazyLock<Mutex<Sites>> = LazyLock::new(Mutex::default);
    let mut sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
    *sites
        .entry((at.line(), at.column(), at.file()))
        .or_insert_with(|| {
            check::register(vec![SiteInfo {
                frames: vec![Frame {
                    file: at.file().into(),
                    line: at.line(),
                    column: at.column(),
                    function: "kernel".into(),
                }],
                shown: 0,
            }])
        })
}

/// What instrumented code does before it calls an intrinsic.
#[track_caller]
pub(crate) fn here() {
    (TABLE.at)(site(Location::caller()));
}

/// A line of the standard library, in a function that is not inlined.
fn library_site() -> u32 {
    static SITE: LazyLock<u32> = LazyLock::new(|| {
        check::register(vec![SiteInfo {
            frames: vec![Frame {
                file: "/library/alloc/src/raw_vec.rs".into(),
                line: 7777,
                column: 1,
                function: "grow".into(),
            }],
            shown: 1,
        }])
    });
    *SITE
}

/// What instrumented code does around a call, here of a function of the standard library.
#[track_caller]
pub(crate) fn calling(function: impl FnOnce()) {
    (TABLE.enter)(site(Location::caller()));
    function();
    (TABLE.leave)();
}

/// As [`here`], from a line of the standard library.
pub(crate) fn here_in_library() {
    (TABLE.at)(library_site());
}

/// A write to memory that is there, from a line of the standard library.
pub(crate) fn store_in_library(p: *mut u32, value: u32) {
    store4(p, value, library_site());
}

/// A read of memory that is there.
#[track_caller]
pub(crate) fn load<T: Copy>(p: *const T) -> T {
    let (at, site) = (p.cast::<u8>(), site(Location::caller()));
    match size_of::<T>() {
        1 => (TABLE.load1)(at, site),
        2 => (TABLE.load2)(at, site),
        4 => (TABLE.load4)(at, site),
        8 => (TABLE.load8)(at, site),
        16 => (TABLE.load16)(at, site),
        other => panic!("no hook for {other} bytes"),
    }
    // SAFETY: the tests access memory that is there.
    unsafe { p.read_volatile() }
}

/// A read of each of two words that are there, by one hook.
#[track_caller]
pub(crate) fn load_pair(a: *const u32, b: *const u32) {
    announce_pair(a, b);
    // SAFETY: the tests access memory that is there.
    unsafe { a.read_volatile() };
    // SAFETY: as above.
    unsafe { b.read_volatile() };
}

/// The hook of such reads alone.
#[track_caller]
pub(crate) fn announce_pair(a: *const u32, b: *const u32) {
    let site = site(Location::caller());
    (TABLE.pair4)(a.cast(), b.cast(), site, site);
}

/// Reads `count` words, `step` words apart, as a row; whether one question was enough.
#[track_caller]
pub(crate) fn load_row(first: *const u32, step: usize, count: u32) -> bool {
    load_each(first, step, count, true)
}

/// As [`load_row`], or `in_row` false: one by one.
#[track_caller]
pub(crate) fn load_each(first: *const u32, step: usize, count: u32, in_row: bool) -> bool {
    let site = site(Location::caller());
    let step_bytes = 4 * step as u64;
    if in_row && (TABLE.row4)(first.cast(), step_bytes, count, count, site) {
        return true;
    }
    for i in 0..count as usize {
        (TABLE.load4)(first.wrapping_add(i * step).cast(), site);
    }
    false
}

/// The site of the line that asks.
#[track_caller]
pub(crate) fn here_site() -> u32 {
    site(Location::caller())
}

/// A row of reads of words in a group: the code's first, words from each to the next, how many, and the site.
pub(crate) type RowOf = (*const u32, isize, u32, u32);

/// Reads rows in turns, as a group that is asked for by row, or `in_rows` false: one by one. Whether asking for the rows was enough.
pub(crate) fn load_group(rows: &[RowOf], in_rows: bool) -> bool {
    let total = rows.iter().map(|(.., count, _)| count).sum();
    let last = rows.len() - 1;
    let is_quiet = |(n, (first, step, count, site)): (usize, &RowOf)| {
        let steps = if n == last { total } else { 0 };
        let lowest = first.wrapping_offset(if *step < 0 {
            step * (*count as isize - 1)
        } else {
            0
        });
        let down = u32::from(*step < 0) << 31;
        let bytes = 4 * step.unsigned_abs() as u64;
        (TABLE.row4)(lowest.cast(), bytes, count | down, steps, *site)
    };
    if in_rows && rows.iter().enumerate().all(is_quiet) {
        return true;
    }
    let most = rows.iter().map(|(.., count, _)| *count).max().unwrap_or(0);
    for k in 0..most {
        for (first, step, count, site) in rows {
            if k < *count {
                (TABLE.load4)(first.wrapping_offset(step * k as isize).cast(), *site);
            }
        }
    }
    false
}

/// A write to memory that is there.
#[track_caller]
pub(crate) fn store<T: Copy>(p: *mut T, value: T) {
    let (at, site) = (p.cast::<u8>(), site(Location::caller()));
    let mut bits = [0; 8];
    let bytes = size_of::<T>();
    if bytes <= 8 {
        // SAFETY: both have so many bytes.
        unsafe {
            (&raw const value)
                .cast::<u8>()
                .copy_to(bits.as_mut_ptr(), bytes)
        };
    }
    let bits = u64::from_le_bytes(bits);
    match bytes {
        1 => (TABLE.store1)(at, bits, site),
        2 => (TABLE.store2)(at, bits, site),
        4 => (TABLE.store4)(at, bits, site),
        8 => (TABLE.store8)(at, bits, site),
        16 => (TABLE.store16)(at, site),
        other => panic!("no hook for {other} bytes"),
    }
    // SAFETY: the tests access memory that is there.
    unsafe { p.write_volatile(value) }
}

/// As [`load`] and [`store`] of a word, quickly: from a site that was not registered.
pub(crate) fn load4(p: *const u32, site: u32) -> u32 {
    (TABLE.load4)(p.cast(), site);
    // SAFETY: the tests access memory that is there.
    unsafe { p.read_volatile() }
}

pub(crate) fn store4(p: *mut u32, value: u32, site: u32) {
    (TABLE.store4)(p.cast(), value.into(), site);
    // SAFETY: the tests access memory that is there.
    unsafe { p.write_volatile(value) }
}

/// As `load4`, the thorough way.
pub(crate) fn load_thoroughly(p: *const u32, site: u32) {
    (TABLE.load)(p.cast(), 4, 4, site);
}

/// As `store4`, the thorough way.
pub(crate) fn store_thoroughly(p: *mut u32, value: u32, site: u32) {
    (TABLE.store)(p.cast(), 4, 4, site);
    // SAFETY: the tests access memory that is there.
    unsafe { p.write_volatile(value) }
}

/// As [`add`] of 1, quickly and relaxed.
pub(crate) fn add4(p: *mut u32, site: u32, scope: u32) {
    (TABLE.at)(site);
    // SAFETY: the tests access memory that is there.
    unsafe { intrinsics::atomic_fetch_add_u32(p, 1, scope) };
}

/// As `add4`, by Rust's own atomics.
pub(crate) fn count4(p: *mut u32, site: u32) {
    (TABLE.atomic)(p.cast(), 4, 2, site);
    // SAFETY: the tests access memory that is there.
    unsafe { AtomicU32::from_ptr(p) }.fetch_add(1, Ordering::Relaxed);
}

/// A relaxed load and a store of a word by Rust's own atomics, announced one by one; or, if `paired`, as the store is that may come first.
pub(crate) fn load_and_store4(from: *mut u32, to: *mut u32, value: u32, site: u32, paired: bool) {
    // The number of the relaxed order and the system's scope.
    const SYSTEM: u32 = 3;
    let (bits, after) = (u64::from(value), site + 1);
    let is_made = paired && (TABLE.early)(from.cast(), 4, to.cast(), 4, bits, SYSTEM, after);
    (TABLE.atomic)(from.cast(), 4, 0, site);
    // SAFETY: the tests access memory that is there.
    unsafe { AtomicU32::from_ptr(from) }.load(Ordering::Relaxed);
    if paired {
        (TABLE.late)(to.cast(), 4, bits, SYSTEM, is_made, after);
    } else {
        (TABLE.atomic)(to.cast(), 4, 1, after);
        // SAFETY: as above.
        unsafe { AtomicU32::from_ptr(to) }.store(value, Ordering::Relaxed);
    }
}

/// A copy that the processor makes.
#[track_caller]
pub(crate) fn copy(to: *mut u8, from: *const u8, bytes: usize) {
    (TABLE.copy)(to, from, bytes as u64, site(Location::caller()));
    // SAFETY: the tests access memory that is there.
    unsafe { to.copy_from(from, bytes) }
}

/// A filling of memory with zeros.
#[track_caller]
pub(crate) fn fill(to: *mut u8, bytes: usize) {
    (TABLE.fill)(to, bytes as u64, site(Location::caller()));
    // SAFETY: the tests access memory that is there.
    unsafe { to.write_bytes(0, bytes) }
}

/// What instrumented code says of an access to a local variable of `size` bytes that is not in it as a whole.
#[track_caller]
pub(crate) fn outside_local(offset: i64, bytes: u64, size: u64) {
    (TABLE.local)(offset, bytes, size, 1, site(Location::caller()));
}

/// What it says of a filling whose address is no multiple of `align`.
#[track_caller]
pub(crate) fn misaligned(at: *const u8, bytes: u64, align: u32) {
    (TABLE.aligned)(at, bytes, align, 1, site(Location::caller()));
}

/// A volatile read of 4 bytes.
#[track_caller]
pub(crate) fn load_volatile(p: *const u32) -> u32 {
    (TABLE.atomic)(p.cast(), 4, 4, site(Location::caller()));
    // SAFETY: the tests access memory that is there.
    unsafe { p.read_volatile() }
}

/// A volatile write of 4 bytes.
#[track_caller]
pub(crate) fn store_volatile(p: *mut u32, value: u32) {
    (TABLE.atomic)(p.cast(), 4, 5, site(Location::caller()));
    // SAFETY: the tests access memory that is there.
    unsafe { p.write_volatile(value) }
}

/// An atomic read as Rust's own atomics make it.
#[track_caller]
pub(crate) fn load_core(p: *mut u32, order: Ordering) -> u32 {
    let number = if order == Ordering::Relaxed { 0 } else { 1 };
    (TABLE.atomic)(p.cast(), 4, number << 4, site(Location::caller()));
    // SAFETY: the tests access memory that is there.
    unsafe { AtomicU32::from_ptr(p) }.load(order)
}

/// An atomic write as Rust's own atomics make it.
#[track_caller]
pub(crate) fn store_core(p: *mut u32, value: u32, order: Ordering) {
    let number = if order == Ordering::Relaxed { 0 } else { 2 };
    (TABLE.atomic)(p.cast(), 4, number << 4 | 1, site(Location::caller()));
    // SAFETY: the tests access memory that is there.
    unsafe { AtomicU32::from_ptr(p) }.store(value, order);
}

/// A relaxed atomic change as Rust's own atomics make it.
#[track_caller]
pub(crate) fn count_core(p: *mut u32) {
    count4(p, site(Location::caller()));
}

/// A fence of Rust's own: 1 acquire, 2 release, 3 both.
#[track_caller]
pub(crate) fn fence_core(order: u32) {
    (TABLE.fence)(order, site(Location::caller()));
}

/// The barrier of the block.
#[track_caller]
pub(crate) fn barrier() {
    here();
    intrinsics::block_barrier();
}

/// The number of the thread in its block.
pub(crate) fn me() -> usize {
    intrinsics::thread_idx_x() as usize
}

/// The number of the block.
pub(crate) fn block() -> usize {
    intrinsics::block_idx_x() as usize
}

/// Orders and scopes of atomics, as numbers.
pub(crate) const RELAXED: u32 = 0;
pub(crate) const ACQUIRE: u32 = 4;
pub(crate) const RELEASE: u32 = 8;
pub(crate) const ACQ_REL: u32 = 12;
pub(crate) const BLOCK: u32 = 0;
pub(crate) const DEVICE: u32 = 2;

/// Atomics with the line of the caller.
#[track_caller]
pub(crate) fn add(p: *mut u32, v: u32, how: u32) -> u32 {
    here();
    // SAFETY: the tests access memory that is there.
    unsafe { intrinsics::atomic_fetch_add_u32(p, v, how) }
}

#[track_caller]
pub(crate) fn get(p: *mut u32, how: u32) -> u32 {
    here();
    // SAFETY: the tests access memory that is there.
    unsafe { intrinsics::atomic_load_u32(p, how) }
}

#[track_caller]
pub(crate) fn set(p: *mut u32, v: u32, how: u32) {
    here();
    // SAFETY: the tests access memory that is there.
    unsafe { intrinsics::atomic_store_u32(p, v, how) }
}

#[track_caller]
pub(crate) fn cas(p: *mut u32, c: u32, v: u32, how: u32) -> u32 {
    here();
    // SAFETY: the tests access memory that is there.
    unsafe { intrinsics::atomic_cas_u32(p, c, v, how) }
}

/// Global memory with a name.
pub(crate) struct Buffer<T>(Box<[UnsafeCell<T>]>);

// SAFETY: the tests access it by pointers, as kernels do; those that race do so in one OS thread, or do not care.
unsafe impl<T: Send> Sync for Buffer<T> {}

impl<T: Copy + Default> Buffer<T> {
    pub(crate) fn new(label: &str, len: usize) -> Self {
        let this = Self((0..len).map(|_| UnsafeCell::default()).collect());
        let (size, align) = (size_of::<T>(), align_of::<T>());
        check::allocate(
            this.start(),
            len * size,
            size,
            align,
            Kind::Static,
            Birth::Initialised,
            label,
        );
        this
    }

    fn start(&self) -> *const u8 {
        self.0.as_ptr().cast()
    }

    /// The address of an element.
    pub(crate) fn at(&self, index: usize) -> *mut T {
        self.0[index].get()
    }

    pub(crate) fn get(&self, index: usize) -> T {
        // SAFETY: no kernel runs.
        unsafe { *self.0[index].get() }
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        check::free(self.0.as_ptr().cast());
    }
}

struct Tile;
static TILE: SharedKey = SharedKey::new(TypeId::of::<Tile>(), "tile");

/// Element `index` of 1024 words that the block shares.
pub(crate) fn tile(index: usize) -> *mut u32 {
    assert!(index < 1024);
    // SAFETY: within its length.
    unsafe {
        intrinsics::shared_static(&TILE, 4096, 16)
            .cast::<u32>()
            .add(index)
    }
}

/// What a checked run of so many blocks and threads finds: the same with one OS thread and with three.
pub(crate) fn check(blocks: u32, threads: u32, program: impl Fn() + Sync) -> Vec<Report> {
    check_together(blocks, threads, Together::default(), program)
}

/// As [`check`], of clusters or a cooperative grid.
pub(crate) fn check_together(
    blocks: u32,
    threads: u32,
    together: Together,
    program: impl Fn() + Sync,
) -> Vec<Report> {
    check_fresh_together(blocks, threads, together, || (), |()| program())
}

/// As [`check`], with memory that is made anew for each run.
pub(crate) fn check_fresh<M: Sync>(
    blocks: u32,
    threads: u32,
    memory: impl Fn() -> M,
    program: impl Fn(&M) + Sync,
) -> Vec<Report> {
    check_fresh_together(blocks, threads, Together::default(), memory, program)
}

/// As [`check_fresh`], of clusters or a cooperative grid.
pub(crate) fn check_fresh_together<M: Sync>(
    blocks: u32,
    threads: u32,
    together: Together,
    memory: impl Fn() -> M,
    program: impl Fn(&M) + Sync,
) -> Vec<Report> {
    let run = |workers| {
        let memory = memory();
        let shape = Shape {
            workers: Some(workers),
            dynamic_shared_bytes: 512,
            ..Shape::new([blocks, 1, 1], [threads, 1, 1])
        };
        let mut options = Options::default();
        options.mode = Mode::Checked;
        let outcome = run_with(shape, together, &options, &|| program(&memory));
        assert_eq!(outcome.fault, None);
        outcome.reports
    };
    let one = run(1);
    assert_eq!(
        codes(&run(3)),
        codes(&one),
        "with three OS threads, and with one"
    );
    one
}

/// The classes of findings, each once, in order of their numbers.
pub(crate) fn codes(reports: &[Report]) -> Vec<Code> {
    let mut codes: Vec<_> = reports.iter().map(|report| report.code).collect();
    codes.sort();
    codes.dedup();
    codes
}

/// The lines of the sides of the only report, and how often it was found.
pub(crate) fn only(reports: &[Report], code: Code) -> (Vec<u32>, u64) {
    let [report] = reports else {
        panic!("{} reports: {reports:#?}", reports.len());
    };
    assert_eq!(report.code, code);
    let lines = report.sides.iter().filter_map(|side| side.place.as_ref());
    (lines.map(|place| place.line).collect(), report.count)
}
